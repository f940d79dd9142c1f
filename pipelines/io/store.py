"""A store: whole files under relative paths, on a disk or in an object store."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from pipelines.io.disk import TEMPORARY, Disk
from pipelines.io.objects import Objects
from pipelines.io.places import explained, full_path, is_url
from schemas.errors import ConfigError, LakeError


@dataclass(frozen=True)
class Store:
    """The files below one place. Its only state is the place, so a worker can get it as an option.

    Args:
        place: local path or fsspec URL.
        family: the error that a failure becomes.
    """

    place: str
    family: type[ConfigError] = LakeError

    def uri(self, path: str = "") -> str:
        """Return the absolute path or the URL of a file."""
        return self._files().uri(path)

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        with explained(self.uri(path), self.family):
            return self._files().read(path)

    def read_many(self, paths: Sequence[str]) -> Sequence[bytes]:
        """Return the bytes of several files, in the order given; those of objects are asked for together."""
        with explained(self.uri(), self.family):
            return self._files().read_many(paths)

    def open(self, path: str, size: int | None = None) -> BinaryIO:
        """Open a file for random access; reads of an object are range requests.

        Args:
            path: relative to the place.
            size: the file's bytes where they are known: an object store is then not asked for them.
        """
        with explained(self.uri(path), self.family):
            return self._files().open(path, size)

    def exists(self, path: str) -> bool:
        """Return whether there is such a file."""
        with explained(self.uri(path), self.family):
            return self._files().exists(path)

    def list(self, prefix: str = "") -> list[str]:
        """Return the paths of the files below a folder, sorted; files that are being written are left out."""
        with explained(self.uri(prefix), self.family):
            paths = self._files().list(prefix)
        return sorted(path for path in paths if not is_temporary(path))

    def is_empty(self) -> bool:
        """Return whether the place is missing or holds nothing."""
        with explained(self.place, self.family):
            return self._files().is_empty()

    def write(self, path: str, payload: bytes) -> None:
        """Write a file whole: whoever reads meanwhile meets the former file or this one, never a part."""
        with explained(self.uri(path), self.family, "write"):
            self._files().write(path, payload)

    def create(self, path: str, payload: bytes) -> bool:
        """Write a file whole if there is none of that name; return False where one is there, which stays as it is.

        False does not say whose it is: a client repeats a put whose answer was lost, and then meets its own file. So
        whoever must know puts something random into the payload, and reads the file back.

        Disks and S3 let one of many writers through. A store whose client knows no conditional put (abfs, some others)
        is looked at and then written, and two that do so at once may both be told True: there, too, read it back.
        """
        with explained(self.uri(path), self.family, "write"):
            return self._files().create(path, payload)

    def delete(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""
        with explained(self.uri(path), self.family, "delete"):
            self._files().delete(path)

    def delete_folder(self, prefix: str) -> None:
        """Delete all that lies below a folder, and the folder."""
        with explained(self.uri(prefix), self.family, "delete"):
            self._files().delete_folder(prefix)

    def delete_temporaries(self, prefix: str = "") -> None:
        """Delete the files below a folder that a writer was killed over. Nobody else may be writing there."""
        with explained(self.uri(prefix), self.family, "delete"):
            for path in filter(is_temporary, self._files().list(prefix)):
                self._files().delete(path)

    def _files(self) -> Disk | Objects:
        root = full_path(self.place)
        return Objects(root) if is_url(root) else Disk(root)


def is_temporary(path: str) -> bool:
    """Return whether the name is one that a writer uses until its file is whole.

    >>> is_temporary("runs/.n-bucket-000.parquet.1f.tmp"), is_temporary("runs/n-bucket-000.parquet")
    (True, False)
    """
    name = posixpath.basename(path)
    return name.startswith(".") and name.endswith(TEMPORARY)

"""Disk: files below a local folder, each written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

TEMPORARY = ".tmp"
"""End of the name of a file that is being written; it begins with a dot as well."""

_NAME_CHARACTERS = 60


@dataclass(frozen=True)
class Disk:
    """Files below a local folder.

    Args:
        root: absolute path.
    """

    root: str

    def uri(self, path: str) -> str:
        """Return the absolute path of a file."""
        return f"{self.root}/{path}" if path else self.root

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        return Path(self.uri(path)).read_bytes()

    def read_many(self, paths: Sequence[str]) -> list[bytes]:
        """Return the bytes of several files."""
        return [self.read(path) for path in paths]

    def open(self, path: str, size: int | None = None) -> BinaryIO:  # noqa: ARG002 - an object store needs it
        """Open a file for random access."""
        return Path(self.uri(path)).open("rb")

    def exists(self, path: str) -> bool:
        """Return whether there is such a file."""
        return Path(self.uri(path)).is_file()

    def list(self, prefix: str) -> list[str]:
        """Return the files below a folder; none where there is no such folder."""
        root = Path(self.uri(prefix))
        if root.exists() and not root.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is a file, not a folder")
        return [os.path.relpath(path, self.root) for path in _files(root)]

    def is_empty(self) -> bool:
        """Return whether the folder is missing or holds nothing but hidden files."""
        root = Path(self.root)
        return not root.exists() or all(path.name.startswith(".") for path in root.iterdir())

    def write(self, path: str, payload: bytes) -> None:
        """Write a file under a temporary name, then give it its own: readers meet the old file or the new one.

        The temporary name is a new one each time: two workers that write one file at once would otherwise
        rename each other's half.
        """
        target = Path(self.uri(path))
        with _written(target, payload) as temporary:
            temporary.replace(target)
        _sync_folder(target.parent)

    def create(self, path: str, payload: bytes) -> bool:
        """Write a file under a temporary name, then link its own to it, which fails where there is one."""
        target = Path(self.uri(path))
        with _written(target, payload) as temporary:
            try:
                os.link(temporary, target)
            except FileExistsError:
                return False
        _sync_folder(target.parent)
        return True

    def delete(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""
        Path(self.uri(path)).unlink(missing_ok=True)

    def delete_folder(self, prefix: str) -> None:
        """Delete a folder; one that is not there is no error."""
        root = Path(self.uri(prefix))
        if root.exists():
            shutil.rmtree(root)


@contextmanager
def _written(target: Path, payload: bytes) -> Iterator[Path]:
    """Give a temporary file of that content beside its target; it is gone afterwards."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name[:_NAME_CHARACTERS]}.{secrets.token_hex(6)}{TEMPORARY}")
    try:
        with temporary.open("xb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _files(root: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise error

    for folder, _, names in os.walk(root, onerror=fail):
        for name in names:
            yield Path(folder, name)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

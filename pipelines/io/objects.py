"""Objects: files below an fsspec URL, each written by a single put."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from pipelines.io.places import filesystem
from pipelines.io.ranges import Ranges

MAX_REQUESTS = 16
"""Requests under way at one time, where several objects are read."""


@dataclass(frozen=True)
class Objects:
    """Objects below a prefix of an object store.

    Args:
        root: URL without a final slash.
    """

    root: str

    def uri(self, path: str) -> str:
        """Return the URL of an object."""
        return f"{self.root}/{path}" if path else self.root

    def read(self, path: str) -> bytes:
        """Return an object's bytes."""
        fs, key = filesystem(self.uri(path))
        return bytes(fs.cat_file(key))

    def read_many(self, paths: Sequence[str]) -> list[bytes]:
        """Return the bytes of several objects, `MAX_REQUESTS` at a time."""
        fs, root = filesystem(self.root)
        with ThreadPoolExecutor(MAX_REQUESTS) as pool:
            return list(pool.map(lambda path: bytes(fs.cat_file(f"{root}/{path}")), paths))

    def open(self, path: str, size: int | None = None) -> BinaryIO:
        """Open an object for random access: each read is one request of exactly that range."""
        fs, key = filesystem(self.uri(path))
        return cast("BinaryIO", Ranges(fs, key, int(fs.size(key)) if size is None else size))

    def exists(self, path: str) -> bool:
        """Return whether there is such an object."""
        fs, key = filesystem(self.uri(path))
        try:
            return bool(fs.info(key)["type"] == "file")  # isfile() takes every failure for a no
        except FileNotFoundError:
            return False

    def list(self, prefix: str) -> list[str]:
        """Return the objects below a prefix; none where there is nothing."""
        fs, key = filesystem(self.uri(prefix))
        root = str(fs._strip_protocol(self.root))  # noqa: SLF001 - fsspec has no public name for it
        found: list[str] = fs.find(key)
        return [name.removeprefix(root).lstrip("/") for name in found if name != key]

    def is_empty(self) -> bool:
        """Return whether nothing lies below the prefix."""
        fs, key = filesystem(self.root)
        try:
            entries: list[Any] = fs.ls(key, detail=False)
        except FileNotFoundError:
            return True
        return not [entry for entry in entries if entry.rstrip("/") != key.rstrip("/")]

    def write(self, path: str, payload: bytes) -> None:
        """Put an object whole."""
        fs, key = filesystem(self.uri(path))
        fs.pipe_file(key, payload)

    def create(self, path: str, payload: bytes) -> bool:
        """Put an object on the condition that there is none (``If-None-Match: *``).

        A client that knows no such condition puts the object where none was seen, which two may do at once.
        """
        fs, key = filesystem(self.uri(path))
        if fs.exists(key):
            return False
        try:
            fs.pipe_file(key, payload, mode="create")
        except FileExistsError:
            return False
        except (TypeError, NotImplementedError, ValueError):
            fs.pipe_file(key, payload)
        except OSError as error:
            if not _is_refusal(error) and not fs.exists(key):
                raise
            return False
        return True

    def delete_folder(self, prefix: str) -> None:
        """Delete the objects below a prefix."""
        for path in self.list(prefix):
            self.delete(path)

    def delete(self, path: str) -> None:
        """Delete an object; one that is not there is no error."""
        fs, key = filesystem(self.uri(path))
        try:
            fs.rm_file(key)
        except FileNotFoundError:
            return


def _is_refusal(error: OSError) -> bool:
    """Tell whether a put failed for its condition: 412, or 409 where another one was under way (RFC 9110; S3)."""
    response = getattr(error.__cause__, "response", None) or {}
    return response.get("ResponseMetadata", {}).get("HTTPStatusCode") in {409, 412}

"""Listed files: an fsspec filesystem for DuckDB, which is given exact names and must not look for others."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import fsspec

from pipelines.io.ranges import Ranges

_BLOCK_BYTES = 256 * 1024


class Listed(fsspec.AbstractFileSystem):  # type: ignore[misc] # fsspec is untyped
    """The files of another filesystem, each name taken as it is: no wildcards, and no request but for its bytes.

    DuckDB looks for every name that it is given, and asks for its size and time: six requests for each file.

    Args:
        files: the filesystem.
        sizes: bytes of each file that is known, by its URL.
    """

    cachable = False

    def __init__(self, files: Any, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self._files = files
        self._sizes = sizes
        self.protocol = files.protocol

    def glob(self, path: str, **_: Any) -> list[str]:
        """Return the name itself."""
        return [path]

    def open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        """Open a file; it reads ahead by little, since Parquet is read in places."""
        if path not in self._sizes:
            return self._files.open(path, mode)
        return io.BufferedReader(Ranges(self._files, path, self._sizes[path]), _BLOCK_BYTES)

    def exists(self, path: str, **_: Any) -> bool:
        """Return whether there is such a file."""
        return path in self._sizes or bool(self._files.exists(path))

    def isdir(self, path: str) -> bool:
        """Return whether there is such a folder."""
        return path not in self._sizes and bool(self._files.isdir(path))

    def size(self, path: str) -> int:
        """Return a file's bytes."""
        return self._sizes[path] if path in self._sizes else int(self._files.size(path))

    def modified(self, path: str) -> datetime:
        """Return when a file was written; for one of the lake, whose bytes a commit tells, any time will do."""
        return datetime.fromtimestamp(0, UTC) if path in self._sizes else self._files.modified(path)

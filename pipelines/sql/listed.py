"""Listed files: an fsspec filesystem for DuckDB, which is given exact names and must not look for others."""

from __future__ import annotations

from typing import Any

import fsspec

_BLOCK_BYTES = 256 * 1024


class Listed(fsspec.AbstractFileSystem):  # type: ignore[misc] # fsspec is untyped
    """The files of another filesystem, each name taken as it is: no wildcards, and no request to see that it is there.

    DuckDB asks for a glob of every name that it is given, which would be a request for each file of the lake.
    """

    cachable = False

    def __init__(self, files: Any) -> None:
        super().__init__()
        self._files = files
        self.protocol = files.protocol

    def glob(self, path: str, **_: Any) -> list[str]:
        """Return the name itself."""
        return [path]

    def open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        """Open a file; it reads ahead by little, since Parquet is read in places."""
        return self._files.open(path, mode, cache_type="readahead", block_size=_BLOCK_BYTES)

    def exists(self, path: str, **_: Any) -> bool:
        """Return whether there is such a file."""
        return bool(self._files.exists(path))

    def isdir(self, path: str) -> bool:
        """Return whether there is such a folder."""
        return bool(self._files.isdir(path))

    def size(self, path: str) -> int:
        """Return a file's bytes."""
        return int(self._files.size(path))

    def modified(self, path: str) -> Any:
        """Return when a file was written."""
        return self._files.modified(path)

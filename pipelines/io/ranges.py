"""Ranges: an object that is read in places, each read one request of exactly that range."""

from __future__ import annotations

import errno
import io
import os
from typing import Any


class Ranges(io.RawIOBase):
    """An object of an fsspec filesystem as a file; where its size is known, opening it asks the store for nothing.

    Args:
        fs: the filesystem.
        key: the object's path in it.
        size: its bytes.
    """

    def __init__(self, fs: Any, key: str, size: int) -> None:
        super().__init__()
        self._fs = fs
        self._key = key
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the place of the next read."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the place of the next read."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from here on, as far as the object goes; what a short answer lacks is asked for again.

        Raises:
            OSError: the object does not go as far as its size.
        """
        done, size = 0, max(min(len(buffer), self._size - self._at), 0)
        while done < size:
            start, end = self._at + done, self._at + size
            payload = self._fs.cat_file(self._key, start=start, end=end)
            if not 0 < len(payload) <= size - done:
                raise OSError(errno.EIO, f"bytes {start:,} to {end:,}: the store gave {len(payload):,} of them")
            buffer[done : done + len(payload)] = payload
            done += len(payload)
        self._at += size
        return size

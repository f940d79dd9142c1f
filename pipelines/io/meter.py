"""Meter: a raw object's stream that counts the bytes read, here and for the progress bar of this process."""

from __future__ import annotations

import io
from types import TracebackType
from typing import BinaryIO

from pipelines.io.progress import advance


class Meter(io.RawIOBase):
    """Wraps a stream; ``bytes`` is how many stored bytes were read."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        """Read as the stream does."""
        block = self._stream.read(size)
        self.bytes += len(block)
        advance(len(block))
        return block

    def readable(self) -> bool:
        """Return True."""
        return True

    def __enter__(self) -> Meter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self.close()

"""Meter: a raw object's stream that counts the bytes read, here and for the progress bar of this process."""

from __future__ import annotations

from types import TracebackType
from typing import BinaryIO, Self

from pipelines.io.places import explained
from pipelines.io.progress import advance
from schemas.errors import InputError


class Meter:
    """Wraps a stream, and closes it; ``bytes`` is how many stored bytes were read.

    Args:
        uri: names the object where reading fails.
    """

    def __init__(self, stream: BinaryIO, uri: str) -> None:
        self._stream = stream
        self._uri = uri
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        """Read as the stream does.

        Raises:
            InputError: the storage fails in the middle of the object.
        """
        with explained(self._uri, InputError):
            block = self._stream.read(size)
        self.bytes += len(block)
        advance(len(block))
        return block

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

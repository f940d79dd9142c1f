"""Meter: a raw object's stream, as long as its plan says, with the digest and the number of the bytes read."""

from __future__ import annotations

import hashlib
from types import TracebackType
from typing import BinaryIO, Final, Self

from pipelines.io.places import explained
from pipelines.io.progress import advance
from schemas.errors import InputError
from schemas.records import Source

_BLOCK: Final = 1 << 20


class Meter:
    """Wraps a stream, and closes it; ``bytes`` is how many stored bytes were read.

    An object that has grown since it was planned ends where it ended then: the same plan reads the same bytes.
    """

    def __init__(self, stream: BinaryIO, source: Source) -> None:
        self._stream = stream
        self._source = source
        self._digest = hashlib.sha256()
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        """Read as the stream does.

        Raises:
            InputError: the storage fails in the middle of the object, or has less of it than was planned.
        """
        left = self._source.size - self.bytes
        with explained(self._source.uri, InputError):
            block = self._stream.read(left if size < 0 else min(size, left))
        if left and not block:
            raise InputError(
                f"{self._source.uri}: ends after {self.bytes:,} of {self._source.size:,} bytes, it changed while it "
                "was read; nothing is committed, run the same command again"
            )
        self.bytes += len(block)
        self._digest.update(block)
        advance(len(block))
        return block

    def drain(self) -> None:
        """Read what nobody asked for, so that the digest is that of all bytes."""
        while self.read(_BLOCK):
            pass

    def digest(self) -> str:
        """Return the SHA-256 of what was read, in hex."""
        return self._digest.hexdigest()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

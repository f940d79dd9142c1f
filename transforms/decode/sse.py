"""A capture of a server-sent event stream becomes records.

Source: the HTML standard, "Interpreting an event stream": lines end with LF, CRLF or CR; the data lines of a block are
joined by LF; a blank line ends the block; a line that is no known field is ignored. Here the block at the end of the
object counts too, since captures are cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.errors import DecodeError
from schemas.records import DeadLetter, Record
from transforms.decode.reader import Reader

_DONE: Final = b"[DONE]"


class SseReader:
    """Reads the lines of one capture in order.

    Args:
        reader: makes the records.
        max_bytes: of the data of one block.
    """

    def __init__(self, reader: Reader, max_bytes: int) -> None:
        self._reader = reader
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._offset = 0

    @property
    def begun(self) -> int | None:
        """The offset of the block that no blank line has ended yet."""
        return self._offset if self._size else None

    def lines(self, lines: list[bytes], offset: int) -> Iterator[Record | DeadLetter]:
        """Yield what the blocks that end in these LF-ended lines carry; `offset` is where the first line begins."""
        for line in lines:
            at = offset
            for part in line.removesuffix(b"\r").split(b"\r"):
                yield from self._line(part, at)
                at += len(part) + 1
            offset += len(line) + 1

    def close(self) -> Iterator[Record | DeadLetter]:
        """Yield what the last block carries, which no blank line ends."""
        yield from self._block()

    def _line(self, line: bytes, offset: int) -> Iterator[Record | DeadLetter]:
        if not line:
            yield from self._block()
        elif line.startswith(b"data:"):
            self._add(line[5:].removeprefix(b" "), offset)
        elif line.startswith((b"{", b"[")):
            error = DecodeError("sse_framing", "JSON outside of a data field")
            yield self._reader.general.dead(offset, len(line), error)

    def _add(self, value: bytes, offset: int) -> None:
        if not self._size:
            self._offset = offset
        self._size += len(value) + 1
        if self._size > self._max_bytes:
            self._parts.clear()
        else:
            self._parts.append(value)

    def _block(self) -> Iterator[Record | DeadLetter]:
        payload, size = b"\n".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size > self._max_bytes:
            error = DecodeError("too_large", f"more than {self._max_bytes} bytes of data in one block")
            yield self._reader.general.dead(self._offset, size, error)
        elif payload.strip() != _DONE:
            yield from self._reader.one(payload, self._offset)

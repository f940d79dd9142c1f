r"""Blocks become lines: whole ones in batches, then what is left at the end.

::

    blocks   |{..}\n{..}\n{.|.}\n{..}\n{..|
    pieces   Lines(0, [{..}, {..}])  Lines(8, [{..}, {..}])  Tail(16, {..)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from schemas.errors import DecodeError


class Lines(msgspec.Struct, frozen=True):
    """Lines that end with a newline, which is not part of them; `offset` is the byte where the first begins."""

    offset: int
    lines: list[bytes]


class Tail(msgspec.Struct, frozen=True):
    """The last line of an object that does not end with a newline."""

    offset: int
    line: bytes


class Oversize(msgspec.Struct, frozen=True):
    """A line beyond the limit, which was read past."""

    offset: int
    size: int


class Damage(msgspec.Struct, frozen=True):
    """The object cannot be read on: `size` bytes of a line were there."""

    offset: int
    size: int
    error: DecodeError


Piece: TypeAlias = Lines | Tail | Oversize | Damage


def split_lines(blocks: Iterable[bytes], max_bytes: int) -> Iterator[Piece]:
    """Yield the pieces of an object in order; together they cover every byte.

    Args:
        blocks: may raise DecodeError after the last one.
        max_bytes: of a line; no more than this and two blocks is held.
    """
    offset = 0
    open_line = _OpenLine(max_bytes)
    try:
        for block in blocks:
            head, newline, rest = block.partition(b"\n")
            open_line.add(head)
            if not newline:
                continue
            yield from open_line.close(offset)
            offset += open_line.size + 1
            whole, newline, tail = rest.rpartition(b"\n")
            if newline:
                lines = whole.split(b"\n")
                yield from [Lines(offset, lines)] if len(whole) <= max_bytes else _checked(offset, lines, max_bytes)
                offset += len(whole) + 1
            open_line.restart(tail)
    except DecodeError as error:
        yield Damage(offset, open_line.size, error)
        return
    if open_line.size > max_bytes:
        yield Oversize(offset, open_line.size)
    elif open_line.size:
        yield Tail(offset, open_line.text())


class _OpenLine:
    """A line that blocks are still adding to; text beyond the limit is counted and let go."""

    def __init__(self, max_bytes: int) -> None:
        self.size = 0
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []

    def add(self, part: bytes) -> None:
        self.size += len(part)
        if self.size > self._max_bytes:
            self._parts.clear()
        else:
            self._parts.append(part)

    def restart(self, part: bytes) -> None:
        self.size = 0
        self._parts.clear()
        self.add(part)

    def text(self) -> bytes:
        return b"".join(self._parts)

    def close(self, offset: int) -> Iterator[Piece]:
        if self.size > self._max_bytes:
            yield Oversize(offset, self.size)
        else:
            yield Lines(offset, [self.text()])


def _checked(offset: int, lines: list[bytes], max_bytes: int) -> Iterator[Piece]:
    if max(map(len, lines)) <= max_bytes:
        yield Lines(offset, lines)
        return
    for line in lines:
        yield Lines(offset, [line]) if len(line) <= max_bytes else Oversize(offset, len(line))
        offset += len(line) + 1

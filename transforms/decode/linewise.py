"""An object that is read line by line becomes records, and dead letters for the lines that are lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from schemas.errors import DecodeError
from schemas.records import REASONS, DeadLetter
from transforms.decode.limits import Limits
from transforms.decode.lines import Damage, Lines, Oversize, Tail, split_lines
from transforms.decode.reach import Reach
from transforms.decode.reader import Found, Reader
from transforms.decode.sse import SseReader

_TORN_LOOKS: Final = frozenset({"not_json", "bad_utf8"})


def read_lines(
    reader: Reader, blocks: Iterator[bytes], limits: Limits, reach: Reach | None = None
) -> Iterator[list[Found]]:
    """Yield the records of an object with one JSON text a line, block by block."""
    reach = reach or Reach()
    reach.end = 0
    for piece in split_lines(reach.blocks(blocks), limits.line):
        reach.enter(piece.offset)
        if isinstance(piece, Lines):
            reach.end = _end_of(piece)
            yield reader.lines(piece.lines, piece.offset)
        elif isinstance(piece, Tail):
            found = [_torn(one) for one in reader.one(piece.line, piece.offset)]
            reach.end = piece.offset + (0 if _is_torn(found) else len(piece.line))
            yield found
        else:
            reach.end = piece.offset + (piece.size if isinstance(piece, Oversize) else 0)
            yield [_lost(reader, piece, limits)]


def read_sse(
    reader: Reader, blocks: Iterator[bytes], limits: Limits, reach: Reach | None = None
) -> Iterator[list[Found]]:
    """Yield the records of a capture of server-sent events, block by block."""
    reach = reach or Reach()
    reach.end = 0
    capture = SseReader(reader, limits.line)
    for piece in split_lines(reach.blocks(blocks), limits.line):
        reach.enter(piece.offset)
        reach.end = piece.offset
        if isinstance(piece, Lines):
            reach.end = _end_of(piece)
            yield list(capture.lines(piece.lines, piece.offset))
        elif isinstance(piece, Tail):
            yield [_torn(found) for found in capture.lines([piece.line], piece.offset)]
        else:
            yield [_lost(reader, piece, limits)]
    begun = capture.begun
    last = [_torn(found) for found in capture.close()]
    if begun is not None:
        reach.enter(begun)
        reach.end = begun if _is_torn(last) or not last else max(reach.end, begun + 1)
    yield last


def _end_of(piece: Lines) -> int:
    return piece.offset + sum(map(len, piece.lines)) + len(piece.lines)


def _is_torn(found: list[Found]) -> bool:
    return any(isinstance(one, DeadLetter) and one.reason == "torn" for one in found)


def _lost(reader: Reader, piece: Oversize | Damage, limits: Limits) -> DeadLetter:
    if isinstance(piece, Damage):
        return reader.general.dead(piece.offset, piece.size, piece.error)
    error = DecodeError("too_large", f"a line of more than {limits.line} bytes")
    return reader.general.dead(piece.offset, piece.size, error)


def _torn(found: Found) -> Found:
    """Say of a last line that is no JSON that the object ends in its middle."""
    if isinstance(found, DeadLetter) and found.reason in _TORN_LOOKS:
        return replace(found, reason="torn", detail=REASONS["torn"])
    return found

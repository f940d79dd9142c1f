"""An object that is read line by line becomes records, and dead letters for the lines that are lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from schemas.errors import DecodeError
from schemas.records import REASONS, DeadLetter
from transforms.decode.limits import Limits
from transforms.decode.lines import Damage, Lines, Oversize, Tail, split_lines
from transforms.decode.reader import Found, Reader
from transforms.decode.sse import SseReader

_TORN_LOOKS: Final = frozenset({"not_json", "bad_utf8"})


def read_lines(reader: Reader, blocks: Iterator[bytes], limits: Limits) -> Iterator[list[Found]]:
    """Yield the records of an object with one JSON text a line, block by block."""
    for piece in split_lines(blocks, limits.line):
        if isinstance(piece, Lines):
            yield reader.lines(piece.lines, piece.offset)
        elif isinstance(piece, Tail):
            yield [_torn(found) for found in reader.one(piece.line, piece.offset)]
        else:
            yield [_lost(reader, piece, limits)]


def read_sse(reader: Reader, blocks: Iterator[bytes], limits: Limits) -> Iterator[list[Found]]:
    """Yield the records of a capture of server-sent events, block by block."""
    capture = SseReader(reader, limits.line)
    for piece in split_lines(blocks, limits.line):
        if isinstance(piece, Lines):
            yield list(capture.lines(piece.lines, piece.offset))
        elif isinstance(piece, Tail):
            yield [_torn(found) for found in capture.lines([piece.line], piece.offset)]
        else:
            yield [_lost(reader, piece, limits)]
    yield [_torn(found) for found in capture.close()]


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

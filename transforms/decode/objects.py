"""One raw object becomes records and dead letters, whatever form it has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from schemas.errors import DecodeError
from schemas.records import REASONS, DeadLetter, Record, Source
from transforms.decode.blocks import Readable, plain_blocks
from transforms.decode.copilotkit import read_sqlite
from transforms.decode.documents import collect, not_a_log, read_array, read_document
from transforms.decode.forms import HEAD_BYTES, Form, form_of
from transforms.decode.limits import Limits
from transforms.decode.lines import Damage, Lines, Oversize, Tail, split_lines
from transforms.decode.reader import Reader
from transforms.decode.sse import SseReader

_BOM: Final = b"\xef\xbb\xbf"
_TORN_LOOKS: Final = frozenset({"not_json", "bad_utf8"})


def decode_object(stream: Readable, source: Source, limits: Limits | None = None) -> Iterator[Record | DeadLetter]:
    """Yield the records of one object in the order they lie in, and a dead letter for each that is none.

    The form is told by content: gzip or zstd around NDJSON, a JSON array, an SSE capture, exports, run rows, or a
    CopilotKit sqlite file. Never raises for content.

    Args:
        stream: read to its end, not closed.
    """
    limits = limits or Limits()
    reader = Reader(source)
    beginning = _begin(plain_blocks(stream, limits.block), limits)
    form = form_of(beginning.head, is_whole=beginning.is_whole)
    if form is Form.LINES:
        yield from _read_lines(reader, beginning.blocks, limits)
    elif form is Form.SSE:
        yield from _read_sse(reader, beginning.blocks, limits)
    elif form is Form.UNKNOWN:
        yield reader.general.dead(0, source.size, not_a_log())
    elif form is not Form.EMPTY:
        yield from _READ_WHOLE[form](reader, collect(beginning.blocks, limits.document))


class _Beginning(Struct):
    """The first bytes of an object, and all its blocks, these included."""

    head: bytes
    is_whole: bool
    blocks: Iterator[bytes]


def _begin(blocks: Iterator[bytes], limits: Limits) -> _Beginning:
    """Read up to the first newline, and far enough to tell the form."""
    parts: list[bytes] = []
    size = 0
    has_newline = False
    try:
        for block in blocks:
            parts.append(block)
            size += len(block)
            has_newline = has_newline or b"\n" in block
            if size >= HEAD_BYTES and (has_newline or size > limits.line):
                return _Beginning(b"".join(parts), is_whole=False, blocks=chain(parts, blocks))
    except DecodeError as error:
        return _Beginning(b"".join(parts), is_whole=False, blocks=_failing(parts, error))
    return _Beginning(b"".join(parts), is_whole=True, blocks=iter(parts))


def _failing(parts: list[bytes], error: DecodeError) -> Iterator[bytes]:
    yield from parts
    raise error


def _read_lines(reader: Reader, blocks: Iterator[bytes], limits: Limits) -> Iterator[Record | DeadLetter]:
    for piece in split_lines(_without_bom(blocks), limits.line):
        if isinstance(piece, Lines):
            yield from reader.lines(piece.lines, piece.offset)
        elif isinstance(piece, Tail):
            yield from map(_torn, reader.one(piece.line, piece.offset))
        else:
            yield _lost(reader, piece, limits)


def _read_sse(reader: Reader, blocks: Iterator[bytes], limits: Limits) -> Iterator[Record | DeadLetter]:
    capture = SseReader(reader, limits.line)
    for piece in split_lines(_without_bom(blocks), limits.line):
        if isinstance(piece, Lines):
            yield from capture.lines(piece.lines, piece.offset)
        elif isinstance(piece, Tail):
            yield from map(_torn, capture.lines([piece.line], piece.offset))
        else:
            yield _lost(reader, piece, limits)
    yield from map(_torn, capture.close())


def _without_bom(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blank a byte order mark, so that offsets stay those of the object."""
    for block in blocks:
        yield b"   " + block[3:] if block.startswith(_BOM) else block
        break
    yield from blocks


def _lost(reader: Reader, piece: Oversize | Damage, limits: Limits) -> DeadLetter:
    if isinstance(piece, Damage):
        return reader.general.dead(piece.offset, piece.size, piece.error)
    error = DecodeError("too_large", f"a line of more than {limits.line} bytes")
    return reader.general.dead(piece.offset, piece.size, error)


def _torn(found: Record | DeadLetter) -> Record | DeadLetter:
    """Say of a last line that is no JSON that the object ends in its middle."""
    if isinstance(found, DeadLetter) and found.reason in _TORN_LOOKS:
        return replace(found, reason="torn", detail=REASONS["torn"])
    return found


_READ_WHOLE: Final = {Form.ARRAY: read_array, Form.DOCUMENT: read_document, Form.SQLITE: read_sqlite}

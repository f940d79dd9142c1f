"""One raw object becomes records and dead letters, whatever form it has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from msgspec import Struct

from schemas.errors import DecodeError
from schemas.records import DeadLetter, Record, Source
from transforms.decode.barren import sift
from transforms.decode.blocks import Readable, plain_blocks
from transforms.decode.copilotkit import read_sqlite
from transforms.decode.documents import collect, not_a_log, read_array, read_document
from transforms.decode.forms import HEAD_BYTES, Form, form_of
from transforms.decode.limits import Limits
from transforms.decode.linewise import read_lines, read_sse
from transforms.decode.reach import Reach
from transforms.decode.reader import Found, Reader

_BATCH_RECORDS: Final = 1_000
_BOM: Final = b"\xef\xbb\xbf"


def decode_object(stream: Readable, source: Source, limits: Limits | None = None) -> Iterator[Record | DeadLetter]:
    """Yield the records of one object in the order they lie in, and a dead letter for each that is none.

    The form is told by content: gzip or zstd around NDJSON, a JSON array, an SSE capture, exports, run rows, or a
    CopilotKit sqlite file. Never raises for content.

    Args:
        stream: read to its end, not closed.
    """
    for batch in decode_batches(stream, source, limits):
        yield from batch


def decode_batches(
    stream: Readable, source: Source, limits: Limits | None = None, reach: Reach | None = None
) -> Iterator[list[Found]]:
    """Yield what `decode_object` does, in lists as it comes from the blocks of the object.

    Args:
        reach: is told how far the object was read. Only what is read by lines is ever read on from where it was left.
    """
    return sift(_batches(stream, source, limits or Limits(), Reach() if reach is None else reach))


def _batches(stream: Readable, source: Source, limits: Limits, reach: Reach) -> Iterator[list[Found]]:
    reader = Reader(source)
    beginning = _begin(plain_blocks(stream, limits), limits)
    form = form_of(beginning.head, is_whole=beginning.is_whole)
    if form is Form.LINES:
        yield from read_lines(reader, beginning.blocks, limits, reach)
    elif form is Form.SSE:
        yield from read_sse(reader, beginning.blocks, limits, reach)
    elif form in (Form.UNKNOWN, Form.EMPTY):
        reach.end = 0
        if form is Form.EMPTY:
            return
        yield [reader.general.dead(0, source.size, not_a_log())]
    else:
        reach.enter(0)
        found = _READ_WHOLE[form](reader, collect(beginning.blocks, limits.document), limits)
        while batch := list(islice(found, _BATCH_RECORDS)):
            yield batch


class _Beginning(Struct):
    """The first bytes of an object, and all its blocks, these included."""

    head: bytes
    is_whole: bool
    blocks: Iterator[bytes]


def _begin(blocks: Iterator[bytes], limits: Limits) -> _Beginning:
    """Read up to the first newline, and far enough to tell the form."""
    parts: list[bytes] = []
    size = 0
    has_text = has_newline = False
    try:
        for block in blocks:
            parts.append(block)
            size += len(block)
            has_newline = has_newline or b"\n" in (block if has_text else block.lstrip())
            has_text = has_text or not block.isspace()
            if size >= HEAD_BYTES and (has_newline or size > limits.line):
                head = _without_mark(parts)
                return _Beginning(head, is_whole=False, blocks=chain([head], blocks))
    except DecodeError as error:
        head = _without_mark(parts)
        return _Beginning(head, is_whole=False, blocks=_failing(head, error))
    head = _without_mark(parts)
    return _Beginning(head, is_whole=True, blocks=iter([head]))


def _without_mark(parts: list[bytes]) -> bytes:
    """Return the beginning of an object, a byte order mark made blank so that offsets stay those of the object."""
    head = b"".join(parts)
    return b" " * len(_BOM) + head[len(_BOM) :] if head.startswith(_BOM) else head


def _failing(head: bytes, error: DecodeError) -> Iterator[bytes]:
    yield head
    raise error


_READ_WHOLE: Final = {Form.ARRAY: read_array, Form.DOCUMENT: read_document, Form.SQLITE: read_sqlite}

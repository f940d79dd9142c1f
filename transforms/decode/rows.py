"""One JSON object of a log becomes records: an event, an envelope, a run with its events, or an export of a thread.

What tells them apart, in this order: a string ``type``; an ``event``; ``events``; ``messages`` or ``state``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.errors import DecodeError
from schemas.records import Attachment, DeadLetter, Record
from transforms import jsontext
from transforms.decode.exports import export_events
from transforms.decode.general import (
    Around,
    GeneralReader,
    around_of,
    first_value,
    id_of,
    inner_text,
)
from transforms.decode.spans import Fields, split_array, split_object

ROW_STRIDE: Final = 1_000_000
"""An event of a row has the offset ``row * ROW_STRIDE + index``, where `row` is the offset of the row itself."""

_BOM: Final = b"\xef\xbb\xbf"


def read_object(general: GeneralReader, line: bytes, offset: int) -> Iterator[Record | DeadLetter]:
    """Yield what one JSON text holds; nothing for a blank one."""
    text = line.removeprefix(_BOM).strip(b" \t\r\n")
    if not text:
        return
    try:
        fields = split_object(text)
        if first_is_text(fields, "type"):
            yield general.event(text, Around(), offset)
        elif fields.get("event", b"").startswith((b"{", b'"')):
            yield general.envelope(fields, offset)
        elif is_row(fields):
            yield from read_row(general, fields, offset, len(line))
        else:
            raise DecodeError("no_type", "an object without a string `type`")
    except DecodeError as error:
        yield general.dead(offset, len(line), error)


def is_row(fields: Fields) -> bool:
    """Tell a run with its events or an export of a thread."""
    return "events" in fields or "messages" in fields or "state" in fields


def first_is_text(fields: Fields, name: str) -> bool:
    """Tell whether a value is a JSON string."""
    return fields.get(name, b"").startswith(b'"')


def read_row(general: GeneralReader, fields: Fields, row: int, size: int) -> Iterator[Record | DeadLetter]:
    """Yield the records of one run row or export.

    Args:
        row: its offset; 0 for an object that is one export.
        size: its bytes.

    Raises:
        DecodeError: an id of the row is none.
    """
    around = _around_row(fields)
    general.places.enter_row(around.thread, around.run)
    events = row_texts(fields, "events") if "events" in fields else export_events(fields)
    offset = row * ROW_STRIDE
    try:
        for text in events:
            try:
                yield general.event(text, around, offset)
            except DecodeError as error:
                yield general.dead(offset, len(text), error)
            else:
                around = Around(around.thread, around.run, around.who, None, None, around.at_us)
            offset += 1
    except DecodeError as error:
        yield general.dead(offset, size, error)


def row_texts(fields: Fields, name: str) -> Iterator[bytes]:
    """Yield the elements of an array that may be written as a string.

    Raises:
        DecodeError: it is no array.
    """
    text = fields[name]
    if text.startswith(b'"'):
        text = inner_text(text)
    if not text.startswith(b"["):
        raise DecodeError("not_object", f"`{name}` is no array")
    return split_array(text)


def _around_row(fields: Fields) -> Around:
    around = around_of(fields)
    given = around.attachment or Attachment()
    attachment = Attachment(
        input=given.input,
        store_parent_run_id=id_of(fields, "parentRunId", "parent_run_id"),
        created_us=around.at_us,
        violations=tuple(_violations(fields)),
        is_run_start=around.run is not None or "events" not in fields,
    )
    return Around(around.thread, around.run, around.who, None, None, around.at_us, attachment)


def _violations(fields: Fields) -> Iterator[str]:
    if first_value(fields, "truncated"):
        yield "truncated"
    if first_value(fields, "decodeErrorRowIds"):
        yield "decode_errors"
    if first_value(fields, "skippedDeltas"):
        yield "skipped_deltas"
    if first_value(fields, "kind") == "snapshot-decode-error":
        yield "decode_errors"

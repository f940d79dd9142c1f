"""One JSON object of a log becomes records: an event, an envelope, a run with its events, or an export of a thread.

What tells them apart, in this order: a string ``type``; an ``event``; ``events``; ``messages`` or ``state``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from schemas.errors import DecodeError
from schemas.records import Attachment, DeadLetter, Record
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
        if fields.get("type", b"").startswith(b'"'):
            yield general.event(text, Around(), offset)
        elif fields.get("event", b"").startswith((b"{", b'"')):
            record = general.envelope(fields, offset)
            record.size = len(line)
            yield record
        elif is_row(fields):
            yield from read_row(general, fields, offset, len(line))
        else:
            yield general.dead(offset, len(line), DecodeError("no_type", "an object without a string `type`"))
    except DecodeError as error:
        yield general.dead(offset, len(line), error)


def is_row(fields: Fields) -> bool:
    """Tell a run with its events or an export of a thread."""
    return "events" in fields or "messages" in fields or "state" in fields


def read_row(general: GeneralReader, fields: Fields, row: int, size: int) -> Iterator[Record | DeadLetter]:
    """Yield the records of one run row or export.

    Args:
        general: makes the records.
        fields: of the row.
        row: its offset; 0 for an object that is one export.
        size: its bytes.

    Raises:
        DecodeError: an id of the row is none.
    """
    around = _around_row(fields)
    if "events" not in fields:
        return _read_texts(general, export_events(fields), around, row, size)
    events = fields["events"]
    return read_events(general, inner_text(events) if events.startswith(b'"') else events, around, row, size)


def read_events(
    general: GeneralReader, events: bytes, around: Around, row: int, size: int
) -> Iterator[Record | DeadLetter]:
    """Yield the records of one run whose events are a JSON array; what is around them goes with the first record."""
    if events.startswith(b"["):
        return _read_texts(general, split_array(events), around, row, size)
    return iter([general.dead(row * ROW_STRIDE, size, DecodeError("not_object", "`events` is no array"))])


def _read_texts(
    general: GeneralReader, events: Iterator[bytes], around: Around, row: int, size: int
) -> Iterator[Record | DeadLetter]:
    general.places.enter_row(around.thread, around.run)
    offset = row * ROW_STRIDE
    try:
        for text in events:
            try:
                yield general.event(text, around, offset)
            except DecodeError as error:
                yield general.dead(offset, len(text), error)
            else:
                around = replace(around, attachment=None)
            offset += 1
    except DecodeError as error:
        yield general.dead(offset, size, error)
    general.places.leave_row()


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
    return Around(around.thread, around.run, around.who, ended_us=around.at_us, attachment=attachment)


def _violations(fields: Fields) -> Iterator[str]:
    if first_value(fields, "truncated"):
        yield "truncated"
    if first_value(fields, "decodeErrorRowIds"):
        yield "decode_errors"
    if first_value(fields, "skippedDeltas"):
        yield "skipped_deltas"
    if first_value(fields, "kind") == "snapshot-decode-error":
        yield "decode_errors"

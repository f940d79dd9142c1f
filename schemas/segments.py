"""Segments: one file's part of one thread, pre-compacted, as it travels between the workers."""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.records import Attachment, Owner

SILENCE_US: Final = 48 * 3600 * 1_000_000
"""Log time without an event after which a run counts as abandoned; deltas so far apart are never joined."""


class Item(msgspec.Struct, array_like=True, gc=False):
    """One event of a segment, or a run of adjacent text deltas joined to one.

    Args:
        offset: of the first record, in the source; decides order where no seq does.
        seq: of the first record.
        count: records that were joined; their seqs are neighbours.
        cuts: length of each delta, so that joined ones can be taken apart again where a redelivery overlaps.
        event: the event's JSON without what the RAW policy took and without messages that ``refs`` names; None for a
            delta, and for a RAW event that the policy dropped.
        refs: the event's messages (of input or snapshot), as indexes into the segment's ``messages``.
        size: bytes of the raw records, envelopes included.
        raw_bytes: bytes of RAW events and rawEvent keys among them; ``raw_events`` is their number.
        usage: JSON array of token usage that was taken from what the policy dropped.
    """

    type: str
    run_id: str | None
    offset: int
    size: int
    seq: int | None = None
    count: int = 1
    target: str | None = None
    text: str | None = None
    cuts: list[int] | None = None
    event: bytes | None = None
    refs: list[int] | None = None
    event_id: str | None = None
    first_us: int | None = None
    last_us: int | None = None
    time_source: str | None = None
    raw_events: int = 0
    raw_bytes: int = 0
    usage: bytes | None = None
    attachment: Attachment | None = None
    input_refs: list[int] | None = None


class Segment(msgspec.Struct, array_like=True):
    """One source's part of one thread, in the source's order. Segments of a thread merge in any order.

    Args:
        uri, source: the raw object, and its index in the plan.
        first, last: offsets of the first and last record.
        messages: JSON of the messages that the items' ``refs`` name, each once.
        fallback_us: time of the object, for events without one; ``fallback_source`` is ``path`` or ``object``.
        is_old: an earlier night has read these records; those of runs that were open then are wanted again.
    """

    thread_id: str
    owner: Owner
    uri: str
    source: int
    first: int
    last: int
    items: list[Item]
    messages: list[bytes]
    fallback_us: int | None = None
    fallback_source: str | None = None
    is_old: bool = False

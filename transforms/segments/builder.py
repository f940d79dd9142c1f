"""Segments: the records of one object become, for each thread, items whose text deltas are joined.

Only neighbours are joined: records that follow each other in their thread, by position where there is no seq and by seq
(exactly one apart) where there is. What a joined item held can be taken apart again by its ``cuts``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.events import DELTA_TARGETS
from schemas.records import DeadLetter, Owner, Record, Source
from schemas.segments import SILENCE_US, Item, Segment
from transforms import jsontext
from transforms.jsontext import is_text
from transforms.segments.messagetable import MessageTable
from transforms.segments.rawpolicy import RawPolicy, Taken

MAX_SEGMENT_BYTES: Final = 4 << 20
"""Raw event bytes after which a thread's segment is cut; keeps an element of the pipeline far below 8 MiB."""

_MAY_HOLD_MESSAGES: Final = frozenset({"RUN_STARTED", "MESSAGES_SNAPSHOT"})


class SegmentBuilder:
    """Collects the records of one object by thread.

    Args:
        source: the object.
        policy: what becomes of RAW events and rawEvent keys.
        fallback: time of the object (UTC µs) and where it is from, ``path`` or ``object``.
    """

    def __init__(self, source: Source, policy: RawPolicy, fallback: tuple[int | None, str | None]) -> None:
        self._source = source
        self._policy = policy
        self._fallback = fallback
        self._threads: dict[str, _Thread] = {}
        self._others: dict[tuple[str, Owner], _Thread] = {}
        self._is_old = bool(source.stops)

    def add_all(self, records: list[Record | DeadLetter]) -> tuple[list[Segment], list[DeadLetter]]:
        """Take in records; return the segments of threads that have grown to the limit, and the dead letters met."""
        cut: list[Segment] = []
        letters: list[DeadLetter] = []
        threads = self._threads
        for record in records:
            if isinstance(record, DeadLetter):
                letters.append(record)
                continue
            thread = threads.get(record.thread_id)
            if thread is None or thread.owner is not record.owner:
                thread = self._other_thread(record)
            text = record.delta
            if text is None:
                self._add_event(thread, record)
            elif not is_text(text):
                thread.add_half(record, text)
            elif not thread.grow(record, text):
                thread.start_delta(record, record.target, text)
            if thread.weight >= MAX_SEGMENT_BYTES or thread.size >= MAX_SEGMENT_BYTES:
                cut.append(self._cut(thread))
        return cut, letters

    def finish(self) -> Iterator[Segment]:
        """Yield what is left, by thread in the order of first record."""
        for thread in [*self._threads.values(), *self._others.values()]:
            if thread.items:
                yield self._cut(thread)

    def _other_thread(self, record: Record) -> _Thread:
        """Return the thread of a record that comes first, or whose owner is not that of the thread's first record."""
        thread = self._threads.setdefault(record.thread_id, _Thread(record.thread_id, record.owner))
        if thread.owner == record.owner:
            return thread
        return self._others.setdefault((record.thread_id, record.owner), _Thread(record.thread_id, record.owner))

    def _add_event(self, thread: _Thread, record: Record) -> None:
        taken = self._policy.apply(record.type, record.event or b"{}")
        if taken.delta is not None and is_text(taken.delta):
            thread.add_stripped(record, taken, taken.delta)
            return
        event, refs, input_refs, attachment = taken.event, None, None, record.attachment
        before = thread.table.size
        if event is not None and record.type in _MAY_HOLD_MESSAGES:
            event, refs = thread.table.take(record.type, event)
        if attachment is not None and attachment.input is not None:
            attachment, input_refs = thread.table.take_attachment(attachment)
        item = _item(record)
        item.event, item.refs, item.input_refs, item.attachment = event, refs, input_refs, attachment
        item.raw_events, item.raw_bytes, item.usage = taken.raw_events, taken.raw_bytes, taken.usage
        given = attachment.input if attachment is not None else None
        thread.add_item(item, 200 + len(event or b"") + len(given or b"") + thread.table.size - before)

    def begin_part(self, *, is_old: bool) -> Iterator[Segment]:
        """Yield what there is; nothing that follows is joined to it.

        Args:
            is_old: an earlier night has read what follows.
        """
        yield from self.finish()
        self._is_old = is_old

    def _cut(self, thread: _Thread) -> Segment:
        items, messages = thread.take_all()
        moment, origin = self._fallback
        return Segment(
            thread_id=thread.thread_id,
            owner=thread.owner,
            uri=self._source.uri,
            source=self._source.index,
            first=items[0].offset,
            last=items[-1].offset,
            items=items,
            messages=messages,
            fallback_us=moment,
            fallback_source=origin,
            is_old=self._is_old,
        )


class _Thread:
    """The open segment of one thread: its items, and the delta that may still grow.

    What grows with every delta is kept here and written into the item once, when something else follows.
    """

    __slots__ = (
        "cuts",
        "items",
        "last_us",
        "next_seq",
        "owner",
        "size",
        "table",
        "tail",
        "texts",
        "thread_id",
        "weight",
    )

    def __init__(self, thread_id: str, owner: Owner) -> None:
        self.thread_id = thread_id
        self.owner = owner
        self.items: list[Item] = []
        self.table = MessageTable()
        self.tail: Item | None = None
        self.texts: list[str] = []
        self.cuts: list[int] = []
        self.next_seq: int | None = None
        self.last_us: int | None = None
        self.size = 0
        self.weight = 0

    def grow(self, record: Record, text: str) -> bool:
        """Append a delta to the open one; return False where it does not follow on."""
        tail, seq = self.tail, record.seq
        if (
            tail is None
            or seq != self.next_seq
            or record.target != tail.target
            or record.type != tail.type
            or record.run_id != tail.run_id
            or record.event_id is not None
            or record.attachment is not None
            or (record.at_us is not None and self.last_us is not None and record.at_us - self.last_us >= SILENCE_US)
        ):
            return False
        self.texts.append(text)
        self.take_in(record, text)
        return True

    def take_in(self, record: Record, text: str) -> None:
        """Count what a delta brings besides its text."""
        self.size += record.size
        self.last_us = record.at_us if record.last_us is None else record.last_us
        self.next_seq = None if record.seq is None else record.seq + record.count
        self.cuts += [len(text)] if record.cuts is None else record.cuts

    def start_delta(self, record: Record, target: str | None, text: str) -> None:
        """Open a new delta."""
        if target is not None and not is_text(target):
            self.add_half(record, text)
            return
        item = _item(record)
        item.target = target
        item.attachment = record.attachment
        self.add_item(item, 100)
        self.texts, self.cuts, self.size = [text], [], 0
        self.take_in(record, text)
        self.tail = item
        if record.event_id is not None:
            self.close_tail()

    def add_half(self, record: Record, text: str) -> None:
        """Add a delta with half of a surrogate pair, as its JSON: no encoding between workers holds it as text."""
        item = _item(record)
        event = {"type": record.type, DELTA_TARGETS[record.type]: record.target, "delta": text}
        item.event = jsontext.dumps(event).encode()
        item.attachment = record.attachment
        self.add_item(item, len(text))

    def add_stripped(self, record: Record, taken: Taken, text: str) -> None:
        """Append or open a delta that the RAW policy made plain."""
        record.target, record.delta, record.event = taken.target, text, None
        if not self.grow(record, text):
            self.start_delta(record, taken.target, text)
        item = self.items[-1]
        item.raw_events += taken.raw_events
        item.raw_bytes += taken.raw_bytes

    def add_item(self, item: Item, weight: int) -> None:
        """Add an item that is whole."""
        self.close_tail()
        self.items.append(item)
        self.weight += weight

    def take_all(self) -> tuple[list[Item], list[bytes]]:
        """Return the items and the message table, and begin anew."""
        self.close_tail()
        items, messages = self.items, self.table.messages
        self.items, self.table, self.weight, self.size = [], MessageTable(), 0, 0
        return items, messages

    def close_tail(self) -> None:
        """Write what has grown into the open delta's item."""
        tail = self.tail
        if tail is None:
            return
        tail.text = "".join(self.texts)
        tail.count, tail.size, tail.last_us = len(self.cuts), self.size, self.last_us
        self.weight += len(tail.text)
        tail.cuts = self.cuts if tail.count > 1 else None
        self.tail = None


def _item(record: Record) -> Item:
    return Item(
        record.type,
        record.run_id,
        record.offset,
        record.size,
        record.seq,
        event_id=record.event_id,
        first_us=record.at_us,
        last_us=record.at_us,
        time_source=record.time_source,
    )


def delta_event(item: Item) -> dict[str, str]:
    """Return the AG-UI event of a delta item."""
    event = {"type": item.type, "delta": item.text or ""}
    if item.target is not None:
        event[DELTA_TARGETS[item.type]] = item.target
    return event

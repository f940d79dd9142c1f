"""Lines become records: the short way for what most lines are, the general way for the rest.

Four of five records are a text delta. In an envelope one typed decode finds all that it needs
(`transforms.decode.hot`), and two do elsewhere.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from schemas.events import DELTA_TARGETS, RUN_STARTED
from schemas.records import DeadLetter, Owner, Record, Source
from transforms.decode.depth import SHORTEST_DEEP, is_too_deep
from transforms.decode.general import GeneralReader
from transforms.decode.hot import HotLines
from transforms.decode.marks import metadata_mark, whole
from transforms.decode.placing import NOBODY, Places
from transforms.decode.rows import read_object
from transforms.decode.times import EARLIEST_MS, LATEST_MS, micros
from transforms.decode.wire import (
    SEQ_END,
    UNFIT,
    Envelope,
    EventHead,
    decode_envelope,
    decode_event_head,
    is_utf8,
)

Found: TypeAlias = Record | DeadLetter

_ARGS: Final = "TOOL_CALL_ARGS"
_KINDS: Final = {kind: kind for kind in DELTA_TARGETS}
"""One string for all records of a type."""


class Reader:
    """Reads the records of one object in order.

    Args:
        source: where they lie; goes into dead letters.
    """

    def __init__(self, source: Source) -> None:
        self.places = Places(source)
        self.general = GeneralReader(source, self.places)
        self._who = NOBODY
        self._owner = self._nobody = self.places.owner(NOBODY)
        self._thread = ""
        self._run: str | None = None
        self._hot = HotLines(self.places.owners)
        self._likely, self._other = self._envelope, self._bare

    def lines(self, lines: list[bytes], offset: int) -> list[Found]:
        """Return what lines hold; `offset` is the byte where the first begins, and each ends with one newline."""
        found: list[Found] = []
        if not any(lines):
            return found
        hot = self._hot
        may_be_deep = max(map(len, lines)) >= SHORTEST_DEEP and any(map(is_too_deep, lines))
        may_be_hot = self._likely != self._bare and not may_be_deep
        index = 0
        while index < len(lines):
            if may_be_hot and lines[index]:
                index, offset = hot.take(lines, index, offset, found)
                if index == len(lines):
                    break
            if may_be_deep and is_too_deep(lines[index]):
                hot.close_all(found)
                found.extend(read_object(self.general, lines[index], offset))
            else:
                self._ordinary(lines[index], offset, found)
            offset += len(lines[index]) + 1
            index += 1
        hot.close_all(found)
        return found

    def one(self, text: bytes, offset: int) -> list[Found]:
        """Return what one JSON text holds."""
        return self.lines([text], offset)

    def _ordinary(self, line: bytes, offset: int, found: list[Found]) -> None:
        record = self._likely(line, offset)
        if record is not None:
            self._hot.close(record.thread_id, found)
            found.append(record)
        else:
            self._hot.close_all(found)
            self._unlikely(line, offset, found)

    def _unlikely(self, line: bytes, offset: int, found: list[Found]) -> None:
        record = self._other(line, offset)
        if record is None:
            found.extend(read_object(self.general, line, offset))
        else:
            self._likely, self._other = self._other, self._likely
            found.append(record)

    def _envelope(self, line: bytes, offset: int) -> Record | None:
        """Return the record of an envelope, or None where it needs the general way."""
        try:
            envelope = decode_envelope(line)
            text = envelope.event
            head = decode_event_head(text)
        except UNFIT:
            return None
        kind = head.type
        thread = envelope.thread or envelope.snake_thread
        own_run = head.run or head.snake_run
        run = envelope.run or envelope.snake_run or own_run or None
        if not thread or envelope.type is not None or envelope.input is not None:
            return None
        if (own_run and own_run != run) or (head.thread or head.snake_thread or thread) != thread:
            return None
        if thread != self._thread or run != self._run or kind == RUN_STARTED:
            self._thread, self._run = thread, self.places.of(kind, thread, run)[1]
        who = (
            envelope.tenant or envelope.snake_tenant,
            envelope.user or envelope.snake_user,
            envelope.agent or envelope.snake_agent,
        )
        if who != self._who:
            self._who, self._owner = who, self.places.owner(who)
        target, stamp, time_source, seq = _target(head), head.timestamp, "event", envelope.seq
        if stamp is None:
            stamp, time_source = envelope.ts, "envelope"
        if (
            target
            and type(stamp) is int
            and EARLIEST_MS <= stamp < LATEST_MS
            and (seq is None or (type(seq) is int and -1 < seq < SEQ_END))
        ):
            return Record(
                self._thread, self._run, _KINDS[kind], offset, len(line), self._owner, target,
                head.delta,  # type: ignore[arg-type]  # text, since there is a target
                None, seq, envelope.event_id or envelope.snake_event_id, stamp * 1000, time_source,
            )  # fmt: skip
        record = self._record(head, text, offset, self._owner)
        if record is not None:
            record.size = len(line)
            _mark(record, envelope)
        return record

    def _bare(self, line: bytes, offset: int) -> Record | None:
        """Return the record of an event without an envelope, or None where it needs the general way."""
        try:
            head = decode_event_head(line)
        except UNFIT:
            return None
        thread = head.thread or head.snake_thread or None
        placed, run = self.places.of(head.type, thread, head.run or head.snake_run or None)
        if placed is None:
            return None
        self._thread, self._run = placed, run
        return self._record(head, line, offset, self._nobody)

    def _record(self, head: EventHead, text: bytes, offset: int, owner: Owner) -> Record | None:
        kind, stamp = head.type, head.timestamp
        at_us = None if stamp is None else micros(stamp)
        time_source = None if at_us is None else "event"
        target = _target(head)
        if target:
            return Record(
                self._thread, self._run, _KINDS[kind], offset, len(text), owner, target,
                head.delta,  # type: ignore[arg-type]  # text, since there is a target
                None, None, None, at_us, time_source,
            )  # fmt: skip
        event = bytes(text)
        if not is_utf8(event):
            return None
        seq, event_id = metadata_mark(head.metadata) if head.metadata else (None, None)
        return Record(
            self._thread, self._run, kind, offset, len(event), owner, None, None,
            event, seq, event_id, at_us, time_source,
        )  # fmt: skip


def _target(head: EventHead) -> str | None:
    """Return what a plain delta is appended to, None for any other event."""
    if (
        type(head.delta) is not str
        or head.metadata is not None
        or head.raw is not None
        or head.usage is not None
        or head.snake_raw is not None
        or head.subagent is not None
        or head.snake_subagent is not None
    ):
        return None
    kind = head.type
    if kind == _ARGS:
        return head.call or head.snake_call
    return head.message or head.snake_message if kind in _KINDS else None


def _mark(record: Record, envelope: Envelope) -> None:
    """Give a record what its envelope says of order and time."""
    seq = envelope.seq
    if seq is not None:
        record.seq = seq if type(seq) is int and -1 < seq < SEQ_END else whole(seq)
    event_id = envelope.event_id or envelope.snake_event_id
    if event_id:
        record.event_id = event_id
    if record.at_us is None:
        for stamp in (envelope.ts, envelope.timestamp, envelope.snake_created, envelope.created):
            at_us = None if stamp is None else micros(stamp)
            if at_us is not None:
                record.at_us, record.time_source = at_us, "envelope"
                break

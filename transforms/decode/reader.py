"""Lines become records: the short way for what most lines are, the general way for the rest.

Four of five records are a text delta, in an envelope or bare. Two typed decodes find all that such a record needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import MsgspecError

from schemas.events import DELTA_TARGETS, RUN_STARTED
from schemas.records import DeadLetter, Record, Source
from transforms.decode.general import GeneralReader
from transforms.decode.marks import metadata_mark, whole
from transforms.decode.placing import NOBODY, Places
from transforms.decode.rows import read_object
from transforms.decode.times import EARLIEST_MS, LATEST_MS, micros
from transforms.decode.wire import Envelope, EventHead, decode_envelope, decode_event_head

_UNFIT: Final = (MsgspecError, RecursionError, UnicodeDecodeError)
_ARGS: Final = "TOOL_CALL_ARGS"
_KINDS: Final = {kind: kind for kind in DELTA_TARGETS}


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
        self._likely, self._other = self._envelope, self._bare

    def lines(self, lines: list[bytes], offset: int) -> Iterator[Record | DeadLetter]:
        """Yield what lines hold; `offset` is the byte where the first begins, and each ends with one newline."""
        for line in lines:
            record = self._likely(line, offset)
            if record is None:
                record = self._other(line, offset)
                if record is not None:
                    self._likely, self._other = self._other, self._likely
            if record is None:
                yield from read_object(self.general, line, offset)
            else:
                yield record
            offset += len(line) + 1

    def one(self, text: bytes, offset: int) -> Iterator[Record | DeadLetter]:
        """Yield what one JSON text holds."""
        return self.lines([text], offset)

    def _envelope(self, line: bytes, offset: int) -> Record | None:
        """Return the record of an envelope, or None where it needs the general way."""
        try:
            envelope = decode_envelope(line)
            head = decode_event_head(envelope.event)
        except _UNFIT:
            return None
        thread = envelope.threadId or envelope.thread_id
        own_run = head.runId or head.run_id
        run = envelope.runId or envelope.run_id or own_run or None
        if not thread or envelope.type is not None or envelope.input is not None:
            return None
        if (own_run and own_run != run) or (head.threadId or head.thread_id or thread) != thread:
            return None
        if thread != self._thread or run != self._run or head.type == RUN_STARTED:
            self._thread, self._run = thread, self.places.of(head.type, thread, run)[1]
        record = self._record(head, envelope.event, offset)
        if record is not None:
            self._add_envelope(record, envelope)
        return record

    def _add_envelope(self, record: Record, envelope: Envelope) -> None:
        who = (
            envelope.tenantId or envelope.tenant_id,
            envelope.userId or envelope.user_id,
            envelope.agentId or envelope.agent_id,
        )
        if who != self._who:
            self._who, self._owner = who, self.places.owner(who)
        record.owner = self._owner
        if envelope.seq is not None:
            record.seq = envelope.seq if type(envelope.seq) is int else whole(envelope.seq)
        event_id = envelope.eventId or envelope.event_id
        if event_id:
            record.event_id = event_id
        if record.at_us is None:
            for stamp in (envelope.ts, envelope.timestamp, envelope.created_at, envelope.createdAt):
                at_us = micros(stamp)
                if at_us is not None:
                    record.at_us, record.time_source = at_us, "envelope"
                    break

    def _bare(self, line: bytes, offset: int) -> Record | None:
        """Return the record of an event without an envelope, or None where it needs the general way."""
        try:
            head = decode_event_head(line)
        except _UNFIT:
            return None
        thread = head.threadId or head.thread_id or None
        placed, run = self.places.of(head.type, thread, head.runId or head.run_id or None)
        if placed is None:
            return None
        self._thread, self._run = placed, run
        return self._record(head, line, offset)

    def _record(self, head: EventHead, text: bytes, offset: int) -> Record | None:
        stamp = head.timestamp
        if type(stamp) is int and EARLIEST_MS <= stamp < LATEST_MS:
            at_us: int | None = stamp * 1000
        else:
            at_us = None if stamp is None else micros(stamp)
        source = None if at_us is None else "event"
        kind, delta = head.type, head.delta
        if (
            kind in _KINDS
            and type(delta) is str
            and head.metadata is None
            and head.rawEvent is None
            and head.raw_event is None
            and head.usage is None
        ):
            target = head.toolCallId or head.tool_call_id if kind == _ARGS else head.messageId or head.message_id
            if target:
                return Record(
                    self._thread, self._run, _KINDS[kind], offset, len(text), self._nobody, target, delta,
                    None, None, None, at_us, source,
                )  # fmt: skip
        event = bytes(text)
        if not (event.isascii() or _is_utf8(event)):
            return None
        record = Record(self._thread, self._run, kind, offset, len(event), self._nobody, None, None, event)
        record.at_us, record.time_source = at_us, source
        if head.metadata:
            record.seq, record.event_id = metadata_mark(head.metadata)
        return record


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True

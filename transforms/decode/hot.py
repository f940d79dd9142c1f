"""Hot lines: envelopes in the usual spelling become records by one typed decode each, neighbouring deltas joined.

Nearly all lines are such, and four of five are plain text deltas. Whatever else stands in a line (metadata, a raw
payload, an input, another spelling of the keys, a time in other units) does not fit the type, and the line goes the
ordinary way.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.json import Decoder

from schemas.events import RUN_STARTED
from schemas.records import DeadLetter, Owner, Record
from schemas.segments import SILENCE_US
from transforms.decode.placing import Who
from transforms.decode.times import EARLIEST_MS, LATEST_MS
from transforms.decode.wire import SEQ_END, UNFIT, is_utf8

_SILENCE_MS = SILENCE_US // 1000


class _Delta(Struct, gc=False):
    type: Literal["TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT"]
    delta: str
    messageId: str | None = None  # noqa: N815 - the protocol's name
    toolCallId: str | None = None  # noqa: N815 - as above
    timestamp: int | None = None
    metadata: None = None
    rawEvent: None = None  # noqa: N815 - as above
    raw_event: None = None
    usage: None = None
    subagentRunId: None = None  # noqa: N815 - as above
    subagent_run_id: None = None
    threadId: None = None  # noqa: N815 - as above
    runId: None = None  # noqa: N815 - as above
    thread_id: None = None
    run_id: None = None


class _Event(Struct, gc=False):
    type: str
    timestamp: int | None = None
    metadata: None = None
    threadId: str | None = None  # noqa: N815 - as above
    runId: str | None = None  # noqa: N815 - as above
    thread_id: None = None
    run_id: None = None


class _Around(Struct, gc=False, forbid_unknown_fields=True):
    threadId: str  # noqa: N815 - as above
    runId: str  # noqa: N815 - as above
    seq: int | None = None
    ts: int | None = None
    userId: str | None = None  # noqa: N815 - as above
    tenantId: str | None = None  # noqa: N815 - as above
    agentId: str | None = None  # noqa: N815 - as above
    type: None = None
    input: None = None
    eventId: None = None  # noqa: N815 - as above
    event_id: None = None
    user_id: None = None
    tenant_id: None = None
    agent_id: None = None


class _DeltaLine(_Around, gc=False, forbid_unknown_fields=True, kw_only=True):
    event: _Delta


class _EventLine(_Around, gc=False, forbid_unknown_fields=True, kw_only=True):
    event: _Event


_decode = Decoder(_DeltaLine).decode
_decode_event = Decoder(_EventLine).decode


class HotLines:
    """Reads hot lines, and holds the open delta of each thread until another record of the thread comes.

    Args:
        owners: the owner of each tenant, user and agent that was met; a line of another goes the ordinary way.
    """

    def __init__(self, owners: dict[Who, Owner]) -> None:
        self._owner = owners.get
        self._open: dict[str, _Open] = {}

    def take(self, lines: list[bytes], start: int, offset: int, found: list[Record | DeadLetter]) -> tuple[int, int]:
        """Take in lines as long as they are hot; return the index and offset of the first that is not.

        Args:
            start: index of the first line, ``offset`` is where it lies.
            found: where a delta goes that another one ends.
        """
        opened = self._open.get
        for index in range(start, len(lines)):
            line = lines[index]
            try:
                envelope = _decode(line)
            except UNFIT:
                if not self._take_event(line, offset, found):
                    return index, offset
                offset += len(line) + 1
                continue
            event, seq = envelope.event, envelope.seq
            stamp = envelope.ts if event.timestamp is None else event.timestamp
            if stamp is None or not EARLIEST_MS <= stamp < LATEST_MS:
                return index, offset
            grown = opened(envelope.threadId)
            if (
                grown is not None
                and seq == grown.next_seq
                and (event.messageId if event.toolCallId is None else event.toolCallId) == grown.target
                and event.type == grown.type
                and envelope.runId == grown.run_id
                and envelope.userId == grown.user_id
                and envelope.tenantId == grown.tenant_id
                and envelope.agentId == grown.agent_id
                and stamp - grown.last_ms < _SILENCE_MS
            ):
                grown.texts.append(event.delta)
                grown.size += len(line)
                grown.last_ms = stamp
                if seq is not None:
                    grown.next_seq = seq + 1
            elif not self._start(envelope, line, offset, found):
                return index, offset
            offset += len(line) + 1
        return len(lines), offset

    def _take_event(self, line: bytes, offset: int, found: list[Record | DeadLetter]) -> bool:
        """Take in another event of an envelope that was met before, and end the open delta of its thread."""
        try:
            envelope = _decode_event(line)
        except UNFIT:
            return False
        event, thread_id, run_id, seq = envelope.event, envelope.threadId, envelope.runId, envelope.seq
        owner = self._owner((envelope.tenantId, envelope.userId, envelope.agentId))
        stamp = envelope.ts if event.timestamp is None else event.timestamp
        text = _event_text(line)
        if (
            owner is None
            or text is None
            or not thread_id
            or not run_id
            or event.type == RUN_STARTED
            or (event.threadId or thread_id) != thread_id
            or (event.runId or run_id) != run_id
            or stamp is None
            or not EARLIEST_MS <= stamp < LATEST_MS
            or (seq is not None and not -1 < seq < SEQ_END)
        ):
            return False
        self.close(thread_id, found)
        source = "envelope" if event.timestamp is None else "event"
        found.append(
            Record(
                thread_id,
                run_id,
                event.type,
                offset,
                len(line),
                owner,
                None,
                None,
                text,
                seq,
                None,
                stamp * 1000,
                source,
            )
        )
        return True

    def close(self, thread_id: str, found: list[Record | DeadLetter]) -> None:
        """Give the open delta of a thread, before another record of it."""
        grown = self._open.pop(thread_id, None)
        if grown is not None:
            found.append(grown.record())

    def close_all(self, found: list[Record | DeadLetter]) -> None:
        """Give all open deltas."""
        found.extend(grown.record() for grown in self._open.values())
        self._open.clear()

    def _start(self, envelope: _DeltaLine, line: bytes, offset: int, found: list[Record | DeadLetter]) -> bool:
        event, seq = envelope.event, envelope.seq
        target = event.toolCallId if event.type == "TOOL_CALL_ARGS" else event.messageId
        other = event.messageId if event.type == "TOOL_CALL_ARGS" else event.toolCallId
        owner = self._owner((envelope.tenantId, envelope.userId, envelope.agentId))
        if owner is None or not target or other is not None or not envelope.threadId or not envelope.runId:
            return False
        if seq is not None and not -1 < seq < SEQ_END:
            return False
        self.close(envelope.threadId, found)
        self._open[envelope.threadId] = _Open(envelope, owner, target, len(line), offset)
        return True


def _event_text(line: bytes) -> bytes | None:
    """Return an event that stands last in its envelope, None where it may not, or is no UTF-8.

    Every other key of the envelope holds a scalar, so that two closing braces at the end close the event and the line;
    and the mark cannot stand in a string, where its quotes would be escaped.
    """
    start = line.find(b'"event":{')
    if start < 0 or not line.endswith(b"}}"):
        return None
    text = line[start + 8 : -1]
    return text if is_utf8(text) else None


class _Open:
    """The delta of one thread that the next line may continue."""

    __slots__ = (
        "agent_id", "first", "first_ms", "last_ms", "next_seq", "offset", "owner", "run_id", "size", "target",
        "tenant_id", "texts", "time_source", "type", "user_id",
    )  # fmt: skip

    def __init__(self, envelope: _DeltaLine, owner: Owner, target: str, size: int, offset: int) -> None:
        event = envelope.event
        self.first, self.owner, self.target, self.size, self.offset = envelope, owner, target, size, offset
        self.type, self.run_id, self.texts = event.type, envelope.runId, [event.delta]
        self.user_id, self.tenant_id, self.agent_id = envelope.userId, envelope.tenantId, envelope.agentId
        self.next_seq = None if envelope.seq is None else envelope.seq + 1
        stamp = envelope.ts if event.timestamp is None else event.timestamp
        self.first_ms = self.last_ms = stamp or 0
        self.time_source = "envelope" if event.timestamp is None else "event"

    def record(self) -> Record:
        """Return what was joined as one record."""
        texts = self.texts
        count = len(texts)
        return Record(
            self.first.threadId, self.run_id, self.type, self.offset, self.size, self.owner, self.target,
            "".join(texts), None, self.first.seq, None, self.first_ms * 1000, self.time_source,
            None, count, list(map(len, texts)) if count > 1 else None, self.last_ms * 1000,
        )  # fmt: skip

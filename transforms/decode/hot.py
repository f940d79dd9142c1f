"""Hot lines: an envelope around a plain text delta becomes its record by one typed decode.

Four of five lines are such. Whatever else stands in a line (metadata, a raw payload, an input, another spelling of the
keys, a time in other units) does not fit the type, and the line goes the ordinary way.
"""

from __future__ import annotations

from typing import Literal

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from schemas.records import Owner, Record
from transforms.decode.placing import Who
from transforms.decode.times import EARLIEST_MS, LATEST_MS


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
    threadId: None = None  # noqa: N815 - as above
    runId: None = None  # noqa: N815 - as above
    thread_id: None = None
    run_id: None = None


class _Line(Struct, gc=False, forbid_unknown_fields=True):
    threadId: str  # noqa: N815 - as above
    runId: str  # noqa: N815 - as above
    event: _Delta
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


_decode = Decoder(_Line).decode
_UNFIT = (MsgspecError, UnicodeDecodeError, RecursionError)
_SEQ_END = 1 << 63
_FIRST_EVENT_BYTE = 10
"""No envelope's event begins before; the search for it starts there."""


class HotLines:
    """Reads hot lines.

    Args:
        owners: the owner of each tenant, user and agent that was met; a line of another goes the ordinary way.
    """

    def __init__(self, owners: dict[Who, Owner]) -> None:
        self._owner = owners.get

    def record(self, line: bytes, offset: int) -> Record | None:
        """Return the record of a hot line, None of any other."""
        try:
            envelope = _decode(line)
        except _UNFIT:
            return None
        event, seq = envelope.event, envelope.seq
        target = event.toolCallId if event.type == "TOOL_CALL_ARGS" else event.messageId
        owner = self._owner((envelope.tenantId, envelope.userId, envelope.agentId))
        stamp, time_source, size = event.timestamp, "event", _event_size(line)
        if stamp is None:
            stamp, time_source = envelope.ts, "envelope"
        if (
            owner is None
            or not target
            or not envelope.threadId
            or not envelope.runId
            or stamp is None
            or not EARLIEST_MS <= stamp < LATEST_MS
            or (seq is not None and not -1 < seq < _SEQ_END)
            or not size
        ):
            return None
        return Record(
            envelope.threadId, envelope.runId, event.type, offset, size, owner, target, event.delta,
            None, seq, None, stamp * 1000, time_source,
        )  # fmt: skip


def _event_size(line: bytes) -> int:
    """Return the length of an event that stands last in its envelope, 0 where it may not.

    Every other key of the envelope holds a scalar, so that two closing braces at the end close the event and the line;
    and the mark cannot stand in a string, where its quotes would be escaped.
    """
    start = line.find(b'"event":{', _FIRST_EVENT_BYTE)
    if start < 0:
        start = line.find(b'"event": {', _FIRST_EVENT_BYTE) + 1
    return len(line) - start - 9 if start > 0 and line.endswith(b"}}") else 0

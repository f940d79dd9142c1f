"""JSON of one line becomes the few fields that place a record; the rest of it is not looked at.

Both spellings of a protocol key are fields, camelCase first, and null is absence. What does not fit a type here (an odd
id, a lone surrogate, a patch that is an object) is no error of the log: such a line goes the general way.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Raw, Struct
from msgspec.json import Decoder

Stamp: TypeAlias = int | float | str | None
Anything: TypeAlias = dict[str, Raw] | list[Raw] | str | int | float | bool | None
"""Any JSON value, its inside unread: only whether it is there counts."""


class EventHead(Struct, gc=False):
    """What an event says about itself; `delta` is a list in a STATE_DELTA."""

    type: str
    messageId: str | None = None
    toolCallId: str | None = None
    delta: str | list[Raw] | None = None
    timestamp: Stamp = None
    metadata: dict[str, Raw] | None = None
    rawEvent: Anything = None
    usage: Anything = None
    threadId: str | None = None
    runId: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    raw_event: Anything = None
    thread_id: str | None = None
    run_id: str | None = None


class Envelope(Struct, gc=False):
    """What stands around one event; `type` tells a bare RAW event, which has a key ``event`` too."""

    event: Raw
    threadId: str | None = None
    runId: str | None = None
    seq: int | str | None = None
    ts: Stamp = None
    userId: str | None = None
    tenantId: str | None = None
    agentId: str | None = None
    input: Anything = None
    type: Anything = None
    eventId: str | None = None
    timestamp: Stamp = None
    thread_id: str | None = None
    run_id: str | None = None
    user_id: str | None = None
    tenant_id: str | None = None
    agent_id: str | None = None
    event_id: str | None = None
    created_at: Stamp = None
    createdAt: Stamp = None


decode_event_head = Decoder(EventHead).decode
decode_envelope = Decoder(Envelope).decode

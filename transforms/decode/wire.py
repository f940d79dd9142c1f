"""JSON of one line becomes the few fields that place a record; the rest of it is not looked at.

Both spellings of a protocol key are fields, and null is absence. What does not fit a type here (an odd id, a lone
surrogate, a patch that is an object) is no error of the log: such a line goes the general way.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import MsgspecError, Raw, Struct
from msgspec.json import Decoder

UNFIT: Final = (MsgspecError, RecursionError, UnicodeDecodeError)
"""What a typed decoder raises for a line that does not fit its type."""

SEQ_END: Final = 1 << 63
"""A seq is below: one that is not goes the general way."""

Stamp: TypeAlias = int | float | str | None
Anything: TypeAlias = dict[str, Raw] | list[Raw] | str | int | float | bool | None
"""Any JSON value, its inside unread: only whether it is there counts."""


class EventHead(
    Struct,
    gc=False,
    rename={
        "message": "messageId",
        "call": "toolCallId",
        "raw": "rawEvent",
        "subagent": "subagentRunId",
        "snake_subagent": "subagent_run_id",
        "thread": "threadId",
        "run": "runId",
        "snake_message": "message_id",
        "snake_call": "tool_call_id",
        "snake_raw": "raw_event",
        "snake_thread": "thread_id",
        "snake_run": "run_id",
    },
):
    """What an event says about itself; `delta` is a list in a STATE_DELTA."""

    type: str
    message: str | None = None
    call: str | None = None
    delta: str | list[Raw] | None = None
    timestamp: Stamp = None
    metadata: dict[str, Raw] | None = None
    raw: Anything = None
    usage: Anything = None
    subagent: Anything = None
    snake_subagent: Anything = None
    thread: str | None = None
    run: str | None = None
    snake_message: str | None = None
    snake_call: str | None = None
    snake_raw: Anything = None
    snake_thread: str | None = None
    snake_run: str | None = None


class Envelope(
    Struct,
    gc=False,
    rename={
        "thread": "threadId",
        "run": "runId",
        "user": "userId",
        "tenant": "tenantId",
        "agent": "agentId",
        "event_id": "eventId",
        "created": "createdAt",
        "snake_thread": "thread_id",
        "snake_run": "run_id",
        "snake_user": "user_id",
        "snake_tenant": "tenant_id",
        "snake_agent": "agent_id",
        "snake_event_id": "event_id",
        "snake_created": "created_at",
    },
):
    """What stands around one event; `type` tells a bare RAW event, which has a key ``event`` too."""

    event: Raw
    thread: str | None = None
    run: str | None = None
    seq: int | str | None = None
    ts: Stamp = None
    user: str | None = None
    tenant: str | None = None
    agent: str | None = None
    input: Anything = None
    type: Anything = None
    event_id: str | None = None
    timestamp: Stamp = None
    created: Stamp = None
    snake_thread: str | None = None
    snake_run: str | None = None
    snake_user: str | None = None
    snake_tenant: str | None = None
    snake_agent: str | None = None
    snake_event_id: str | None = None
    snake_created: Stamp = None


decode_event_head = Decoder(EventHead).decode
decode_envelope = Decoder(Envelope).decode


def is_utf8(text: bytes) -> bool:
    """Tell whether bytes are UTF-8: the decoders above do not look at what they pass over."""
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True

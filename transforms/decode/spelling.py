"""Protocol keys in either spelling become the protocol's own, and null on an optional one becomes absence.

Sources: ``ag_ui/core`` (Python models dump snake_case, older ones every null), ``sdks/fixtures/null-omission.json``.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from schemas.events import VIEW_TYPES

KNOWN_TYPES: Final = VIEW_TYPES | {
    "RUN_FINISHED",
    "RUN_ERROR",
    "STEP_STARTED",
    "STEP_FINISHED",
    "RAW",
    "CUSTOM",
    "REASONING_START",
    "REASONING_END",
    "THINKING_START",
    "THINKING_END",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "SUBAGENT_ERROR",
}
"""Event types of the protocol; an event of another type is left as it is."""


class Shape(msgspec.Struct, frozen=True):
    """The protocol keys of one kind of object.

    Args:
        camel: the protocol's spelling by the other one.
        known: all protocol keys; null on any other key is a value.
    """

    camel: dict[str, str]
    known: frozenset[str]


def _shape(keys: str) -> Shape:
    known = keys.split()
    snake = {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): key for key in known}
    return Shape({other: key for other, key in snake.items() if other != key}, frozenset(known))


EVENT: Final = _shape(
    "timestamp rawEvent metadata subagentRunId threadId runId parentRunId input protocolVersion result outcome usage "
    "message code stepName messageId role name delta toolCallId toolCallName parentMessageId content snapshot messages "
    "activityType replace patch event source value subtype entityId encryptedValue title description "
    "parentSubagentRunId parentToolCallId"
)
INPUT: Final = _shape("threadId runId parentRunId state messages tools context forwardedProps resume protocolVersion")
MESSAGE: Final = _shape(
    "id role content name toolCalls toolCallId activityType encryptedValue error metadata subagentRunId"
)
TOOL_CALL: Final = _shape("id type function encryptedValue metadata")
PART: Final = _shape("id text source metadata mimeType url data filename")
PART_SOURCE: Final = _shape("value mimeType provider")
USAGE: Final = _shape("provider model inputTokens outputTokens totalTokens reasoningTokens cachedInputTokens metadata")
OUTCOME: Final = _shape("interrupts pendingToolCallIds")
INTERRUPT: Final = _shape("id reason message toolCallId responseSchema expiresAt metadata")
RESUME: Final = _shape("interruptId status payload metadata")
TOOL: Final = _shape("name description parameters metadata")
CONTEXT: Final = _shape("description value")

NOTHING: Final[frozenset[str]] = frozenset()
_NULL_COUNTS: Final = {
    "STATE_SNAPSHOT": frozenset({"snapshot"}),
    "RAW": frozenset({"event"}),
    "CUSTOM": frozenset({"value"}),
    "ACTIVITY_SNAPSHOT": frozenset({"content"}),
}
ACTIVITY_NULLS: Final = frozenset({"content"})
"""The same for a message of role activity, whose content is the application's own."""


def null_counts(kind: str) -> frozenset[str]:
    """Return the keys of an event type on which null is a value."""
    return _NULL_COUNTS.get(kind, NOTHING)


def respell(value: dict[str, Any], shape: Shape, kept: frozenset[str] = NOTHING) -> dict[str, Any]:
    """Return an object in the protocol's spelling; itself where nothing changes.

    Where both spellings are there, the protocol's wins unless it is null.

    Args:
        value: of one kind of object; what lies in its values is not touched.
        shape: of that kind.
        kept: keys on which null is a value.

    >>> respell({"message_id": "m", "role": None, "x_y": None}, EVENT)
    {'messageId': 'm', 'x_y': None}
    """
    if None not in value.values() and shape.camel.keys().isdisjoint(value):
        return value
    spelt = {}
    for key, item in value.items():
        name = shape.camel.get(key, key)
        if item is None and name in shape.known and name not in kept:
            continue
        if name == key or value.get(name) is None:
            spelt[name] = item
    return spelt

"""Protocol keys in either spelling become the protocol's own, and null on an optional one becomes absence.

Sources: AG-UI 1.0, ``schema.json``, whose optional keys `omitOptionalNulls` of ``@ag-ui/core`` reads; ``ag_ui/core``
(Python models dump snake_case, older ones every null); for what 1.0 retired (THINKING_*, binary parts), 0.0.59.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from schemas.events import Json


class Shape(msgspec.Struct, frozen=True):
    """The protocol keys of one kind of object.

    Args:
        camel: the protocol's spelling by the other one.
        optional: keys on which null means absence; on any other it is a value.
    """

    camel: dict[str, str]
    optional: frozenset[str]


class Variants(msgspec.Struct, frozen=True):
    """The shapes of a kind of object that names its variant under a key.

    Args:
        tag: the key.
        shapes: by what stands there.
        other: of a variant that is unknown: its keys are respelled, its nulls are kept.
    """

    tag: str
    shapes: dict[str, Shape]
    other: Shape

    def of(self, value: dict[str, Any]) -> Shape:
        """Return the shape of an object."""
        name = value.get(self.tag)
        return self.shapes.get(name, self.other) if isinstance(name, str) else self.other


def respell(value: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """Return an object in the protocol's spelling; itself where nothing changes.

    Where both spellings are there, the protocol's wins unless it is null.

    Args:
        value: of one kind of object; what lies in its values is not touched.
        shape: of that kind.

    >>> respell({"message_id": "m", "role": None, "x_y": None}, EVENTS.shapes["TEXT_MESSAGE_START"])
    {'messageId': 'm', 'x_y': None}
    """
    if None not in value.values() and shape.camel.keys().isdisjoint(value):
        return value
    spelt: dict[str, Json] = {}
    for key, item in value.items():
        name = shape.camel.get(key, key)
        if item is None and (name in shape.optional or spelt.get(name) is not None):
            continue
        if name == key or value.get(name) is None:
            spelt[name] = item
    return spelt


def _shape(required: str, optional: str) -> Shape:
    keys = (*required.split(), *optional.split())
    snake = {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): key for key in keys}
    return Shape({other: key for other, key in snake.items() if other != key}, frozenset(optional.split()))


def _variants(tag: str, rest: str, optional: dict[str, str]) -> Variants:
    """Return variants that share their spelling and differ in what is optional; `rest` are further keys."""
    known = " ".join([rest, *optional.values()])
    return Variants(tag, {name: _shape(known, keys) for name, keys in optional.items()}, _shape(known, ""))


_STAMPED: Final = "timestamp rawEvent metadata"
_OWNED: Final = f"{_STAMPED} subagentRunId"

EVENTS: Final = _variants(
    "type",
    "threadId runId message stepName messageId toolCallId toolCallName role delta content snapshot messages "
    "activityType patch event value subtype entityId encryptedValue subagentRunId",
    {
        "RUN_STARTED": f"{_STAMPED} protocolVersion parentRunId input",
        "RUN_FINISHED": f"{_STAMPED} result outcome usage",
        "RUN_ERROR": f"{_STAMPED} code usage",
        "STEP_STARTED": _OWNED,
        "STEP_FINISHED": _OWNED,
        "TEXT_MESSAGE_START": f"{_OWNED} role name",
        "TEXT_MESSAGE_CONTENT": _OWNED,
        "TEXT_MESSAGE_END": _OWNED,
        "TEXT_MESSAGE_CHUNK": f"{_OWNED} messageId role delta name",
        "TOOL_CALL_START": f"{_OWNED} parentMessageId",
        "TOOL_CALL_ARGS": _OWNED,
        "TOOL_CALL_END": _OWNED,
        "TOOL_CALL_CHUNK": f"{_OWNED} toolCallId toolCallName parentMessageId delta",
        "TOOL_CALL_RESULT": f"{_OWNED} role",
        "STATE_SNAPSHOT": _OWNED,
        "STATE_DELTA": _OWNED,
        "MESSAGES_SNAPSHOT": _STAMPED,
        "ACTIVITY_SNAPSHOT": f"{_OWNED} replace",
        "ACTIVITY_DELTA": _OWNED,
        "RAW": f"{_OWNED} source",
        "CUSTOM": _OWNED,
        "REASONING_START": _OWNED,
        "REASONING_END": _OWNED,
        "REASONING_MESSAGE_START": _OWNED,
        "REASONING_MESSAGE_CONTENT": _OWNED,
        "REASONING_MESSAGE_END": _OWNED,
        "REASONING_MESSAGE_CHUNK": f"{_OWNED} messageId delta",
        "REASONING_ENCRYPTED_VALUE": _OWNED,
        "THINKING_START": f"{_OWNED} title",
        "THINKING_END": _OWNED,
        "THINKING_TEXT_MESSAGE_START": _OWNED,
        "THINKING_TEXT_MESSAGE_CONTENT": _OWNED,
        "THINKING_TEXT_MESSAGE_END": _OWNED,
        "SUBAGENT_STARTED": f"{_STAMPED} description parentSubagentRunId parentToolCallId parentMessageId",
        "SUBAGENT_FINISHED": f"{_STAMPED} result outcome",
        "SUBAGENT_ERROR": f"{_STAMPED} code",
    },
)
_SAID: Final = "subagentRunId name encryptedValue metadata"
MESSAGES: Final = _variants(
    "role",
    "id content toolCallId activityType",
    {
        "developer": _SAID,
        "system": _SAID,
        "assistant": f"{_SAID} content toolCalls",
        "user": _SAID,
        "tool": "subagentRunId error encryptedValue metadata",
        "activity": "subagentRunId metadata",
        "reasoning": "subagentRunId encryptedValue metadata",
    },
)
PARTS: Final = _variants(
    "type",
    "source",
    {
        **dict.fromkeys(("text", "image", "audio", "video", "document"), "id metadata"),
        "binary": "mimeType id url data filename",
    },
)
PART_SOURCES: Final = _variants("type", "value", {"data": "", "url": "mimeType", "file": "provider mimeType"})
OUTCOMES: Final = _variants(
    "type",
    "interrupts",
    {"success": "pendingToolCallIds", "interrupt": "", "cancelled": ""},
)
SUBAGENT_OUTCOMES: Final = _variants("type", "", {"success": "", "suspended": "interruptIds"})
TOOL_CALL: Final = _shape("id type function", "encryptedValue metadata")
USAGE: Final = _shape(
    "",
    "provider model inputTokens outputTokens totalTokens reasoningTokens cachedInputTokens cacheWriteInputTokens",
)
INTERRUPT: Final = _shape("id reason", "subagentRunId message toolCallId responseSchema expiresAt metadata")
INPUT: Final = _shape(
    "threadId runId messages", "protocolVersion parentRunId state tools context forwardedProps resume"
)
RESUME: Final = _shape("interruptId status", "payload metadata")
TOOL: Final = _shape("name description", "parameters metadata")

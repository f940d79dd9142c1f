"""Canonical AG-UI events become what servers of three kinds write: the same meaning, another spelling.

Independent of `transforms.decode.spelling`, so that a rule that is wrong there is not wrong here too. Sources:
``model_dump()`` of Pydantic without ``by_alias`` (snake_case and every null), the .NET server's writer (every null),
the protocol's rule that null on an optional key is absence.
"""

import re
from random import Random
from typing import Any

from tests.strategies import ROLES

DIALECTS = ("camel", "camel", "snake", "nulls", "mixed")

OPTIONAL_KEYS: dict[str, tuple[str, ...]] = {
    "RUN_STARTED": ("parentRunId", "input", "protocolVersion"),
    "RUN_FINISHED": ("result", "outcome", "usage"),
    "RUN_ERROR": ("code", "usage"),
    "TEXT_MESSAGE_START": ("role", "name"),
    "TEXT_MESSAGE_CHUNK": ("messageId", "role", "delta", "name"),
    "TOOL_CALL_START": ("parentMessageId",),
    "TOOL_CALL_CHUNK": ("toolCallId", "toolCallName", "parentMessageId", "delta"),
    "TOOL_CALL_RESULT": ("role",),
    "REASONING_MESSAGE_CHUNK": ("messageId", "delta"),
    "ACTIVITY_SNAPSHOT": ("replace",),
    "RAW": ("source",),
    "THINKING_START": ("title",),
}
"""By type, what a server may write null for, beside BASE_KEYS; a type that is not here has those alone."""

BASE_KEYS = ("timestamp", "rawEvent", "metadata")
UNOWNED = ("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT")
"""Types without ``subagentRunId``."""

MESSAGE_KEYS = {
    "assistant": ("name", "content", "toolCalls", "encryptedValue", "metadata", "subagentRunId"),
    "tool": ("error", "encryptedValue", "metadata", "subagentRunId"),
    "reasoning": ("encryptedValue", "metadata", "subagentRunId"),
    "activity": ("metadata", "subagentRunId"),
}
SAID_KEYS = ("name", "encryptedValue", "metadata", "subagentRunId")
"""Of a message of any other role."""

CALL_KEYS = ("encryptedValue", "metadata")
UNKNOWN = "SOMETHING_NEW"


def spell(rng: Random, event: dict[str, Any], dialect: str) -> dict[str, Any]:
    """Return an event as a server of a dialect writes it; ``mixed`` is any of them."""
    if dialect == "mixed":
        dialect = rng.choice(DIALECTS[:-1])
    if dialect == "camel" or event["type"] == UNKNOWN:
        return event
    written = dict(event)
    owner = () if event["type"] in UNOWNED or event["type"].startswith("SUBAGENT") else ("subagentRunId",)
    for key in (*BASE_KEYS, *owner, *OPTIONAL_KEYS.get(event["type"], ())):
        if rng.random() < 0.5:
            written.setdefault(key, None)
    if isinstance(event.get("input"), dict):
        sent = written["input"] = {**event["input"]}
        _put_messages(rng, sent, dialect)
        written["input"] = _snake(sent) if dialect == "snake" else sent
    if event["type"] == "MESSAGES_SNAPSHOT":
        _put_messages(rng, written, dialect)
    return _snake(written) if dialect == "snake" else written


def _put_messages(rng: Random, holder: dict[str, Any], dialect: str) -> None:
    if isinstance(holder.get("messages"), list):
        holder["messages"] = [_message(rng, one, dialect) for one in holder["messages"]]


def _message(rng: Random, message: Any, dialect: str) -> Any:
    if not isinstance(message, dict):
        return message
    role = message.get("role")
    if not isinstance(role, str):
        return message
    written = _nulls(rng, message, MESSAGE_KEYS.get(role, SAID_KEYS) if role in ROLES else ())
    if role == "assistant" and isinstance(message.get("toolCalls"), list):
        calls = [_nulls(rng, call, CALL_KEYS) if isinstance(call, dict) else call for call in message["toolCalls"]]
        written["toolCalls"] = [
            _snake(call) if dialect == "snake" and isinstance(call, dict) else call for call in calls
        ]
    return _snake(written) if dialect == "snake" else written


def _nulls(rng: Random, holder: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {**{key: None for key in keys if rng.random() < 0.5}, **holder}


def _snake(holder: dict[str, Any]) -> dict[str, Any]:
    return {re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", key): value for key, value in holder.items()}

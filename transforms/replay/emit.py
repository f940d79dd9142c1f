"""Emission: a message of a run becomes the shortest AG-UI events that fold to it.

A message that no such events make (parts of content, unknown keys, a tool message's error) is refused, and the caller
sends a snapshot.
"""

from __future__ import annotations

from typing import Final

from schemas.events import Event, Json, Message
from transforms.sameness import same_json

_TEXT_ROLES: Final = ("assistant", "user", "system", "developer")
_TEXT_KEYS: Final = frozenset(
    {"id", "role", "name", "content", "toolCalls", "metadata", "encryptedValue", "subagentRunId"}
)
_REASONING_KEYS: Final = frozenset({"id", "role", "content", "metadata", "encryptedValue", "subagentRunId"})
_RESULT_KEYS: Final = frozenset({"id", "role", "content", "toolCallId", "metadata", "encryptedValue", "subagentRunId"})
_ACTIVITY_KEYS: Final = frozenset({"id", "role", "activityType", "content", "metadata", "subagentRunId"})
_CALL_KEYS: Final = frozenset({"id", "type", "function", "metadata", "encryptedValue"})


def new_message_events(message: Message) -> list[Event] | None:
    """Return events that append a message; None where only a snapshot can."""
    role = message.get("role")
    if not isinstance(message.get("id", ""), str) or not isinstance(message.get("subagentRunId", ""), str):
        return None
    if role == "tool":
        return _result(message)
    if role == "activity":
        return _activity(message)
    if role == "reasoning":
        return _reasoning(message)
    return _text(message) if role in _TEXT_ROLES else None


def grown_message_events(former: Message, message: Message) -> list[Event] | None:
    """Return events that turn a message of the parent's view into its new version; None where only a snapshot can."""
    if message.get("role") == "activity" == former.get("role"):
        return _activity(message)
    if not _is_text_growth(former, message):
        return None
    events = _suffix(former, message)
    calls = _grown_calls(message, former.get("toolCalls", []), message.get("toolCalls", []))
    return None if events is None or calls is None else events + calls


def _text(message: Message) -> list[Event] | None:
    if not message.keys() <= _TEXT_KEYS or "id" not in message:
        return None
    content, calls = message.get("content"), message.get("toolCalls", [])
    has_empty_list = "toolCalls" in message and not calls
    if not isinstance(calls, list) or not isinstance(message.get("content", ""), str) or has_empty_list:
        return None
    events: list[Event] = []
    if content is not None or not calls:
        start = {"type": "TEXT_MESSAGE_START", "messageId": message["id"], "role": message["role"]}
        start |= _carried(message, "name", "metadata", "subagentRunId")
        events += _triple(start, "TEXT_MESSAGE", content or "")
    for call in calls:
        made = _new_call(call, message)
        if made is None:
            return None
        events += made
    return events + _encrypted("message", message["id"], message.get("encryptedValue"))


def _reasoning(message: Message) -> list[Event] | None:
    if not message.keys() <= _REASONING_KEYS or not isinstance(message.get("content"), str) or "id" not in message:
        return None
    identity = message["id"]
    start = {"type": "REASONING_MESSAGE_START", "messageId": identity, "role": "reasoning"}
    start |= _carried(message, "metadata", "subagentRunId")
    return [
        {"type": "REASONING_START", "messageId": identity} | _carried(message, "subagentRunId"),
        *_triple(start, "REASONING_MESSAGE", message["content"]),
        *_encrypted("message", identity, message.get("encryptedValue")),
        {"type": "REASONING_END", "messageId": identity} | _carried(message, "subagentRunId"),
    ]


def _result(message: Message) -> list[Event] | None:
    if not message.keys() <= _RESULT_KEYS or not {"content", "toolCallId"} <= message.keys():
        return None
    event: Event = {"type": "TOOL_CALL_RESULT", "toolCallId": message["toolCallId"], "content": message["content"]}
    event |= {"messageId": message["id"]} if "id" in message else {}
    event |= {"role": "tool"} | _carried(message, "metadata", "subagentRunId")
    return [event, *_encrypted("message", message.get("id"), message.get("encryptedValue"))]


def _activity(message: Message) -> list[Event] | None:
    if not message.keys() <= _ACTIVITY_KEYS or not {"id", "content", "activityType"} <= message.keys():
        return None
    event: Event = {"type": "ACTIVITY_SNAPSHOT", "messageId": message["id"], "replace": True}
    return [event | _carried(message, "activityType", "content", "metadata", "subagentRunId")]


def _new_call(call: Json, owner: Message) -> list[Event] | None:
    if not _is_plain_call(call) or not isinstance(owner.get("id"), str):
        return None
    start: Event = {"type": "TOOL_CALL_START", "toolCallId": call["id"], "toolCallName": call["function"]["name"]}
    start |= {"parentMessageId": owner["id"]} | _carried(call, "metadata") | _carried(owner, "subagentRunId")
    encrypted = _encrypted("tool-call", call["id"], call.get("encryptedValue"))
    return _call_triple(start, call["function"]["arguments"]) + encrypted


def _is_plain_call(call: Json) -> bool:
    if not isinstance(call, dict) or not call.keys() <= _CALL_KEYS or call.get("type") != "function":
        return False
    function = call.get("function")
    if not isinstance(function, dict) or function.keys() != {"name", "arguments"}:
        return False
    return all(isinstance(text, str) for text in (call.get("id"), function["name"], function["arguments"]))


def _call_triple(start: Event, arguments: str) -> list[Event]:
    identity = start["toolCallId"]
    body = [{"type": "TOOL_CALL_ARGS", "toolCallId": identity, "delta": arguments}] if arguments else []
    return [start, *body, {"type": "TOOL_CALL_END", "toolCallId": identity}]


def _triple(start: Event, family: str, text: str) -> list[Event]:
    identity = start["messageId"]
    body = [{"type": f"{family}_CONTENT", "messageId": identity, "delta": text}] if text else []
    return [start, *body, {"type": f"{family}_END", "messageId": identity}]


def _encrypted(subtype: str, identity: Json, value: Json) -> list[Event]:
    if value is None:
        return []
    return [{"type": "REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": identity, "encryptedValue": value}]


def _carried(source: dict[str, Json], *keys: str) -> dict[str, Json]:
    return {key: source[key] for key in keys if key in source}


def _is_text_growth(former: Message, message: Message) -> bool:
    """Tell whether nothing but the end of the text and the tool calls differ."""
    fixed = (former.keys() | message.keys()) - {"content", "toolCalls"}
    return all(key in former and key in message and same_json(former[key], message[key]) for key in fixed)


def _suffix(former: Message, message: Message) -> list[Event] | None:
    before, after = former.get("content", ""), message.get("content", "")
    if same_json(before, after):
        return []
    if not isinstance(before, str) or not isinstance(after, str) or not after.startswith(before):
        return None
    family = "REASONING_MESSAGE" if message.get("role") == "reasoning" else "TEXT_MESSAGE"
    start: Event = {"type": f"{family}_START", "messageId": message.get("id")}
    start["role"] = message.get("role") if message.get("role") in (*_TEXT_ROLES, "reasoning") else "assistant"
    return _triple(start, family, after[len(before) :])


def _grown_calls(owner: Message, before: Json, after: Json) -> list[Event] | None:
    if not isinstance(before, list) or not isinstance(after, list) or len(after) < len(before):
        return None
    events: list[Event] = []
    for index, call in enumerate(after):
        grown = _grown_call(before[index], call) if index < len(before) else _new_call(call, owner)
        if grown is None:
            return None
        events += grown
    return events


def _grown_call(before: Json, after: Json) -> list[Event] | None:
    if same_json(before, after):
        return []
    if not _is_plain_call(before) or not _is_plain_call(after):
        return None
    old, new = before["function"], after["function"]
    rest = [{key: value for key, value in call.items() if key != "function"} for call in (before, after)]
    if not same_json(*rest) or not new["arguments"].startswith(old["arguments"]):
        return None
    start: Event = {"type": "TOOL_CALL_START", "toolCallId": after["id"], "toolCallName": new["name"]}
    return _call_triple(start, new["arguments"][len(old["arguments"]) :])

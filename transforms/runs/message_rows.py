"""Message rows: a message in wire form becomes a row and the rows of its tool calls, and back without loss.

A key whose value is not of the column's type, is unknown, or is no Unicode text (a lone surrogate) goes to ``extra``;
so does the whole of what is no object.
"""

from __future__ import annotations

from typing import Final

from schemas.errors import DecodeError
from schemas.events import Json, Message
from schemas.rows import MessageRow, ToolCallRow
from transforms import jsontext

_TEXT_COLUMNS: Final = {
    "id": "message_id",
    "role": "role",
    "name": "name",
    "toolCallId": "tool_call_id",
    "activityType": "activity_type",
    "encryptedValue": "encrypted_value",
    "subagentRunId": "subagent_run_id",
    "error": "error",
}
_MESSAGE_ORDER: Final = {key: index for index, key in enumerate([*_TEXT_COLUMNS, "content", "toolCalls", "metadata"])}
_CALL_ORDER: Final = ("id", "type", "function", "encryptedValue", "metadata")
_CALL_KEYS: Final = frozenset(_CALL_ORDER)


def text_id(message: Json) -> str:
    """Return a message's id where it is text, else an empty one: a key to look it up by, no identity."""
    identity = message.get("id") if isinstance(message, dict) else None
    return identity if isinstance(identity, str) else ""


def fill_message_row(row: MessageRow, message: Message) -> None:
    """Write a message's content into the columns of its row."""
    if not isinstance(message, dict):
        row.extra = jsontext.dumps(message)
        return
    extra: dict[str, Json] = {}
    for key, value in message.items():
        column = _TEXT_COLUMNS.get(key)
        if column is not None:
            if isinstance(value, str) and jsontext.is_text(value):
                setattr(row, column, value)
            else:
                extra[key] = value
        elif key == "content":
            _fill_content(row, value, extra)
        elif key == "toolCalls" and isinstance(value, list):
            row.tool_calls = len(value)
        elif key == "metadata" and isinstance(value, dict):
            row.metadata = jsontext.dumps(value)
        else:
            extra[key] = value
    if extra:
        row.extra = jsontext.dumps({key: extra[key] for key in sorted(extra, key=_known_first)})


def _known_first(key: str) -> int:
    """Return where a key stands in `extra`: a message that is rebuilt from its row has that order too."""
    return _MESSAGE_ORDER.get(key, len(_MESSAGE_ORDER))


def _fill_content(row: MessageRow, content: Json, extra: dict[str, Json]) -> None:
    if not isinstance(content, str):
        row.parts = jsontext.dumps(content)
    elif jsontext.is_text(content):
        row.text = content
    else:
        extra["content"] = content


def message_of_row(row: MessageRow, calls: list[ToolCallRow]) -> Json:
    """Return the message, an object or not, that a row and its tool calls (by ``call_index``) stand for."""
    message: Message = {}
    for key, column in _TEXT_COLUMNS.items():
        value = getattr(row, column)
        if value is not None:
            message[key] = value
    if row.text is not None:
        message["content"] = row.text
    elif row.parts is not None:
        message["content"] = jsontext.loads(row.parts)
    if row.metadata is not None:
        message["metadata"] = jsontext.loads(row.metadata)
    if row.tool_calls is not None:
        message["toolCalls"] = [call_of_row(call) for call in calls]
    if row.extra is None:
        return message
    extra = jsontext.loads(row.extra)
    return message | extra if isinstance(extra, dict) else extra


def fill_call_row(row: ToolCallRow, call: Json) -> None:
    """Write a tool call into the columns of its row; a malformed one is kept whole in ``extra``."""
    if not _is_well_formed(call):
        row.extra = jsontext.dumps(_in_order(call))
    function = call.get("function") if isinstance(call, dict) else None
    function = function if isinstance(function, dict) else {}
    row.tool_call_id = _text(call.get("id")) if isinstance(call, dict) else None
    row.name = _text(function.get("name"))
    row.arguments = _text(function.get("arguments"))
    row.validity = validity_of(function.get("arguments"))
    if row.extra is None:
        row.encrypted_value = call.get("encryptedValue")
        row.metadata = jsontext.dumps(call["metadata"]) if "metadata" in call else None


def call_of_row(row: ToolCallRow) -> Json:
    """Return the tool call that a row stands for."""
    if row.extra is not None:
        return jsontext.loads(row.extra)
    call: dict[str, Json] = {
        "id": row.tool_call_id,
        "type": "function",
        "function": {"name": row.name, "arguments": row.arguments},
    }
    if row.encrypted_value is not None:
        call["encryptedValue"] = row.encrypted_value
    if row.metadata is not None:
        call["metadata"] = jsontext.loads(row.metadata)
    return call


def validity_of(arguments: Json) -> str:
    """Return ``object``, ``json`` (another JSON value), ``empty`` or ``invalid``.

    >>> validity_of('{"q": 1}'), validity_of('[1]'), validity_of(''), validity_of('{"q":')
    ('object', 'json', 'empty', 'invalid')
    """
    if not isinstance(arguments, str):
        return "invalid"
    if not arguments.strip():
        return "empty"
    try:
        value = jsontext.loads(arguments)
    except DecodeError:
        return "invalid"
    return "object" if isinstance(value, dict) else "json"


def _in_order(call: Json) -> Json:
    """Return a malformed call with its known keys in the order in which a well-formed one has them.

    A call that becomes malformed in a later run has that order where it was rebuilt from its row.
    """
    if not isinstance(call, dict):
        return call
    ordered = {key: call[key] for key in _CALL_ORDER if key in call} | call
    function = ordered.get("function")
    if isinstance(function, dict):
        ordered["function"] = {key: function[key] for key in ("name", "arguments") if key in function} | function
    return ordered


def _is_well_formed(call: Json) -> bool:
    if not isinstance(call, dict) or not call.keys() <= _CALL_KEYS or call.get("type") != "function":
        return False
    function = call.get("function")
    if not isinstance(function, dict) or function.keys() != {"name", "arguments"}:
        return False
    texts = [call.get("id"), function["name"], function["arguments"]]
    if "encryptedValue" in call:
        texts.append(call["encryptedValue"])
    return all(_text(text) is not None for text in texts) and isinstance(call.get("metadata", {}), dict)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and jsontext.is_text(value) else None

"""An export of a thread's messages and state becomes the events of a run that shows them.

Sources: CopilotKit ``GET /threads/:id/{messages,state}``, Intelligence ``/state``, ADK's ``POST /agents/state`` (which
writes state and messages as strings in some versions, and leaves its session keys in the state).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.errors import DecodeError
from schemas.events import Json
from transforms import jsontext
from transforms.decode.spans import Fields

_ADK_PREFIX: Final = "_ag_ui_"
_NO_SNAPSHOT: Final = frozenset({"no-snapshot", "snapshot-decode-error"})


def export_events(fields: Fields) -> Iterator[bytes]:
    """Yield a MESSAGES_SNAPSHOT and a STATE_SNAPSHOT, each if the export has it.

    Raises:
        DecodeError: the export says that there is no such thread, or its messages are no array.
    """
    if _value(fields, "threadExists") is False:
        raise DecodeError("not_a_log", "an export of a thread that does not exist")
    messages = _unquoted(_value(fields, "messages"))
    if messages is not None:
        if not isinstance(messages, list):
            raise DecodeError("not_object", "`messages` is no array")
        yield _event({"type": "MESSAGES_SNAPSHOT", "messages": [_message(message) for message in messages]})
    if "state" in fields and _value(fields, "kind") not in _NO_SNAPSHOT:
        yield _event({"type": "STATE_SNAPSHOT", "snapshot": _state(_unquoted(_value(fields, "state")))})


def _event(event: Json) -> bytes:
    return jsontext.dumps(event).encode()


def _value(fields: Fields, name: str) -> Json:
    return jsontext.loads(fields.get(name, b"null"))


def _unquoted(value: Json) -> Json:
    return jsontext.loads(value) if isinstance(value, str) else value


def _state(state: Json) -> Json:
    if not isinstance(state, dict):
        return state
    return {key: value for key, value in state.items() if not key.startswith(_ADK_PREFIX)}


def _message(message: Json) -> Json:
    """Return the message with its flattened tool calls (``{id, name, args}``) in wire form."""
    if not isinstance(message, dict) or not isinstance(message.get("toolCalls"), list):
        return message
    return {**message, "toolCalls": [wire_call(call) for call in message["toolCalls"]]}


def wire_call(call: Json) -> Json:
    """Return a tool call in wire form, from ``{id, name, args}`` or as it is.

    >>> wire_call({"id": "c", "name": "f", "args": {"x": 1}})
    {'id': 'c', 'type': 'function', 'function': {'name': 'f', 'arguments': '{"x":1}'}}
    """
    if not isinstance(call, dict) or "function" in call or "name" not in call:
        return call
    arguments = call.get("args", "")
    text = arguments if isinstance(arguments, str) else jsontext.dumps(arguments)
    rest = {key: value for key, value in call.items() if key not in {"id", "type", "name", "args"}}
    return {"id": call.get("id"), "type": "function", "function": {"name": call["name"], "arguments": text}, **rest}

"""The bytes of one event, input or message, in whichever dialect, become its canonical wire form.

Canonical: the protocol's spelling of protocol keys, no null where it means absence, known slips put right. What is the
application's own (state, patches, arguments, metadata, custom values, raw events, activity content) is never touched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from schemas.errors import DecodeError
from schemas.events import DELTA_TARGETS, Event, Json, Message
from transforms import jsontext
from transforms.decode import spelling
from transforms.decode.spelling import Shape, Variants, respell

_HOLD_PARTS: Final = ("user", "tool")
NO_VIOLATIONS: Final[tuple[str, ...]] = ()


def event_of(raw: bytes | str) -> tuple[Event, tuple[str, ...]]:
    """Return one event in canonical form, and the kinds of slips that were put right.

    Kinds: ``result_for_content`` (TOOL_CALL_RESULT.result), ``patch_for_delta`` (STATE_DELTA.patch),
    ``delta_not_list`` (a single operation). An event of an unknown type is returned as it is.

    Raises:
        DecodeError: what `jsontext.loads` raises; ``not_object``; ``no_type``.

    >>> event_of(b'{"type": "TOOL_CALL_END", "tool_call_id": "c", "timestamp": null}')
    ({'type': 'TOOL_CALL_END', 'toolCallId': 'c'}, ())
    """
    event = _object(raw)
    kind = event.get("type")
    if not isinstance(kind, str):
        raise DecodeError("no_type", "an object without a string `type`")
    shape = spelling.EVENTS.shapes.get(kind)
    if shape is None:
        return event, NO_VIOLATIONS
    if kind in DELTA_TARGETS and "delta" in event and event["delta"] is None:
        event["delta"] = ""
    event = respell(event, shape)
    inside = _INSIDE.get(kind)
    return event, NO_VIOLATIONS if inside is None else inside(event)


def input_of(raw: bytes | str) -> Event:
    """Return a RunAgentInput in canonical form.

    Raises:
        DecodeError: what `jsontext.loads` raises; ``not_object``.
    """
    return _input(_object(raw))


def message_of(raw: bytes | str) -> Message:
    """Return one message in canonical form; JSON that is no object is returned as it is.

    Raises:
        DecodeError: what `jsontext.loads` raises.
    """
    message: Message = _message(jsontext.loads(raw))
    return message


def _object(raw: bytes | str) -> Event:
    value = jsontext.loads(raw)
    if not isinstance(value, dict):
        raise DecodeError("not_object", "JSON, but no object")
    return value


def _each(values: Json, one: Callable[[Json], Json]) -> Json:
    return [one(value) for value in values] if isinstance(values, list) else values


def _plain(shape: Shape | Variants) -> Callable[[Json], Json]:
    """Return a function that respells an object of this shape, and returns anything else as it is."""

    def one(value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        return respell(value, shape.of(value) if isinstance(shape, Variants) else shape)

    return one


_tool_call = _plain(spelling.TOOL_CALL)
_plain_part = _plain(spelling.PARTS)
_part_source = _plain(spelling.PART_SOURCES)
_plain_message = _plain(spelling.MESSAGES)
_outcome = _plain(spelling.OUTCOMES)
_subagent_outcome = _plain(spelling.SUBAGENT_OUTCOMES)
_usage = _plain(spelling.USAGE)
_interrupt = _plain(spelling.INTERRUPT)
_resume = _plain(spelling.RESUME)
_tool = _plain(spelling.TOOL)


def _part(part: Json) -> Json:
    if not isinstance(part, dict):
        return part
    part = _plain_part(part)
    if isinstance(part.get("source"), dict):
        part["source"] = _part_source(part["source"])
    return part


def _message(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    message = _plain_message(message)
    role = message.get("role")
    if role in _HOLD_PARTS and isinstance(message.get("content"), list):
        message["content"] = _each(message["content"], _part)
    elif role == "assistant" and "toolCalls" in message:
        message["toolCalls"] = _each(message["toolCalls"], _tool_call)
    return message


def _input(sent: Event) -> Event:
    sent = respell(sent, spelling.INPUT)
    for name, one in (("messages", _message), ("tools", _tool), ("resume", _resume)):
        if name in sent:
            sent[name] = _each(sent[name], one)
    return sent


def _run_started(event: Event) -> tuple[str, ...]:
    if isinstance(event.get("input"), dict):
        event["input"] = _input(event["input"])
    return NO_VIOLATIONS


def _messages_snapshot(event: Event) -> tuple[str, ...]:
    if "messages" in event:
        event["messages"] = _each(event["messages"], _message)
    return NO_VIOLATIONS


def _terminal(event: Event) -> tuple[str, ...]:
    if "usage" in event:
        event["usage"] = _each(event["usage"], _usage)
    if "outcome" in event:
        outcome = event["outcome"] = _outcome(event["outcome"])
        if isinstance(outcome, dict) and "interrupts" in outcome:
            outcome["interrupts"] = _each(outcome["interrupts"], _interrupt)
    return NO_VIOLATIONS


def _subagent_finished(event: Event) -> tuple[str, ...]:
    if "outcome" in event:
        event["outcome"] = _subagent_outcome(event["outcome"])
    return NO_VIOLATIONS


def _tool_result(event: Event) -> tuple[str, ...]:
    if isinstance(event.get("content"), list):
        event["content"] = _each(event["content"], _part)
    if event.get("content") is not None or "result" not in event:
        return NO_VIOLATIONS
    result = event.pop("result")
    event["content"] = result if isinstance(result, str) else jsontext.dumps(result)
    return ("result_for_content",)


def _state_delta(event: Event) -> tuple[str, ...]:
    violations = NO_VIOLATIONS
    if "delta" not in event and "patch" in event:
        event["delta"] = event.pop("patch")
        violations = ("patch_for_delta",)
    delta = event.get("delta")
    if isinstance(delta, dict) and "op" in delta:
        event["delta"] = [delta]
        violations = (*violations, "delta_not_list")
    return violations


_INSIDE: Final[dict[str, Callable[[Event], tuple[str, ...]]]] = {
    "RUN_STARTED": _run_started,
    "RUN_FINISHED": _terminal,
    "RUN_ERROR": _terminal,
    "SUBAGENT_FINISHED": _subagent_finished,
    "MESSAGES_SNAPSHOT": _messages_snapshot,
    "TOOL_CALL_RESULT": _tool_result,
    "STATE_DELTA": _state_delta,
}

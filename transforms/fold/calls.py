"""Fold of tool calls: TOOL_CALL_* events become the calls of assistant messages, and messages of role tool."""

from __future__ import annotations

from collections.abc import Hashable

from schemas.events import Event, Json, Message
from transforms.fold.draft import Draft
from transforms.fold.jsvalue import MISSING, is_truthy, key_of, text_of
from transforms.fold.stream import Stream
from transforms.fold.trace import Trace


def start_call(draft: Draft, event: Event) -> None:
    """Give the call to its owner; a call that some message has already is renamed at most."""
    key = key_of(event.get("toolCallId", MISSING))
    place = draft.calls.get(key)
    if place is not None:
        _restart(draft, event, place)
        return
    position = _owner_of_new(draft, event)
    message = draft.own(position)
    if message is None:
        return
    calls = message.get("toolCalls")
    if calls is None:
        calls = message["toolCalls"] = []
    if type(calls) is not list:
        draft.violations["bad_message"] += 1
        return
    function: Message = {"arguments": ""}
    if "toolCallName" in event:
        function["name"] = event["toolCallName"]
    call: Message = {"type": "function", "function": function}
    if "toolCallId" in event:
        call["id"] = event["toolCallId"]
    if "metadata" in event:
        draft.merge_metadata(call, event)
    calls.append(call)
    draft.calls[key] = position, len(calls) - 1
    trace = draft.call_traces[id(call)] = Trace("tool")
    draft.touch(trace)
    draft.arguments[key] = Stream(function, "arguments", trace, "arguments", "")


def add_arguments(draft: Draft, event: Event) -> None:
    """Append to a call's arguments, verbatim."""
    identity = event.get("toolCallId", MISSING)
    key = identity if type(identity) is str else key_of(identity)
    stream = draft.arguments.get(key)
    if stream is None:
        stream = _open(draft, key)
        if stream is None:
            return
    delta = event.get("delta")
    if type(delta) is not str:
        if delta is not None:
            draft.violations["bad_delta"] += 1
        delta = "" if delta is None else text_of(delta)
    stream.parts.append(delta)
    if draft.last_us is not None:
        draft.touch(stream.trace)
        draft.touch(draft.traces[id(draft.messages[draft.calls[key][0]])])
    if "metadata" in event:
        _merge_metadata(draft, draft.calls[key], event)


def end_call(draft: Draft, event: Event) -> None:
    """Note the end; it closes nothing, and arguments may follow it."""
    place = draft.calls.get(key_of(event.get("toolCallId", MISSING)))
    if place is None:
        draft.violations["unknown_tool_call"] += 1
        return
    if "metadata" in event:
        _merge_metadata(draft, place, event)
    trace = draft.call_traces.get(id(draft.messages[place[0]]["toolCalls"][place[1]]))
    if trace is not None:
        trace.is_ended = True
        draft.touch(trace)


def add_result(draft: Draft, event: Event) -> None:
    """Insert a tool message after the assistant that owns the call and the tool messages that follow it."""
    role = event.get("role", MISSING)
    message: Message = {"role": role if is_truthy(role) else "tool"}
    for key, name in (("messageId", "id"), ("toolCallId", "toolCallId"), ("content", "content")):
        if key in event:
            message[name] = event[key]
    if event.get("subagentRunId") is not None:
        message["subagentRunId"] = event["subagentRunId"]
    if "metadata" in event:
        draft.merge_metadata(message, event)
    place = draft.assistant_call(key_of(event.get("toolCallId", MISSING)))
    trace = Trace("result", is_ended=True)
    if place is None:
        draft.violations["result_without_call"] += 1
        draft.append(message, trace)
        return
    owner = place[0]
    known = draft.results
    start = known[1] if known is not None and known[0] == owner else owner + 1
    position = _after_results(draft.messages, start)
    draft.insert(position, message, trace)
    draft.results = owner, position


def _restart(draft: Draft, event: Event, place: tuple[int, int]) -> None:
    call = draft.messages[place[0]]["toolCalls"][place[1]]
    function = call.get("function")
    if type(function) is not dict:
        draft.violations["bad_tool_call"] += 1
        return
    name = event.get("toolCallName", MISSING)
    if "metadata" not in event and key_of(function.get("name", MISSING)) == key_of(name):
        trace = draft.call_traces.get(id(call))
        if trace is not None:
            trace.is_ended = False
        return
    owned = draft.own_call(*place)
    if owned is None:
        return
    draft.call_traces[id(owned)].is_ended = False
    if name is MISSING:
        owned["function"].pop("name", None)
    else:
        owned["function"]["name"] = name
    if "metadata" in event:
        draft.merge_metadata(owned, event)


def _owner_of_new(draft: Draft, event: Event) -> int:
    """Return the position of the assistant message that a new call belongs to, creating it where there is none."""
    parent = event.get("parentMessageId", MISSING)
    identity = event.get("toolCallId", MISSING)
    if is_truthy(parent):
        position = draft.first.get(key_of(parent))
        if position is None:
            identity = parent
        elif type(draft.messages[position]) is dict and draft.messages[position].get("role") == "assistant":
            return position
        else:
            draft.violations["id_collision"] += 1
    return _create_owner(draft, event, identity)


def _create_owner(draft: Draft, event: Event, identity: Json) -> int:
    key: Hashable = key_of(identity)
    message: Message = {"role": "assistant", "toolCalls": []}
    if identity is not MISSING:
        message["id"] = identity
    if key not in draft.first and event.get("subagentRunId") is not None:
        message["subagentRunId"] = event["subagentRunId"]
    draft.append(message, Trace("tool", is_ended=True))
    return len(draft.messages) - 1


def _open(draft: Draft, key: Hashable) -> Stream | None:
    place = draft.calls.get(key)
    if place is None:
        draft.violations["unknown_tool_call"] += 1
        return None
    if type(draft.messages[place[0]]["toolCalls"][place[1]].get("function")) is not dict:
        draft.violations["bad_tool_call"] += 1
        return None
    call = draft.own_call(*place)
    if call is None:
        return None
    function = call["function"]
    trace = draft.call_traces[id(call)]
    trace.is_ended = False
    stream = Stream(function, "arguments", trace, "arguments", text_of(function.get("arguments", MISSING)))
    draft.arguments[key] = stream
    return stream


def _merge_metadata(draft: Draft, place: tuple[int, int], event: Event) -> None:
    call = draft.own_call(*place)
    if call is not None:
        draft.merge_metadata(call, event)


def _after_results(messages: list[Message], position: int) -> int:
    end = len(messages)
    while position < end and type(messages[position]) is dict and messages[position].get("role") == "tool":
        position += 1
    return position

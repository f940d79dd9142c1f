"""Emission: what events make of a message folds to that message, and what they cannot make is refused."""

import pytest

from schemas.view import View
from transforms.fold.reducer import Fold
from transforms.replay.emit import grown_message_events, new_message_events
from transforms.sameness import same_json

ASSISTANT = {"id": "a", "role": "assistant", "content": "hello"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"q":1}'}}
CALLING = {"id": "a", "role": "assistant", "toolCalls": [CALL]}
REASONING = {"id": "r", "role": "reasoning", "content": "hm"}
RESULT = {"id": "t", "role": "tool", "content": "42", "toolCallId": "c"}
ACTIVITY = {"id": "p", "role": "activity", "activityType": "PLAN", "content": {"step": 1}}
OWNED = {"subagentRunId": "s", "metadata": {"k": 1}}


def folded(base, events):
    fold = Fold(View(base, {}))
    for event in events:
        fold.apply(event)
    return fold.close().messages


def types_of(events):
    return [event["type"] for event in events]


def call_with(**keys):
    return {**CALLING, "toolCalls": [{**CALL, **keys}]}


@pytest.mark.parametrize(
    ("message", "count"),
    [
        (ASSISTANT, 3),
        ({**ASSISTANT, "content": ""}, 2),
        *[({**ASSISTANT, "role": role}, 3) for role in ("user", "system", "developer")],
        ({**ASSISTANT, "name": "n", **OWNED}, 3),
        ({**ASSISTANT, "encryptedValue": "E"}, 4),
        ({**ASSISTANT, "content": "half \ud83d"}, 3),
        (CALLING, 3),
        ({**CALLING, "subagentRunId": "s"}, 3),
        (call_with(function={"name": "f", "arguments": ""}), 2),
        (call_with(metadata={"k": 1}, encryptedValue="F"), 4),
        ({**ASSISTANT, "toolCalls": [CALL, {**CALL, "id": "d"}]}, 9),
        (REASONING, 5),
        ({**REASONING, **OWNED, "encryptedValue": "E"}, 6),
        (RESULT, 1),
        ({**RESULT, **OWNED, "encryptedValue": "E"}, 2),
        ({**RESULT, "content": [{"type": "text", "text": "p"}]}, 1),
        ({key: value for key, value in RESULT.items() if key != "id"}, 1),
        (ACTIVITY, 1),
        ({**ACTIVITY, "content": [1, None]}, 1),
        ({**ACTIVITY, "subagentRunId": "s"}, 1),
    ],
)
def test_a_new_message_is_folded_from_its_events(message, count):
    events = new_message_events(message)
    assert len(events) == count
    assert same_json(folded([], events), [message])


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "no id"},
        {**ASSISTANT, "id": 1},
        {**ASSISTANT, "id": None},
        {**ASSISTANT, "content": [{"type": "text", "text": "part"}]},
        {**ASSISTANT, "content": None},
        {**ASSISTANT, "unknown": 1},
        {**ASSISTANT, "toolCalls": []},
        {**ASSISTANT, "toolCalls": {}},
        {**ASSISTANT, "role": "narrator"},
        {**ASSISTANT, "role": ["assistant"]},
        {**ASSISTANT, "subagentRunId": ["s"]},
        {**REASONING, "subagentRunId": {}},
        {key: value for key, value in ASSISTANT.items() if key != "role"},
        {**CALLING, "toolCalls": ["no call"]},
        call_with(type="other"),
        call_with(extra=1),
        call_with(id=1),
        call_with(function={"name": "f"}),
        call_with(function={"name": "f", "arguments": {"q": 1}}),
        call_with(function=None),
        {**REASONING, "content": 1},
        {**REASONING, "name": "n"},
        {"role": "reasoning", "content": "no id"},
        {**RESULT, "error": "failed"},
        {key: value for key, value in RESULT.items() if key != "toolCallId"},
        {**ACTIVITY, "title": "x"},
        {key: value for key, value in ACTIVITY.items() if key != "content"},
    ],
)
def test_what_no_events_make_is_refused(message):
    assert new_message_events(message) is None


@pytest.mark.parametrize(
    ("former", "message", "types"),
    [
        (ASSISTANT, {**ASSISTANT, "content": "hello you"}, ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "_END"]),
        ({**ASSISTANT, "role": "user"}, {**ASSISTANT, "role": "user", "content": "hello!"}, ["_START", "_", "_END"]),
        (REASONING, {**REASONING, "content": "hmm"}, ["REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "_END"]),
        (ASSISTANT, {**ASSISTANT, "toolCalls": [CALL]}, ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]),
        (CALLING, {**CALLING, "content": "x"}, ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "_END"]),
        (CALLING, call_with(function={"name": "f", "arguments": '{"q":1}}'}), ["TOOL_CALL_START", "_ARGS", "_END"]),
        (CALLING, {**CALLING, "toolCalls": [CALL, {**CALL, "id": "d"}]}, ["TOOL_CALL_START", "_ARGS", "_END"]),
        (ACTIVITY, {**ACTIVITY, "content": {"step": 2}}, ["ACTIVITY_SNAPSHOT"]),
        (ACTIVITY, {**ACTIVITY, "activityType": "LOG"}, ["ACTIVITY_SNAPSHOT"]),
    ],
)
def test_growth_is_folded_onto_the_former_message(former, message, types):
    events = grown_message_events(former, message)
    assert len(events) == len(types)
    assert all(kind.endswith(ending) or ending == "_" for kind, ending in zip(types_of(events), types, strict=True))
    assert same_json(folded([former], events), [message])


def test_only_the_suffix_is_sent():
    [_, content, _] = grown_message_events(ASSISTANT, {**ASSISTANT, "content": "hello you"})
    assert content["delta"] == " you"


def test_only_the_arguments_that_are_new_are_sent():
    grown = call_with(function={"name": "f", "arguments": '{"q":1} '})
    [_, arguments, _] = grown_message_events(CALLING, grown)
    assert arguments["delta"] == " "


def test_what_did_not_grow_needs_no_events():
    assert grown_message_events(ASSISTANT, dict(ASSISTANT)) == []


@pytest.mark.parametrize(
    ("former", "message"),
    [
        (ASSISTANT, {**ASSISTANT, "content": "help"}),
        (ASSISTANT, {**ASSISTANT, "content": "hell"}),
        (ASSISTANT, {**ASSISTANT, "content": ["hello"]}),
        (ASSISTANT, {**ASSISTANT, "role": "user"}),
        (ASSISTANT, {**ASSISTANT, "metadata": {"k": 1}}),
        (ASSISTANT, {**ASSISTANT, "encryptedValue": "E"}),
        (CALLING, {**CALLING, "toolCalls": []}),
        (CALLING, {**CALLING, "toolCalls": {}}),
        (CALLING, call_with(id="d")),
        (CALLING, call_with(function={"name": "f", "arguments": "{}"})),
        (CALLING, call_with(metadata={"k": 1})),
        (ACTIVITY, {**ACTIVITY, "role": "assistant"}),
        (ACTIVITY, {**ACTIVITY, "unknown": 1}),
    ],
)
def test_any_other_change_is_refused(former, message):
    assert grown_message_events(former, message) is None


@pytest.mark.parametrize("function", [new_message_events, lambda message: grown_message_events(message, message)])
def test_messages_are_not_changed(function):
    for message in (ASSISTANT, CALLING, REASONING, RESULT, ACTIVITY):
        before = repr(message)
        function(message)
        assert repr(message) == before

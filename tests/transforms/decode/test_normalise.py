import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import DecodeError
from transforms.decode.normalise import event_of, input_of, message_of

OWN = {"a_b": None, "message_id": None, "x": [{"tool_call_id": None}]}
"""The application's own value, with keys that look like the protocol's."""


def event(value):
    return event_of(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("given_event", "canonical"),
    [
        (
            {"type": "TOOL_CALL_START", "tool_call_id": "c", "tool_call_name": "f", "parent_message_id": None},
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
        ),
        (
            {"type": "RUN_STARTED", "thread_id": "t", "run_id": "r", "parent_run_id": None, "input": None},
            {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        ),
        (
            {"type": "RUN_FINISHED", "result": None, "outcome": None, "usage": [{"input_tokens": 3, "model": None}]},
            {"type": "RUN_FINISHED", "usage": [{"inputTokens": 3}]},
        ),
        (
            {
                "type": "RUN_FINISHED",
                "outcome": {"type": "interrupt", "interrupts": [{"id": "i", "tool_call_id": "c"}]},
            },
            {"type": "RUN_FINISHED", "outcome": {"type": "interrupt", "interrupts": [{"id": "i", "toolCallId": "c"}]}},
        ),
        ({"type": "TEXT_MESSAGE_CONTENT", "delta": None}, {"type": "TEXT_MESSAGE_CONTENT", "delta": ""}),
        ({"type": "STEP_STARTED", "step_name": "a", "stepName": "b"}, {"type": "STEP_STARTED", "stepName": "b"}),
        ({"type": "STEP_STARTED", "step_name": "a", "stepName": None}, {"type": "STEP_STARTED", "stepName": "a"}),
        (
            {
                "type": "MESSAGES_SNAPSHOT",
                "messages": [{"id": "m", "role": "assistant", "content": None, "x_y": None}, 7],
            },
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "x_y": None}, 7]},
        ),
    ],
)
def test_dialects_become_one(given_event, canonical):
    assert event(given_event) == (canonical, ())


@pytest.mark.parametrize(
    "canonical",
    [
        {"type": "STATE_SNAPSHOT", "snapshot": None},
        {"type": "STATE_SNAPSHOT", "snapshot": OWN},
        {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": None}, OWN]},
        {"type": "RAW", "event": None},
        {"type": "RAW", "event": OWN, "source": "s"},
        {"type": "CUSTOM", "name": "n", "value": None},
        {"type": "CUSTOM", "name": "n", "value": OWN},
        {"type": "ACTIVITY_SNAPSHOT", "messageId": "m", "activityType": "a", "content": OWN},
        {"type": "ACTIVITY_SNAPSHOT", "messageId": "m", "activityType": "a", "content": None},
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "activity", "content": None}]},
        {"type": "ACTIVITY_DELTA", "messageId": "m", "activityType": "a", "patch": [OWN]},
        {"type": "TOOL_CALL_END", "toolCallId": "c", "metadata": OWN, "rawEvent": OWN},
        {"type": "RUN_FINISHED", "result": OWN},
        {"type": "VENDOR", "thread_id": None, "message_id": "m", "x": OWN},
        {"type": "TOOL_CALL_END", "toolCallId": "c", "vendor_key": None},
    ],
)
def test_what_is_the_applications_own_stays(canonical):
    assert event(canonical) == (canonical, ())


@pytest.mark.parametrize(
    ("slip", "canonical", "kinds"),
    [
        (
            {"type": "TOOL_CALL_RESULT", "result": "x"},
            {"type": "TOOL_CALL_RESULT", "content": "x"},
            ["result_for_content"],
        ),
        (
            {"type": "TOOL_CALL_RESULT", "result": {"a": 1}, "content": None},
            {"type": "TOOL_CALL_RESULT", "content": '{"a":1}'},
            ["result_for_content"],
        ),
        (
            {"type": "TOOL_CALL_RESULT", "result": "x", "content": "y"},
            {"type": "TOOL_CALL_RESULT", "result": "x", "content": "y"},
            [],
        ),
        ({"type": "STATE_DELTA", "patch": [OWN]}, {"type": "STATE_DELTA", "delta": [OWN]}, ["patch_for_delta"]),
        (
            {"type": "STATE_DELTA", "patch": {"op": "remove", "path": "/a"}},
            {"type": "STATE_DELTA", "delta": [{"op": "remove", "path": "/a"}]},
            ["patch_for_delta", "delta_not_list"],
        ),
        ({"type": "STATE_DELTA", "delta": "x"}, {"type": "STATE_DELTA", "delta": "x"}, []),
    ],
)
def test_slips_are_put_right_and_told(slip, canonical, kinds):
    assert event(slip) == (canonical, tuple(kinds))


def test_an_input_is_canonical_to_its_depth():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    image = {"type": "image", "source": {"mime_type": "x"}}
    sent = {
        "thread_id": "t",
        "run_id": "r",
        "parent_run_id": None,
        "state": OWN,
        "messages": [
            {"id": "a", "role": "assistant", "content": None, "tool_calls": [{**call, "encrypted_value": "e"}]},
            {
                "id": "b",
                "role": "tool",
                "tool_call_id": "c",
                "content": [image],
            },
            {"id": "d", "role": "activity", "activity_type": "p", "content": OWN},
        ],
        "tools": [{"name": "f", "description": "d", "parameters": OWN, "metadata": None}],
        "context": [],
        "forwarded_props": OWN,
        "resume": [{"interrupt_id": "i", "status": "resolved", "payload": OWN}],
    }
    assert input_of(json.dumps(sent)) == {
        "threadId": "t",
        "runId": "r",
        "state": OWN,
        "messages": [
            {"id": "a", "role": "assistant", "toolCalls": [{**call, "encryptedValue": "e"}]},
            {"id": "b", "role": "tool", "toolCallId": "c", "content": [{"type": "image", "source": {"mimeType": "x"}}]},
            {"id": "d", "role": "activity", "activityType": "p", "content": OWN},
        ],
        "tools": [{"name": "f", "description": "d", "parameters": OWN}],
        "context": [],
        "forwardedProps": OWN,
        "resume": [{"interruptId": "i", "status": "resolved", "payload": OWN}],
    }
    assert event({"type": "RUN_STARTED", "input": sent})[0]["input"] == input_of(json.dumps(sent))
    assert message_of(json.dumps(sent["messages"][0])) == input_of(json.dumps(sent))["messages"][0]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [(b"[]", "not_object"), (b"{}", "no_type"), (b"{", "not_json"), (b'{"type":"CUSTOM","v":1e999}', "number_range")],
)
def test_what_is_no_event_says_why(raw, reason):
    with pytest.raises(DecodeError) as caught:
        event_of(raw)
    assert caught.value.reason == reason


JSON = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)
KEYS = [
    "timestamp",
    "messageId",
    "toolCallId",
    "role",
    "delta",
    "metadata",
    "rawEvent",
    "content",
    "messages",
    "input",
    "x",
]
TYPES = [
    "TEXT_MESSAGE_START",
    "STATE_DELTA",
    "TOOL_CALL_RESULT",
    "MESSAGES_SNAPSHOT",
    "RUN_STARTED",
    "RUN_FINISHED",
    "RAW",
]


def snake(key):
    return re.sub("[A-Z]", lambda match: "_" + match.group().lower(), key)


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), JSON))
def test_canonical_is_reached_at_once_and_from_either_spelling(kind, keys):
    camel = {"type": kind, **keys}
    once, _ = event(camel)
    assert event(once) == (once, ())
    assert event({snake(key): value for key, value in camel.items()})[0] == once

import json

import pytest

from tests.transforms.decode.decoding import found, reasons, records

MESSAGES = [
    {"id": "u", "role": "user", "content": "hi"},
    {"id": "a", "role": "assistant", "toolCalls": [{"id": "c", "name": "f", "args": '{"x":1}'}]},
]
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}


def events(*export):
    return [json.loads(record.event) for record in records(list(export))]


def test_messages_and_state_become_snapshots():
    export = {"threadId": "t", "messages": MESSAGES, "state": {"a": 1}}
    assert events(export) == [
        {"type": "MESSAGES_SNAPSHOT", "messages": [MESSAGES[0], {"id": "a", "role": "assistant", "toolCalls": [CALL]}]},
        {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
    ]
    first, second = records([export])
    assert first.attachment.is_run_start
    assert (first.thread_id, first.run_id, second.attachment) == ("t", None, None)


def test_the_adk_form_is_unquoted_and_stripped():
    export = {
        "threadId": "t",
        "threadExists": True,
        "state": '{"a": 1, "_ag_ui_user_id": "u"}',
        "messages": "[]",
    }
    assert events(export) == [
        {"type": "MESSAGES_SNAPSHOT", "messages": []},
        {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
    ]


def test_a_thread_that_does_not_exist_is_no_log():
    assert reasons([{"threadId": "t", "threadExists": False, "state": "{}", "messages": "[]"}]) == ["not_a_log"]


@pytest.mark.parametrize("kind", ["no-snapshot", "snapshot-decode-error"])
def test_a_state_that_is_none_is_left_out(kind):
    assert found([{"kind": kind, "state": None, "skippedDeltas": 0}], thread_id="t") == []


def test_skipped_deltas_are_told():
    [record] = records([{"kind": "snapshot", "state": {}, "skippedDeltas": 2}], thread_id="t")
    assert record.attachment.violations == ("skipped_deltas",)


def test_messages_that_are_no_list_are_dead():
    assert reasons([{"threadId": "t", "messages": 7}]) == ["not_object"]
    assert reasons([{"threadId": "t", "state": "{oops"}]) == ["not_json"]


def test_an_export_without_a_thread_is_dead():
    assert reasons([{"messages": MESSAGES, "state": {}}]) == ["no_thread", "no_thread"]


def test_odd_messages_stay():
    odd = [7, {"id": "a", "toolCalls": [7, CALL, {"id": "d", "name": "g", "args": {"y": 2}}]}]
    [event] = events({"threadId": "t", "messages": odd})
    assert event["messages"][0] == 7
    assert event["messages"][1]["toolCalls"][:2] == [7, CALL]
    assert event["messages"][1]["toolCalls"][2]["function"] == {"name": "g", "arguments": '{"y":2}'}

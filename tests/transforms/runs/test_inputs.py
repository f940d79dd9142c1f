from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.rows import RunRow
from schemas.view import View
from tests.threads import compacted, lines_of
from transforms.replay.forms import History
from transforms.runs.inputs import Equals, restore_input, split_input
from transforms.sameness import same_json

HISTORY = [
    {"id": "u1", "role": "user", "content": "hi"},
    {"id": "p", "role": "activity", "activityType": "PLAN", "content": {}},
    {"id": "a1", "role": "assistant", "content": "hello"},
    {"role": "tool", "toolCallId": "c", "content": "no id"},
]


def given_input(messages, **more):
    return {"threadId": "t", "runId": "r", "messages": messages, "tools": [], "context": [], **more}


def split(given, base, fresh=()):
    final = View([*base, *fresh], {})
    run = RunRow("", "t", 1, "r")
    history = History(
        compacted(lines_of([("r", {"type": "RUN_STARTED", "runId": "r", "input": {"messages": [*fresh]}})])).runs
    )
    rows = history.runs[0].messages
    for row in rows:
        row.position += len(base)
    parts = split_input(given, run, View([*base], {}), final, rows)
    run.input, run.input_messages = parts.rest, parts.messages
    return run, restore_input(run, View([*base], {}), final, rows)


def test_all_of_the_path_and_the_new_ones_need_no_list():
    fresh = [{"id": "u2", "role": "user", "content": "more"}]
    sent = [message for message in HISTORY if message["role"] != "activity"] + fresh
    run, restored = split(given_input(sent, resume=[1]), HISTORY, fresh)
    assert run.input_messages is None
    assert same_json(restored, given_input(sent, resume=[1]))


def test_a_message_is_named_by_its_position():
    fresh = [{"id": "u2", "role": "user", "content": "more"}]
    run, restored = split(given_input([HISTORY[2], *fresh]), HISTORY, fresh)
    assert run.input_messages == "[2,-5]"
    assert same_json(restored, given_input([HISTORY[2], *fresh]))


def test_an_edited_copy_is_kept_whole():
    edited = {"id": "u1", "role": "user", "content": "edited"}
    run, restored = split(given_input([edited]), HISTORY)
    assert "edited" in run.input_messages
    assert same_json(restored, given_input([edited]))


@pytest.mark.parametrize("kept", range(len(HISTORY)))
def test_a_truncated_history_is_a_list_of_positions(kept):
    sent = [message for message in HISTORY[kept:] if message["role"] != "activity"]
    run, restored = split(given_input(sent), HISTORY)
    assert (run.input_messages is None) == (kept == 0)
    assert same_json(restored, given_input(sent))


def test_an_activity_that_was_sent_is_named():
    run, restored = split(given_input([*HISTORY]), HISTORY)
    assert run.input_messages == "[0,1,2,3]"
    assert same_json(restored, given_input([*HISTORY]))


def test_true_is_no_copy_of_one():
    base = [{"id": "u", "role": "user", "content": [{"n": 1}]}]
    sent = given_input([{"id": "u", "role": "user", "content": [{"n": True}]}])
    assert same_json(split(sent, base)[1], sent)


@pytest.mark.parametrize("messages", [None, "all", {}, 0])
def test_messages_that_are_no_list_come_back(messages):
    sent = given_input(messages)
    assert same_json(split(sent, HISTORY)[1], sent)


def test_ids_of_the_row_need_not_be_stored():
    run, _ = split(given_input([]), [])
    assert run.input == '{"tools":[],"context":[]}'


def test_an_unknown_input_is_none():
    assert restore_input(RunRow("", "t", 1, "r"), View([], {}), View([], {}), []) is None


def test_equality_is_remembered_by_object():
    one, two, three = {"a": [1]}, {"a": [1.0]}, {"a": [True]}
    equals = Equals()
    assert equals.all_same([one, one], [two, two])
    assert equals.all_same([one], [two])
    assert not equals.all_same([one], [three])


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([None, "other", "t"]))
def test_an_input_comes_back_exactly(seed, has_messages, thread):
    rng = Random(seed)
    odd = ["no message", {"id": 7}, 3, None, True, [], {"isNoMessage": True}, {"isNoMessage": True, "value": 3}]
    pool = [*HISTORY, {"id": "u1", "role": "user", "content": "edited"}, *odd]
    sent = given_input([rng.choice(pool) for _ in range(rng.randrange(6))], state={"n": [1, True, None]})
    if not has_messages:
        del sent["messages"]
    if thread is None:
        del sent["threadId"]
    else:
        sent["threadId"] = thread
    assert same_json(split(sent, HISTORY)[1], sent)

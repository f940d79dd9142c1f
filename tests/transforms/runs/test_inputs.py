from random import Random

from hypothesis import given
from hypothesis import strategies as st

from schemas.rows import RunRow
from schemas.view import View
from tests.threads import compacted, lines_of
from transforms.replay.forms import History
from transforms.runs.inputs import restore_input, split_input
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


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([None, "other", "t"]))
def test_an_input_comes_back_exactly(seed, has_messages, thread):
    rng = Random(seed)
    pool = [*HISTORY, {"id": "u1", "role": "user", "content": "edited"}, "no message", {"id": 7}, 3]
    sent = given_input([rng.choice(pool) for _ in range(rng.randrange(6))], state={"n": [1, True, None]})
    if not has_messages:
        del sent["messages"]
    if thread is None:
        del sent["threadId"]
    else:
        sent["threadId"] = thread
    assert same_json(split(sent, HISTORY)[1], sent)

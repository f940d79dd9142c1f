"""The stream form: the shortest legal events that fold to a run's view, from its parent's."""

import pytest

from schemas.view import View
from tests.threads import compacted, lines_of, random_log
from transforms.fold.reducer import Fold
from transforms.fold.verify import Lifecycle
from transforms.jsontext import dumps
from transforms.replay.forms import History
from transforms.replay.stream import ReplayError, snapshot_events, stream_events
from transforms.runs.folding import KeptEvent
from transforms.runs.rows import event_rows
from transforms.sameness import same_json

USER = {"id": "u", "role": "user", "content": "hi"}
HELLO = {"id": "a", "role": "assistant", "content": "hello"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def history_of(*runs):
    log = []
    for number, events in enumerate(runs):
        started = {"type": "RUN_STARTED", "threadId": "t", "runId": f"r{number}"}
        finished = {"type": "RUN_FINISHED", "threadId": "t", "runId": f"r{number}"}
        log += [(f"r{number}", event) for event in (started, *events, finished)]
    return History(compacted(lines_of(log)).runs)


def snapshot(*messages):
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def says(identity, *deltas):
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": identity, "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": identity, "delta": delta} for delta in deltas),
        {"type": "TEXT_MESSAGE_END", "messageId": identity},
    ]


def calls(identity, *deltas, **keys):
    return [
        {"type": "TOOL_CALL_START", "toolCallId": identity, "toolCallName": "f", **keys},
        *({"type": "TOOL_CALL_ARGS", "toolCallId": identity, "delta": delta} for delta in deltas),
        {"type": "TOOL_CALL_END", "toolCallId": identity},
    ]


def types_of(events):
    return [event["type"].removeprefix("TEXT_MESSAGE_").removeprefix("TOOL_CALL_") for event in events]


def body(history, ordinal):
    return history.stream(ordinal)[1:-1]


def assert_folds(history, ordinal):
    fold, lifecycle = Fold(View([], {})), Lifecycle()
    events = history.form(ordinal, "events")
    for event in events:
        fold.apply(event)
    view, final = fold.close(), history.replayed(ordinal).final
    assert same_json([view.messages, view.state], [final.messages, final.state])
    assert not any(map(lifecycle.check, events))


def test_deltas_become_one():
    events = body(history_of(says("a", "hel", "lo")), 0)
    assert types_of(events) == ["START", "CONTENT", "END"]
    assert events[1]["delta"] == "hello"


def test_arguments_become_one_delta():
    events = body(history_of(calls("c", '{"q"', ":1}")), 0)
    assert types_of(events) == ["START", "ARGS", "END"]
    assert events[1]["delta"] == '{"q":1}'


def test_an_unchanged_run_says_nothing():
    assert body(history_of(says("a", "x"), []), 1) == []


def test_text_appended_to_an_old_message_is_its_suffix():
    history = history_of(says("a", "hel"), says("a", "lo"))
    assert body(history, 1)[1]["delta"] == "lo"
    assert_folds(history, 1)


def test_a_call_of_an_old_message_names_it():
    history = history_of(says("a", "x"), calls("c", "{}", parentMessageId="a"))
    events = body(history, 1)
    assert (types_of(events), events[0]["parentMessageId"]) == (["START", "ARGS", "END"], "a")
    assert_folds(history, 1)


def test_arguments_appended_to_an_old_call_are_their_suffix():
    history = history_of(calls("c", '{"q"'), calls("c", ":1}"))
    assert body(history, 1)[1]["delta"] == ":1}"
    assert_folds(history, 1)


def test_a_changed_activity_is_replaced_whole():
    plan = {"type": "ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "PLAN", "content": {"step": 1}}
    patch = [{"op": "replace", "path": "/step", "value": 2}]
    delta = {"type": "ACTIVITY_DELTA", "messageId": "p", "activityType": "PLAN", "patch": patch}
    history = history_of([plan], [delta])
    [event] = body(history, 1)
    assert (event["type"], event["replace"], event["content"]) == ("ACTIVITY_SNAPSHOT", True, {"step": 2})
    assert_folds(history, 1)


def test_a_result_stands_after_its_call():
    result = {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "t", "content": "42"}
    history = history_of([*calls("c", "{}"), *says("a", "x"), result])
    assert types_of(body(history, 0)) == ["START", "ARGS", "END", "RESULT", "START", "CONTENT", "END"]
    assert_folds(history, 0)


def test_a_snapshot_of_plain_messages_is_streamed_as_text():
    history = history_of([snapshot(USER, HELLO)])
    assert types_of(body(history, 0)) == ["START", "CONTENT", "END"] * 2
    assert_folds(history, 0)


def test_a_message_edited_in_its_middle_takes_a_snapshot():
    history = history_of(says("a", "hello"), [snapshot({**HELLO, "content": "jello"})])
    assert types_of(body(history, 1)) == ["MESSAGES_SNAPSHOT"]
    assert_folds(history, 1)


def test_a_removed_message_takes_a_snapshot_after_what_is_new():
    history = history_of([snapshot(USER, HELLO)], [snapshot(HELLO), *says("b", "x")])
    assert types_of(body(history, 1)) == ["START", "CONTENT", "END", "MESSAGES_SNAPSHOT"]
    assert_folds(history, 1)


def test_swapped_messages_clear_the_view_first():
    history = history_of([snapshot(USER, HELLO)], [snapshot(), snapshot(HELLO, USER)])
    kinds = types_of(body(history, 1))
    assert kinds[-1] == "MESSAGES_SNAPSHOT"
    assert_folds(history, 1)


def test_two_subagents_with_calls_of_one_id_take_a_snapshot():
    owners = [{"id": one, "role": "assistant", "toolCalls": [CALL], "subagentRunId": one} for one in ("s1", "s2")]
    history = history_of([snapshot(*owners)])
    assert set(types_of(body(history, 0))) == {"MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT"}
    assert_folds(history, 0)


def test_what_no_stream_makes_legal_is_returned_all_the_same():
    run = history_of(says("a", "hello")).replayed(0)
    outcome = {"type": "interrupt", "interrupts": [{"id": "i", "subagentRunId": None}]}
    run.rows.run.outcome = dumps(outcome)
    events, lifecycle = stream_events(run).events, Lifecycle()
    assert types_of(events) == ["RUN_STARTED", "START", "CONTENT", "END", "RUN_FINISHED"]
    assert [lifecycle.check(event) for event in events] == [None, None, None, None, "null_owner"]


def test_an_open_call_and_an_open_text_end_before_the_terminal():
    history = history_of([*says("a", "x")[:-1], *calls("c", "{")[:-1]])
    kinds = types_of(history.stream(0))
    assert kinds.count("END") == 2
    assert kinds[-1] == "RUN_FINISHED"
    assert history.stream(0)[-1]["metadata"]["threadlake"].keys() == {"open_messages", "open_calls"}


def test_kept_events_stand_where_they_came():
    custom = {"type": "CUSTOM", "name": "n", "value": 1}
    history = history_of([*says("a", "x"), custom, *says("b", "y")])
    assert types_of(body(history, 0)) == ["START", "CONTENT", "END", "CUSTOM", "START", "CONTENT", "END"]


def test_steps_and_subagents_left_open_are_closed():
    step = {"type": "STEP_STARTED", "stepName": "p"}
    subagent = {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n"}
    history = history_of([step, subagent])
    assert types_of(body(history, 0)) == ["STEP_STARTED", "SUBAGENT_STARTED", "STEP_FINISHED", "SUBAGENT_FINISHED"]
    assert_folds(history, 0)


def test_a_kept_event_that_is_illegal_stays_in_the_table():
    history = history_of([{"type": "STEP_FINISHED", "stepName": "p"}])
    assert body(history, 0) == []
    assert [row.type for row in history.runs[0].events] == ["STEP_FINISHED"]


def test_the_state_comes_once_and_last():
    deltas = [{"type": "STATE_DELTA", "delta": [{"op": "add", "path": f"/{key}", "value": key}]} for key in "ab"]
    events = body(history_of([deltas[0], *says("a", "x"), deltas[1]]), 0)
    assert events[-1] == {"type": "STATE_SNAPSHOT", "snapshot": {"a": "a", "b": "b"}}
    assert types_of(events).count("STATE_SNAPSHOT") == 1


def test_null_is_a_state():
    history = history_of(
        [{"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}}], [{"type": "STATE_SNAPSHOT"} | {"snapshot": None}]
    )
    assert history.replayed(1).final.state is None
    assert body(history, 1) == [{"type": "STATE_SNAPSHOT", "snapshot": None}]


def test_snapshot_events_are_one_run():
    history = history_of([snapshot(USER)], says("a", "hello"))
    events = snapshot_events(history.replayed(1))
    assert types_of(events) == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED"]
    assert events[1]["messages"] == [USER, HELLO]


@pytest.mark.parametrize(("inputs", "sent"), [("full", ["u", "v"]), ("new", ["v"])])
def test_an_input_repeats_what_it_is_asked_to(inputs, sent):
    other = {"id": "v", "role": "user", "content": "more"}
    runs = [("r0", [USER]), ("r1", [USER, other])]
    log = [
        (run, {"type": "RUN_STARTED", "threadId": "t", "runId": run, "input": {"messages": messages, "tools": []}})
        for run, messages in runs
    ]
    history = History(compacted(lines_of(log)).runs)
    given = history.stream(1, inputs)[0]["input"]
    assert [message["id"] for message in given["messages"]] == sent


def test_a_verbatim_run_gives_its_events_back():
    run = history_of([]).replayed(0)
    events = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r0"}, *says("a", "hel", "lo")]
    run.rows.run.is_verbatim = True
    run.rows.events = event_rows(run.rows.run, [KeptEvent(event, None, 0) for event in events])
    assert stream_events(run).events == events


def test_a_view_that_no_events_make_is_an_error():
    run = history_of([]).replayed(0)
    run.final = View([], {"no": "row"})
    with pytest.raises(ReplayError, match="run #0 of thread 't'"):
        stream_events(run)


def test_random_streams_are_legal_and_short():
    longer = 0
    for seed in range(7000, 7060):
        log = random_log(seed)
        history = History(compacted(lines_of(log)).runs)
        for rows in history.runs:
            assert_folds(history, rows.run.run)
        longer += sum(len(history.stream(rows.run.run)) for rows in history.runs) > len(log)
    assert longer < 20

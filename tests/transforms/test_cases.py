"""Event sequences from public reports, through the whole compaction: the reference's view, and what must come out."""

import json

import pytest

from schemas.view import View
from tests.threads import compacted
from transforms import jsontext
from transforms.fold.reducer import Fold
from transforms.replay.forms import History
from transforms.sameness import same_json

KEPT_DIFFERENT = {
    "bugs-9": "snake_case keys are the protocol's here; the client does not know them",
    "bugs-31": "a redelivered event id counts once; the client folds it twice",
}


@pytest.fixture
def cases(shared):
    lines = (shared / "cases" / "event-cases.ndjson").read_text().splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def history_of(case):
    """The compaction of a bare log; what the case starts from comes as the input of a run before."""
    events = list(case["events"])
    if "messages" in case:
        given = {"type": "RUN_STARTED", "threadId": "t", "runId": "before", "input": {"messages": case["messages"]}}
        events = [given, {"type": "RUN_FINISHED", "threadId": "t", "runId": "before"}, *events]
    if not any("threadId" in event or "thread_id" in event for event in events):
        events = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}, *events]
    return History(compacted([jsontext.dumps(event).encode() for event in events]).runs)


def test_every_sequence_gives_the_views_of_the_reference(cases, reference):
    judged = reference.fold(cases.values())
    differ = []
    for name, case in cases.items():
        history = history_of(case)
        final = history.replayed(len(history.runs) - 1).final
        if not same_json(final.messages, judged[name]["messages"]) or not same_json(final.state, judged[name]["state"]):
            differ.append(name)
    assert set(differ) == set(KEPT_DIFFERENT)
    assert not any(rows.run.is_verbatim for case in cases.values() for rows in history_of(case).runs)


def test_every_patch_probe_gives_the_state_of_the_reference(shared, reference):
    probes = [json.loads(line) for line in (shared / "cases" / "json-patch-probes.ndjson").read_text().splitlines()]
    judged = reference.fold(probes)
    for probe in probes:
        fold = Fold(View([], probe["state"]))
        for event in probe["events"]:
            fold.apply(event)
        assert same_json(fold.close().state, judged[probe["id"]]["state"]), probe["id"]


def state_goes_on(history):
    assert history.replayed(1).final.state == {"log": ["a", "b"], "keep": 1}
    assert json.loads(history.runs[1].state.state) == {"log": ["a", "b"], "keep": 1}


def open_call_stays_in_its_run(history):
    [call] = history.runs[0].tool_calls
    assert (call.tool_call_id, call.arguments, call.is_complete) == ("c1", '{"q":', False)
    assert not history.runs[1].tool_calls
    types = [event["type"] for event in history.stream(0)]
    assert types.index("TOOL_CALL_END") < types.index("RUN_FINISHED")


def reasoning_and_text_are_told_apart(history):
    [message] = history.runs[0].messages
    assert (message.role, message.text) == ("reasoning", "thinkanswer")
    assert json.loads(message.pieces) == [["reasoning", 5], ["text", 6]]
    assert history.runs[0].run.violations["id_collision"] == 1


def known_messages_are_not_stored_again(history):
    assert [m["id"] for m in history.replayed(1).final.messages] == ["u1", "a1", "u2", "a2"]
    assert [row.message_id for row in history.runs[1].messages] == ["u2", "a2"]
    assert history.runs[1].run.input_messages is None
    assert [m["id"] for m in history.form(1, "input")["messages"]] == ["u1", "a1", "u2"]
    assert {"tools", "context"} <= json.loads(history.runs[1].run.input).keys()


def snake_case_is_read(history):
    assert history.replayed(0).final == View([{"id": "a1", "role": "assistant", "content": "hi"}], {"user_name": "x"})


def bad_patches_are_counted(history):
    assert history.replayed(0).final.state == {}
    assert history.runs[0].run.violations["bad_patch"] == 2


def call_and_text_share_a_message(history):
    [message] = history.replayed(0).final.messages
    assert (message["content"], len(message["toolCalls"])) == ("saved", 1)


def result_follows_its_owner(history):
    assert [m["id"] for m in history.replayed(0).final.messages] == ["m1", "m2", "t1"]
    assert history.replayed(0).final.messages[1]["content"] == "result"


def result_completes_a_call(history):
    [call] = history.runs[0].tool_calls
    assert (call.tool_call_id, call.is_complete) == ("px|ws_1", True)
    assert history.runs[0].run.violations["unknown_tool_call"] == 1


def unended_message_is_incomplete(history):
    rows = history.runs[0].messages
    assert [row.message_id for row in rows] == ["m1", "t1", "m2"]
    assert (rows[0].text, rows[0].tool_calls, rows[0].is_complete) == ("", 1, False)


def first_terminal_wins(history):
    [rows] = history.runs
    assert (rows.run.status, rows.messages[0].text) == ("error", "par")
    assert rows.run.violations["after_terminal"] == 2


def a_call_counts_once(history):
    assert [m["id"] for m in history.replayed(0).final.messages] == ["m1", "t1", "m2", "new1"]
    assert [call.tool_call_id for call in history.runs[0].tool_calls] == ["c1"]


def both_results_stay(history):
    results = [m for m in history.replayed(1).final.messages if m["role"] == "tool"]
    assert [m["id"] for m in results] == ["t1", "t1b"]
    assert sum(call.is_new for rows in history.runs for call in rows.tool_calls) == 1


def raw_is_dropped_and_counted(history):
    run = history.runs[0].run
    assert run.raw_events == 2
    assert run.raw_bytes > 80
    assert not history.runs[0].events


def interrupt_and_answer_are_kept(history):
    one, two = history.runs
    assert json.loads(one.run.outcome)["interrupts"][0]["id"] == "i1"
    assert (one.run.status, two.run.status) == ("interrupted", "finished")
    assert json.loads(two.run.input)["resume"][0]["interruptId"] == "i1"


def redelivery_is_dropped(history):
    assert history.runs[0].messages[0].text == "hi"
    assert history.runs[0].run.duplicates == 1


def made_up_result_is_flagged(history):
    [rows] = history.runs
    assert (rows.run.run_id, rows.run.status) == ("r1", "finished")
    assert [row.is_synthetic for row in rows.messages if row.role == "tool"] == [True]


def snapshots_are_history_too(history):
    assert [m["id"] for m in history.replayed(1).final.messages] == ["m2"]
    assert [m["id"] for m in history.replayed(0).final.messages] == ["m1"]
    assert all(event["type"] != "MESSAGES_SNAPSHOT" for event in history.stream(0))


RIGHT = {
    "bugs-1": state_goes_on,
    "bugs-3": open_call_stays_in_its_run,
    "bugs-5": reasoning_and_text_are_told_apart,
    "bugs-7": known_messages_are_not_stored_again,
    "bugs-9": snake_case_is_read,
    "bugs-11": bad_patches_are_counted,
    "bugs-13": call_and_text_share_a_message,
    "bugs-15": result_follows_its_owner,
    "bugs-17": result_completes_a_call,
    "bugs-19": unended_message_is_incomplete,
    "bugs-21": first_terminal_wins,
    "bugs-23": a_call_counts_once,
    "bugs-25": both_results_stay,
    "bugs-27": raw_is_dropped_and_counted,
    "bugs-29": interrupt_and_answer_are_kept,
    "bugs-31": redelivery_is_dropped,
    "bugs-33": made_up_result_is_flagged,
    "bugs-35": snapshots_are_history_too,
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_must_come_out(cases, name):
    RIGHT[name](history_of(cases[name]))


def test_every_case_with_a_right_outcome_is_asserted(cases):
    assert {name for name, case in cases.items() if "right" in case} == set(RIGHT)

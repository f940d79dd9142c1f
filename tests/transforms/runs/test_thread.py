import json

import pytest

from schemas.view import empty_view
from tests.threads import compacted, lines_of, random_log, segments_of, through_arrow
from transforms.fold.reducer import Fold
from transforms.runs import compactor as module
from transforms.runs.rebuild import rebuild_path, rebuild_view
from transforms.runs.thread import CompactOptions, compact_thread, is_rebuilt
from transforms.sameness import same_json

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
USER = {"id": "u", "role": "user", "content": "hi"}
STATE = {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}
SNAPSHOT = {"type": "MESSAGES_SNAPSHOT", "messages": [USER, {"id": "a", "role": "assistant", "content": "yes"}]}
LOG = [("r", event) for event in (START, SNAPSHOT, STATE, FINISH)]


def views(runs):
    found = {}
    for rows in runs:
        base = empty_view() if rows.run.parent is None else found[rows.run.parent]
        found[rows.run.run] = rebuild_view(base, rows)
    return [(view.messages, view.state) for view in found.values()]


@pytest.mark.parametrize(
    "tamper",
    [
        lambda rows: setattr(rows.messages[0], "text", "ho"),
        lambda rows: setattr(rows.messages[0], "role", None),
        lambda rows: setattr(rows.state, "state", '{"n":true}'),
        lambda rows: setattr(rows.run, "dropped_positions", [0]),
        lambda rows: rows.messages.pop(),
        lambda rows: setattr(rows, "state", None),
    ],
)
def test_law_1_catches_a_row_that_was_tampered_with(tamper):
    [first, rows] = compacted(lines_of([*LOG[:1], LOG[3], *LOG])).runs
    base = rebuild_path([first])
    base.messages.append({"id": "z"})
    final = rebuild_view(base, rows)
    assert is_rebuilt(rows, base, final)
    tamper(rows)
    assert not is_rebuilt(rows, base, final)


def test_an_unreadable_number_is_a_dead_letter_and_the_rest_is_kept():
    lines = lines_of([*LOG[:3], ("r", {"type": "CUSTOM", "name": "n", "value": 5}), LOG[3]])
    lines[3] = lines[3].replace(b'"value":5', b'"value":1e999')
    found = compacted(lines)
    [letter] = found.dead_letters
    assert (letter.reason, letter.stage, letter.run_id) == ("number_range", "compact", "r")
    assert letter.offset == sum(len(line) + 1 for line in lines[:3])
    assert views(found.runs) == [(SNAPSHOT["messages"], {"n": 1})]
    assert found.runs[0].run.events == 4


@pytest.mark.parametrize("place", ["event", "envelope"])
def test_an_unreadable_message_of_an_input_takes_its_record_only(place):
    given = {"messages": [{**USER, "content": 5}]}
    start = {**START, "input": given} if place == "event" else START
    value = {"threadId": "t", "runId": "r", "seq": 0, "event": start}
    if place == "envelope":
        value["input"] = given
    line = json.dumps(value).replace('"content": 5', '"content": 1e999').encode()
    found = compact_thread(segments_of([[line, *lines_of(LOG)[1:]]]))
    assert [letter.reason for letter in found.dead_letters] == ["number_range"]
    assert [rows.run.status for rows in found.runs] == ["finished"]


@pytest.mark.parametrize("seed", range(40))
def test_a_run_whose_rows_cannot_rebuild_it_is_kept_verbatim(monkeypatch, seed):
    lines = lines_of(random_log(seed))
    rows = compacted(lines).runs
    monkeypatch.setattr(module, "is_rebuilt", lambda rows, *_: rows.run.run % 2 == 1)
    verbatim = compacted(lines).runs
    assert [one.run.is_verbatim for one in verbatim] == [one.run.run % 2 == 0 for one in rows]
    assert same_json([list(view) for view in views(verbatim)], [list(view) for view in views(rows)])


def test_verbatim_rows_hold_the_events_and_go_through_arrow(monkeypatch):
    monkeypatch.setattr(module, "is_rebuilt", lambda *_: False)
    [rows] = through_arrow(compacted(lines_of(LOG)).runs)
    assert rows.run.is_verbatim
    assert [row.type for row in rows.events] == [event["type"] for _, event in LOG]
    fold = Fold(empty_view())
    for row in rows.events:
        fold.apply(json.loads(row.event), None)
    assert fold.close().messages == SNAPSHOT["messages"]


def test_a_message_that_is_no_object_is_no_loss():
    odd = {"type": "MESSAGES_SNAPSHOT", "messages": [3, None, {"isNoMessage": 4}, USER]}
    [rows] = through_arrow(compacted(lines_of([LOG[0], ("r", odd), LOG[3]])).runs)
    fold = Fold(empty_view())
    for event in (START, odd, FINISH):
        fold.apply(event, None)
    assert same_json(rebuild_path([rows]).messages, fold.close().messages)


def test_a_parent_that_is_no_text_is_shown_and_unknown():
    [_, rows] = through_arrow(compacted(lines_of([*LOG, ("s", {**START, "runId": "s", "parentRunId": "\ud83d"})])).runs)
    assert (rows.run.parent, rows.run.parent_source, rows.run.parent_run_id) == (0, "previous", '"\\ud83d"')
    assert rows.run.violations["unknown_parent"] == 1


def test_siblings_start_from_their_parents_view():
    def child(run_id, text):
        start = {**START, "runId": run_id, "parentRunId": "r", "input": {"messages": [{**USER, "id": f"u-{run_id}"}]}}
        delta = {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/by", "value": text}]}
        return [(run_id, start), (run_id, delta), (run_id, {**FINISH, "runId": run_id})]

    runs = compacted(lines_of([*LOG, *child("a", "A"), *child("b", "B")])).runs
    assert [rows.run.parent for rows in runs] == [None, 0, 0]
    ids = [[message["id"] for message in messages] for messages, _ in views(runs)]
    assert ids == [["u", "a"], ["u", "a", "u-a"], ["u", "a", "u-b"]]
    assert [state for _, state in views(runs)] == [{"n": 1}, {"n": 1, "by": "A"}, {"n": 1, "by": "B"}]


def test_linear_runs_follow_each_other_whatever_they_name():
    log = [*LOG, ("a", {**START, "runId": "a"}), ("b", {**START, "runId": "b", "parentRunId": "r"})]
    found = compact_thread(segments_of([lines_of(log)]), CompactOptions(is_linear=True))
    assert [rows.run.parent for rows in found.runs] == [None, 0, 1]


def test_redeliveries_are_counted_once_on_the_first_run_of_their_id():
    lines = lines_of([*LOG, *LOG])
    found = compact_thread(segments_of([lines, lines[2:6]]))
    assert (found.duplicates, [rows.run.duplicates for rows in found.runs]) == (4, [4, 0])
    assert [rows.run.events for rows in found.runs] == [4, 4]


def test_prompts_and_tools_are_hashed_with_the_key():
    given = {"messages": [{"id": "s", "role": "system", "content": "be kind"}], "tools": [{"name": "f"}]}
    segments = segments_of([lines_of([("r", {**START, "input": given}), LOG[3]])])
    hashes = {
        (row.system_prompt_hash, row.tools_hash)
        for key in (b"", b"k", b"k")
        for row in [compact_thread(segments, CompactOptions(key=key)).runs[0].run]
    }
    assert len(hashes) == 2
    assert None not in {one for pair in hashes for one in pair}


def test_a_run_of_nothing_but_unreadable_records_keeps_its_time():
    lines = lines_of([*LOG, ("r", {"type": "STATE_SNAPSHOT", "snapshot": 7})])
    lines[-1] = lines[-1].replace(b'"snapshot":7', b'"snapshot":1e999')
    found = compact_thread(segments_of([lines]))
    assert [letter.reason for letter in found.dead_letters] == ["number_range"]
    assert [rows.run.events for rows in found.runs] == [len(LOG), 0]
    assert found.runs[1].run.ended_at > found.runs[0].run.ended_at
    assert found.runs[1].run.parent == 0


def test_two_runs_go_on_from_one_open_chunk():
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a"}
    more = {"type": "TEXT_MESSAGE_CHUNK", "delta": "b"}
    end = {"type": "CUSTOM", "name": "n", "value": 1}
    runs = compacted(lines_of([("r", START), ("r", chunk), ("s", end), ("s", more), ("r", more)])).runs
    assert [(rows.run.run_id, rows.run.parent) for rows in runs] == [("r", None), ("s", 0), ("r", 0)]
    assert [[row.text for row in rows.messages] for rows in runs] == [["a"], [], ["ab"]]

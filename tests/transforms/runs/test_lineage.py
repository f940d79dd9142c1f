import json

import pytest

from tests.threads import segments_of
from transforms.runs.lineage import trace_runs
from transforms.segments.ordering import order_items
from transforms.segments.parsing import ParsedItems

TEXT = {"type": "TEXT_MESSAGE_START", "messageId": "m"}
END = {"type": "TEXT_MESSAGE_END", "messageId": "m"}


def start(run, **more):
    return run, {"type": "RUN_STARTED", "threadId": "t", "runId": run, **more}


def finish(run):
    return run, {"type": "RUN_FINISHED", "threadId": "t", "runId": run}


def trace(*events, bare=False, cut=None):
    if bare:
        lines = [json.dumps(event).encode() for _, event in events]
    else:
        lines = [
            json.dumps({"threadId": "t", "runId": run, "seq": seq, "event": event}).encode()
            for seq, (run, event) in enumerate(events)
        ]
    objects = [lines] if cut is None else [lines[:cut], lines[cut:]]
    return trace_runs(order_items(segments_of(objects)).items, ParsedItems())


def shape(lineage):
    return [(run.run_id, run.parent, run.parent_source) for run in lineage.runs]


def kinds(lineage):
    return [dict(run.violations) for run in lineage.runs]


def test_the_event_names_the_parent_before_its_input_does():
    named = start("c", parentRunId="a", input={"parentRunId": "b", "messages": []})
    lineage = trace(start("a"), finish("a"), start("b"), finish("b"), named, finish("c"))
    assert shape(lineage) == [("a", None, "root"), ("b", 0, "previous"), ("c", 0, "event")]


def test_the_input_names_it_where_the_event_does_not():
    lineage = trace(start("a"), finish("a"), start("b"), finish("b"), start("c", input={"parentRunId": "a"}))
    assert shape(lineage)[2] == ("c", 0, "input")


@pytest.mark.parametrize(("claim", "kind"), [("nobody", "unknown_parent"), ("b", "self_parent")])
def test_a_bad_parent_falls_back_to_the_run_before(claim, kind):
    lineage = trace(start("a"), finish("a"), start("b", parentRunId=claim), finish("b"))
    assert shape(lineage)[1] == ("b", 0, "previous")
    assert kinds(lineage)[1] == {kind: 1}


def test_a_cycle_is_told_from_an_unknown_parent():
    lineage = trace(start("a", parentRunId="b"), finish("a"), start("b", parentRunId="a"), finish("b"))
    assert shape(lineage) == [("a", None, "root"), ("b", 0, "event")]
    assert kinds(lineage) == [{"cyclic_parent": 1}, {}]


def test_a_run_ends_when_its_child_starts():
    lineage = trace(start("a"), start("b"), finish("b"))
    assert [run.ended_by for run in lineage.runs] == ["child", "terminal"]


def test_a_sibling_ends_nothing():
    lineage = trace(start("a"), finish("a"), start("b", parentRunId="a"), start("c", parentRunId="a"), finish("b"))
    assert [run.ended_by for run in lineage.runs] == ["terminal", "terminal", None]


def test_what_comes_after_the_end_continues_the_run():
    lineage = trace(start("a"), finish("a"), ("a", TEXT), finish("a"))
    assert shape(lineage) == [("a", None, "root"), ("a", 0, "continuation")]
    assert kinds(lineage)[1] == {"continued": 1}


def test_what_cannot_change_the_view_stays_with_the_run():
    lineage = trace(start("a"), ("a", TEXT), finish("a"), ("a", END), finish("a"))
    assert shape(lineage) == [("a", None, "root")]
    assert kinds(lineage) == [{"after_terminal": 2}]


def test_a_late_terminal_alone_is_a_dead_letter():
    lineage = trace(start("a"), start("b"), finish("b"), finish("a"))
    assert len(lineage.runs) == 2
    [letter] = lineage.dead_letters
    assert (letter.reason, letter.run_id, letter.thread_id) == ("late_terminal", "a", "t")


def test_a_run_id_may_be_used_again():
    lineage = trace(start("a"), finish("a"), start("a"), finish("a"))
    assert shape(lineage) == [("a", None, "root"), ("a", 0, "previous")]


def test_a_second_start_of_an_open_run_is_a_violation():
    lineage = trace(start("a"), start("a"), finish("a"))
    assert shape(lineage) == [("a", None, "root")]
    assert kinds(lineage) == [{"duplicate_run_started": 1}]


def test_without_seq_a_start_in_another_object_is_another_run():
    lineage = trace(start("a"), start("a"), finish("a"), bare=True, cut=1)
    assert shape(lineage) == [("a", None, "root"), ("a", 0, "previous")]


def test_a_run_may_lack_its_start():
    lineage = trace(("a", TEXT), finish("a"))
    assert kinds(lineage) == [{"no_run_started": 1}]


def test_a_terminal_under_another_id_ends_the_run_of_its_object():
    lineage = trace(start("a"), (None, TEXT), finish("graph-7"), bare=True)
    assert shape(lineage) == [("a", None, "root")]
    assert (kinds(lineage), lineage.runs[0].ended_by) == ([{"unstable_run_id": 1}], "terminal")

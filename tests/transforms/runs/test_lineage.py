import json

import pytest

from schemas.records import Attachment, Owner, Record, Source
from tests.threads import lines_of, random_log, segments_of
from transforms.runs.lineage import VIOLATIONS, trace_runs
from transforms.segments.builder import SegmentBuilder
from transforms.segments.ordering import order_items
from transforms.segments.parsing import ParsedItems
from transforms.segments.rawpolicy import RawChoice, RawPolicy

OWNER = Owner()

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


def trace_attached(*records):
    """Trace (run, event type, attachment) records that have no seq."""
    builder = SegmentBuilder(Source("log", 0), RawPolicy(RawChoice.DROP), (None, None))
    builder.add_all(
        [
            Record("t", run, kind, place, 9, OWNER, event=json.dumps({"type": kind}).encode(), attachment=attachment)
            for place, (run, kind, attachment) in enumerate(records)
        ]
    )
    return trace_runs(order_items(builder.finish()).items, ParsedItems())


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


def test_the_input_around_the_events_names_it_before_the_store_does():
    given = Attachment(input=b'{"parentRunId":"a"}', store_parent_run_id="b")
    lineage = trace_attached(
        ("a", "RUN_STARTED", None), ("b", "RUN_STARTED", None), ("c", "RUN_STARTED", None), ("d", "RUN_STARTED", given)
    )
    assert shape(lineage)[3] == ("d", 0, "input")
    assert lineage.runs[3].claim == "a"


def test_the_store_names_it_where_nothing_else_does():
    given = Attachment(store_parent_run_id="a")
    lineage = trace_attached(("a", "RUN_STARTED", None), ("b", "RUN_STARTED", None), ("c", "RUN_STARTED", given))
    assert shape(lineage)[2] == ("c", 0, "store")


def test_an_unknown_parent_gives_way_to_a_weaker_claim():
    given = Attachment(input=b'{"parentRunId":"nobody"}', store_parent_run_id="a")
    lineage = trace_attached(("a", "RUN_STARTED", None), ("b", "RUN_STARTED", None), ("c", "RUN_STARTED", given))
    assert shape(lineage)[2] == ("c", 0, "store")
    assert (lineage.runs[2].claim, kinds(lineage)[2]["unknown_parent"]) == ("nobody", 1)


def test_one_claim_that_is_told_twice_is_one_violation():
    lineage = trace(start("a"), start("b", parentRunId="x", input={"parentRunId": "x", "messages": []}), finish("b"))
    assert kinds(lineage)[1] == {"unknown_parent": 1}


@pytest.mark.parametrize("claim", ["", None, 3, ["a"]])
def test_what_is_no_run_id_claims_nothing(claim):
    lineage = trace(start("a"), finish("a"), start("b", parentRunId=claim), finish("b"))
    assert (shape(lineage)[1], lineage.runs[1].claim, kinds(lineage)[1]) == (("b", 0, "previous"), None, {})


def test_the_latest_run_of_an_id_is_the_parent():
    lineage = trace(start("a"), finish("a"), start("a"), finish("a"), start("b", parentRunId="a"), finish("b"))
    assert shape(lineage)[2] == ("b", 1, "event")


def test_a_run_row_begins_a_run_even_without_its_start():
    row = Attachment(is_run_start=True)
    lineage = trace_attached(
        ("a", "STATE_SNAPSHOT", row),
        ("a", "RUN_FINISHED", None),
        ("a", "STATE_SNAPSHOT", row),
        ("a", "RUN_STARTED", None),
    )
    assert shape(lineage) == [("a", None, "root"), ("a", 0, "previous")]
    assert kinds(lineage) == [{"no_run_started": 1}, {"no_run_started": 1, "no_terminal": 1}]


@pytest.mark.parametrize(("claim", "kind"), [("nobody", "unknown_parent"), ("b", "self_parent")])
def test_a_bad_parent_falls_back_to_the_run_before(claim, kind):
    lineage = trace(start("a"), finish("a"), start("b", parentRunId=claim), finish("b"))
    assert shape(lineage)[1] == ("b", 0, "previous")
    assert kinds(lineage)[1] == {kind: 1}


def test_a_cycle_is_told_by_the_run_that_closes_it():
    lineage = trace(start("a", parentRunId="b"), finish("a"), start("b", parentRunId="a"), finish("b"))
    assert shape(lineage) == [("a", None, "root"), ("b", 0, "event")]
    assert kinds(lineage) == [{"unknown_parent": 1}, {"cyclic_parent": 1}]


def test_a_run_ends_when_its_child_starts():
    lineage = trace(start("a"), start("b"), finish("b"))
    assert [run.ended_by for run in lineage.runs] == ["child", "terminal"]


def test_a_sibling_ends_nothing():
    lineage = trace(start("a"), finish("a"), start("b", parentRunId="a"), start("c", parentRunId="a"), finish("b"))
    assert [run.ended_by for run in lineage.runs] == ["terminal", "terminal", "log"]


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


def test_a_run_that_names_another_thread_stays_in_its_envelopes():
    lineage = trace(("a", {"type": "RUN_STARTED", "threadId": "u", "runId": "a"}), finish("a"))
    assert kinds(lineage) == [{"thread_mismatch": 1}]


def test_a_run_without_its_terminal_says_so():
    lineage = trace(start("a"), ("a", TEXT))
    assert (kinds(lineage), lineage.runs[0].ended_by) == ([{"no_terminal": 1}], "log")


def test_a_child_ends_its_parent_and_what_follows_continues_it():
    lineage = trace(start("a"), start("b"), ("a", TEXT), finish("b"))
    assert shape(lineage) == [("a", None, "root"), ("b", 0, "previous"), ("a", 0, "continuation")]
    assert kinds(lineage)[2] == {"continued": 1, "no_terminal": 1}


def test_even_a_neutral_event_continues_what_a_child_ended():
    lineage = trace(start("a"), start("b"), ("a", END), finish("b"))
    assert shape(lineage)[2] == ("a", 0, "continuation")


def test_a_terminal_ends_the_continuation_of_its_run():
    lineage = trace(start("a"), start("b"), ("a", TEXT), finish("a"), finish("b"))
    assert [run.ended_by for run in lineage.runs] == ["child", "terminal", "terminal"]
    assert lineage.dead_letters == []


def test_events_without_a_run_id_go_to_the_latest_run():
    lineage = trace(start("a"), finish("a"), start("b"), (None, TEXT), finish("b"), bare=True)
    assert [len(run.items) for run in lineage.runs] == [2, 3]


def test_with_seq_a_strange_terminal_is_a_run_of_its_own():
    lineage = trace(start("a"), finish("graph-7"))
    assert [run.run_id for run in lineage.runs] == ["a", "graph-7"]


def test_linear_runs_follow_each_other_whatever_they_name():
    events = [start("a"), start("b"), start("c", parentRunId="a"), finish("c")]
    lines = [json.dumps({"threadId": "t", "runId": run, "event": event}).encode() for run, event in events]
    lineage = trace_runs(order_items(segments_of([lines])).items, ParsedItems(), is_linear=True)
    assert [run.parent for run in lineage.runs] == [None, 0, 1]


@pytest.mark.parametrize("seed", range(60))
def test_every_item_has_one_place_and_every_parent_is_earlier(seed):
    items = order_items(segments_of([lines_of(random_log(seed))])).items
    lineage = trace_runs(items, ParsedItems())
    placed = [id(one) for run in lineage.runs for one in run.items]
    assert len(placed) == len(set(placed)) == len(items) - len(lineage.dead_letters)
    for ordinal, run in enumerate(lineage.runs):
        assert run.ordinal == ordinal
        assert (run.parent is None) == (ordinal == 0)
        assert run.parent is None or run.parent < ordinal
        assert run.violations.keys() <= VIOLATIONS.keys()

import pytest

from schemas.records import Owner
from schemas.rows import RunRow
from schemas.segments import Item, Segment
from transforms.jsontext import text_or_none
from transforms.runs.facts import RunFacts
from transforms.segments.ordering import Placed

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
SEGMENT = Segment("t", Owner(), "log", 0, 0, 9, [], [], 77, "path")


def facts_of(*events, times=True, source="event"):
    facts = RunFacts()
    for place, event in enumerate(events, 1):
        moment = place * 10 if times else None
        item = Item(
            event["type"], "r", place, 9, first_us=moment, last_us=moment, time_source=source if times else None
        )
        facts.note_item(Placed(item, SEGMENT))
        facts.note_event(event, item)
    return facts


def row_of(*events, **more):
    row = RunRow("", "t", 0, "r")
    facts_of(*events, **more).fill(row)
    return row


@pytest.mark.parametrize(
    ("terminal", "status"),
    [
        (FINISH, "finished"),
        ({**FINISH, "outcome": {"type": "success"}}, "finished"),
        ({**FINISH, "outcome": {"type": "interrupt", "interrupts": []}}, "interrupted"),
        ({**FINISH, "outcome": {"type": "cancelled"}}, "cancelled"),
        ({**FINISH, "outcome": {"type": ["odd"]}}, "finished"),
        ({**FINISH, "outcome": "odd"}, "finished"),
        ({"type": "RUN_ERROR", "message": "m"}, "error"),
        ({"type": "CUSTOM", "name": "n"}, "abandoned"),
        ({"type": "RUN_ERROR", "metadata": {"threadlake": {"status": "abandoned"}}}, "abandoned"),
    ],
)
def test_the_terminal_tells_the_status(terminal, status):
    assert row_of(START, terminal).status == status


@pytest.mark.parametrize("mark", [{"status": "\ud83d"}, {"status": "odd"}, {"open_messages": "all"}, 3])
def test_a_mark_that_no_replay_leaves_says_nothing(mark):
    row = row_of(START, {**FINISH, "metadata": {"threadlake": mark, "k": 1}})
    assert (row.status, row.metadata) == ("finished", '{"k":1}')


def test_marks_are_read():
    mark = {"open_messages": [2], "open_calls": [[1, 0]]}
    marks = facts_of(START, {**FINISH, "metadata": {"threadlake": mark}}).marks
    assert (marks.status, marks.open_messages, marks.open_calls) == (None, [2], [(1, 0)])


def test_the_first_terminal_counts():
    row = row_of(START, {**FINISH, "result": None}, {"type": "RUN_ERROR", "message": "late"})
    assert (row.status, row.result, row.error_message, row.ended_at) == ("finished", "null", None, 20)


def test_an_error_is_text_whatever_it_is():
    row = row_of({"type": "RUN_ERROR", "message": "\ud83d", "code": 5})
    assert (row.error_message, row.error_code) == ('"\\ud83d"', "5")


def test_times_are_those_of_the_events():
    text = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}
    row = row_of(START, text, text, FINISH)
    assert (row.started_at, row.first_text_at, row.ended_at, row.time_source) == (10, 20, 40, "event")


def test_without_times_the_object_has_one():
    row = row_of(START, FINISH, times=False)
    assert (row.started_at, row.first_text_at, row.ended_at, row.time_source) == (77, None, 77, "path")


def test_metadata_of_start_and_end_is_merged():
    row = row_of({**START, "metadata": {"a": 1, "b": 1}}, {**FINISH, "metadata": {"b": 2}})
    assert row.metadata == '{"a":1,"b":2}'


def test_tags_are_texts():
    assert row_of({**START, "metadata": {"tags": ["a", 1, "", None, "\ud83d"]}}).tags == ["a", "1", '"\\ud83d"']
    assert row_of({**START, "input": {"forwardedProps": {"tags": ["f"]}}}).tags == ["f"]
    assert row_of({**START, "metadata": {"tags": "no list"}}).tags == []


def test_the_input_around_a_run_is_what_the_agent_was_given():
    facts = facts_of({**START, "input": {"state": 1, "protocolVersion": "1.0"}})
    assert (facts.given["state"], facts.input_source) == (1, "event")
    facts.note_envelope_input({"state": 2})
    assert (facts.given["state"], facts.input_source) == (2, "envelope")


@pytest.mark.parametrize(("value", "text"), [(None, None), ("a", "a"), ("\ud83d", '"\\ud83d"'), ({"a": 1}, '{"a":1}')])
def test_a_text_column_takes_any_value(value, text):
    assert text_or_none(value) == text

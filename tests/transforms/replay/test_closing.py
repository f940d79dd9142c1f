"""Closing: the terminal says what the run's row says, and what a second compaction could not see by itself."""

import pytest

from schemas.rows import MessageRow, RunRow, RunRows, ToolCallRow, UsageRow
from tests.threads import compacted, lines_of
from transforms.jsontext import dumps
from transforms.replay.closing import terminal_event
from transforms.replay.forms import History
from transforms.runs.facts import MARK_KEY

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
TEXT = {"type": "TEXT_MESSAGE_START", "messageId": "a", "role": "assistant"}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "a"}


def rows_of(messages=(), tool_calls=(), usage=(), run_id="r", **columns):
    run = RunRow("", "t", 3, run_id, **columns)
    return RunRows(run, list(usage), list(messages), list(tool_calls), None, [])


def message(position, *, is_complete):
    return MessageRow("", "t", 3, "r", position, is_complete=is_complete)


def call(position, index, *, is_complete):
    return ToolCallRow("", "t", 3, "r", position, index, is_complete=is_complete)


@pytest.mark.parametrize("status", ["finished", "interrupted", "cancelled"])
def test_a_run_that_came_to_its_end_is_finished(status):
    assert terminal_event(rows_of(status=status)) == FINISH


def test_outcome_and_result_are_said_again():
    outcome = {"type": "interrupt", "interrupts": [{"id": "i"}]}
    event = terminal_event(rows_of(status="interrupted", outcome=dumps(outcome), result="null"))
    assert event == {**FINISH, "outcome": outcome, "result": None}


def test_a_run_without_an_id_is_named_by_its_ordinal():
    assert terminal_event(rows_of(run_id=None, status="finished"))["runId"] == "run-3"


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        ({"error_message": "no", "error_code": "E"}, {"message": "no", "code": "E"}),
        ({"error_message": "no"}, {"message": "no"}),
        ({}, {"message": "error"}),
    ],
)
def test_an_error_is_an_error(columns, keys):
    assert terminal_event(rows_of(status="error", **columns)) == {"type": "RUN_ERROR", **keys}


def test_an_abandoned_run_gets_a_marked_error():
    event = terminal_event(rows_of(status="abandoned"))
    assert event == {"type": "RUN_ERROR", "message": "abandoned", "metadata": {MARK_KEY: {"status": "abandoned"}}}


def test_marks_stand_beside_the_metadata_of_the_run():
    rows = rows_of(
        [message(0, is_complete=True), message(1, is_complete=False)],
        [call(1, 0, is_complete=True), call(1, 1, is_complete=False)],
        status="finished",
        metadata='{"k":1}',
    )
    assert terminal_event(rows)["metadata"] == {"k": 1, MARK_KEY: {"open_messages": [1], "open_calls": [[1, 1]]}}


def test_usage_is_told_but_what_vendor_events_tell():
    usage = [
        UsageRow("", "t", 3, "r", "p", "m", 1, 2, 3, 4, 5, 6, extra='{"note":"x"}'),
        UsageRow("", "t", 3, "r", model="raw", input_tokens=0, source="raw"),
        UsageRow("", "t", 3, "r", model="vendor", input_tokens=9, source="vendor"),
    ]
    first, second = terminal_event(rows_of(usage=usage, status="finished"))["usage"]
    assert first == {
        "provider": "p",
        "model": "m",
        "inputTokens": 1,
        "outputTokens": 2,
        "totalTokens": 3,
        "reasoningTokens": 4,
        "cachedInputTokens": 5,
        "cacheWriteTokens": 6,
        "note": "x",
    }
    assert second == {"model": "raw", "inputTokens": 0}


@pytest.mark.parametrize("ends", [[], [FINISH], [{"type": "RUN_ERROR", "message": "failed", "code": "X"}]])
@pytest.mark.parametrize("body", [[], [TEXT], [TEXT, CALL], [CALL]])
def test_ends_and_status_survive_a_second_compaction(body, ends):
    first = History(compacted(lines_of([("r", event) for event in [START, *body, *ends]])).runs)
    second = History(compacted(lines_of([("r", event) for event in first.stream(0)])).runs)
    facts = [
        (
            rows.run.status,
            rows.run.error_message,
            rows.run.error_code,
            [row.is_complete for row in rows.messages],
            [row.is_complete for row in rows.tool_calls],
        )
        for rows in (first.runs[0], second.runs[0])
    ]
    assert facts[0] == facts[1]
    assert first.stream(0)[-1] == second.stream(0)[-1]


def test_usage_survives_a_second_compaction():
    usage = [{"model": "m", "provider": "p", "inputTokens": 1, "outputTokens": 2, "note": "x"}]
    first = History(compacted(lines_of([("r", START), ("r", {**FINISH, "usage": usage})])).runs)
    second = History(compacted(lines_of([("r", event) for event in first.stream(0)])).runs)
    assert second.runs[0].usage == first.runs[0].usage
    assert first.stream(0)[-1]["usage"] == usage

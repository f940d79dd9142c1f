"""What the laws of compaction compare: rows without the columns that a redelivery or a replay may change."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from schemas.events import Event
from schemas.rows import RunRows
from transforms import jsontext
from transforms.replay.forms import History

COUNTERS = ("events", "bytes", "duplicates")
"""Columns of runs that a redelivery may change."""

TOLD_APART = {
    "run_id": "the test gives every run a name of its own, since the log's repeat",
    "first_at": "a time of the raw log",
    "last_at": "a time of the raw log",
    "origin": "a message that came in a snapshot is streamed, and the other way round",
    "is_new": "a view that must be cleared first brings its old messages again",
    "pieces": "stretches of one message become one delta",
    "same_as": "clients of the stream can hold two equal messages for one",
}
"""Columns that a replay legitimately changes, and why."""


def named_streams(history: History) -> Iterator[tuple[str, Event]]:
    """Yield (run id, event) of a thread's replay, each run under a name of its own, which its children name."""
    for rows in history.runs:
        run = rows.run
        started, *rest = history.stream(run.run)
        parent = None if run.parent is None else f"run-{run.parent}"
        given = started.get("input", {"messages": []}) | {"parentRunId": None}
        named = {"runId": f"run-{run.run}", "parentRunId": parent, "input": given}
        yield from ((f"run-{run.run}", event) for event in [started | named, *rest])


def view_columns(rows: RunRows) -> tuple[Any, ...]:
    """Return what the rows say of the view, in every column but TOLD_APART; a malformed call's keys in any order."""
    tables: list[Sequence[msgspec.Struct]] = [
        rows.messages,
        rows.tool_calls,
        [rows.state] if rows.state is not None else [],
    ]
    columns = [
        {key: value for key, value in msgspec.structs.asdict(row).items() if key not in TOLD_APART}
        for table in tables
        for row in table
    ]
    for row in columns:
        if row.get("extra") is not None:
            row["extra"] = jsontext.loads(row["extra"])
        if row.get("tool_calls") and row["text"] is None:
            del row["is_complete"]  # an END of no text: a replay has no text to end
    return columns, rows.run.dropped_positions, rows.run.status, rows.run.outcome, rows.run.result


def without_counters(rows: RunRows) -> RunRows:
    """Return the rows of a run, COUNTERS set to nothing."""
    run = msgspec.structs.replace(rows.run, **dict.fromkeys(COUNTERS, 0))
    return msgspec.structs.replace(rows, run=run)

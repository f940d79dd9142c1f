"""History: the lake's rows of one thread become its runs, each with all of its rows."""

from __future__ import annotations

from typing import cast

import msgspec

from pipelines.io.lake import Lake
from pipelines.io.rows import thread_rows
from pipelines.io.threads import thread_runs
from schemas.errors import ConfigError
from schemas.lake import Commit
from schemas.rows import EventRow, MessageRow, RunRow, RunRows, StateRow, ToolCallRow, UsageRow
from transforms.runs.arrow import rows_of_table


def thread_history(lake: Lake, thread_id: str, tenant_id: str | None, commits: list[Commit]) -> list[RunRows]:
    """Return the runs of one thread, by ordinal.

    Raises:
        ConfigError: no such thread, or one id in several tenants.
    """
    runs = cast("list[RunRow]", rows_of_table("runs", thread_runs(lake, thread_id, tenant_id, commits)))
    tenant_id = runs[0].tenant_id
    history = {run.run: RunRows(run, [], [], [], None, []) for run in runs}

    def rows(table: str) -> list[msgspec.Struct]:
        return rows_of_table(table, thread_rows(lake, table, thread_id, tenant_id, commits))

    for usage in cast("list[UsageRow]", rows("usage")):
        history[usage.run].usage.append(usage)
    for message in cast("list[MessageRow]", rows("messages")):
        history[message.run].messages.append(message)
    for call in cast("list[ToolCallRow]", rows("tool_calls")):
        history[call.run].tool_calls.append(call)
    for state in cast("list[StateRow]", rows("states")):
        history[state.run].state = state
    for event in cast("list[EventRow]", rows("events")):
        history[event.run].events.append(event)
    return list(history.values())


def find_run(runs: list[RunRows], name: str | None) -> RunRows:
    """Return the run of ``#ordinal``, the last one of a run id, or the newest.

    An ordinal comes before an id, should a log have ids such as ``#1``: each run can be reached by its ordinal.

    Raises:
        ConfigError: no such run.
    """
    if name is None:
        return runs[-1]
    numbered = [rows for rows in runs if name == f"#{rows.run.run}"]
    named = numbered or [rows for rows in runs if name == rows.run.run_id]
    if not named:
        thread_id = runs[0].run.thread_id
        raise ConfigError(f"thread {thread_id!r} has no run {name!r}; `threadlake tree` shows its runs")
    return named[-1]

"""Views: what `threadlake sql` offers beside the tables, as a chapter of docs/tables.md."""

from __future__ import annotations

from typing import Final

import msgspec


class View(msgspec.Struct, frozen=True):
    """One view: what a row is, the table whose columns it repeats, and its further columns."""

    row: str
    columns: dict[str, str]
    table: str = ""


_HEAD: Final = """\
`threadlake sql` defines them; the SQL is in `pipelines/sql/views`. The *active branch* of a thread is the path to its
newest run.
"""
_THREAD: Final = {"tenant_id": "as in `runs`", "thread_id": "as in `runs`"}
_RUN: Final = {**_THREAD, "run": "ordinal of the run", "run_id": "AG-UI runId"}

VIEWS: Final = {
    "v_threads": View(
        "one thread. Messages count its active branch, everything else every branch",
        {
            **_THREAD,
            "user_ids": "its users, sorted",
            "agent_ids": "its agents, sorted",
            "first_at": "time of its first event",
            "last_at": "time of its last event",
            "runs": "number of runs",
            "branches": "number of runs that none continues",
            "messages": "messages in the view of its newest run",
            "tool_calls": "number of tool calls",
            "input_tokens": "sum over its runs; null where no run tells",
            "output_tokens": "as above",
            "total_tokens": "as above",
            "last_status": "status of its newest run",
        },
    ),
    "v_runs": View(
        "one run",
        {
            "continues_run_id": "run id of its parent, whichever way the parent was found",
            "depth": "parents up to the root, 0 for a root",
            "is_leaf": "no run continues it",
            "is_active_branch": "it is on the path to the thread's newest run",
            "duration_ms": "from its first event to its last",
            "input_tokens": "sum over its rows of `usage`; null where none tells",
            "output_tokens": "as above",
            "total_tokens": "as above; input and output where a row has no total",
        },
        "runs",
    ),
    "v_paths": View(
        "one thread",
        {
            **_THREAD,
            "newest_run": "ordinal of its newest run",
            "path": "ordinals from the root to the newest run: the active branch",
            "runs": "ordinals of all of its runs",
            "depths": "depth of each of these, in the same order",
        },
    ),
    "v_messages": View(
        "one message of a thread's active branch, in its last version; verbatim runs left aside",
        {"view_position": "index in the view of the newest run; `run` and `position` say which row it is"},
        "messages",
    ),
    "v_tool_calls": View(
        "one tool call, once, with its result from whichever run brought it",
        {
            **_RUN,
            "position": "of the message that asks for it, in the view at the run's end",
            "call_index": "index in that message",
            "tool_call_id": "AG-UI toolCallId",
            "name": "tool",
            "arguments": "as they came, JSON or not",
            "validity": "of the arguments: object, json, empty or invalid",
            "message_id": "id of the message",
            "message_text": "its text",
            "subagent_run_id": "subagent that wrote it",
            "result": "text of the tool message; of the active branch where branches answer the same call",
            "result_error": "its error",
            "result_count": "tool messages that answer the call",
            "resolved_by_run": "ordinal of the run that brought the result",
            "executor": "client where a later run's input brought it, else server; null without a result",
            "latency_ms": "from the call's end to the result",
            "status": "complete, or incomplete where the call or its result is not there or was made up by a store",
            "first_at": "as in `tool_calls`",
            "last_at": "as in `tool_calls`",
            "dt": "partition of the call's run",
        },
    ),
    "v_interrupts": View(
        "one interrupt that a run ended with, and its answer",
        {
            **_RUN,
            "interrupt_id": "its id",
            "reason": "its reason",
            "message": "its message",
            "tool_call_id": "the tool call that waits for it",
            "interrupt": "JSON: the whole of it",
            "asked_at": "time of the run's end",
            "resolved_by_run": "ordinal of the run whose input answered it; null while it is open",
            "resolution": "status of the answer",
            "payload": "JSON: payload of the answer",
            "resolved_at": "start of the run that answered",
            "dt": "partition of the run that asked",
        },
    ),
}
"""The views of pipelines/sql/views; where a view repeats a table, its ``dt`` comes too."""


def views_chapter() -> str:
    """Return the chapter of the views."""
    parts = ["## Views", "", _HEAD]
    for name, view in VIEWS.items():
        all_of = f" All columns of `{view.table}`, `dt`, and:" if view.table else ""
        parts += [f"### {name}", "", f"A row is {view.row}.{all_of}", "", "| column | meaning |", "| --- | --- |"]
        parts += [f"| `{column}` | {meaning} |" for column, meaning in view.columns.items()]
        parts.append("")
    return "\n".join(parts)

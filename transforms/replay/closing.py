"""Closing: a run's row becomes its terminal event, with marks on every end that the log never had."""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.events import Event
from schemas.rows import RunRows, UsageRow
from transforms import jsontext
from transforms.runs.facts import MARK_KEY, Marks

_COUNTS: Final = {
    "provider": "provider",
    "model": "model",
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
    "reasoning_tokens": "reasoningTokens",
    "cache_read_tokens": "cachedInputTokens",
    "cache_write_tokens": "cacheWriteTokens",
}


def terminal_event(rows: RunRows) -> Event:
    """Return RUN_FINISHED or RUN_ERROR of a run; a run without a terminal gets a marked RUN_ERROR."""
    run = rows.run
    event: Event
    if run.status in ("error", "abandoned"):
        event = {"type": "RUN_ERROR", "message": run.error_message or run.status}
        if run.error_code is not None:
            event["code"] = run.error_code
    else:
        event = {"type": "RUN_FINISHED", "threadId": run.thread_id, "runId": run.run_id or f"run-{run.run}"}
        for key, value in (("outcome", run.outcome), ("result", run.result)):
            if value is not None:
                event[key] = jsontext.loads(value)
    usage = [_usage(row) for row in rows.usage if row.source != "vendor"]
    if usage:
        event["usage"] = usage
    metadata = jsontext.loads(run.metadata) if run.metadata is not None else {}
    marks = msgspec.json.decode(msgspec.json.encode(_marks(rows)))  # lists, where to_builtins would leave tuples
    if marks:
        metadata[MARK_KEY] = marks
    return event | {"metadata": metadata} if metadata else event


def _marks(rows: RunRows) -> Marks:
    marks = Marks(status="abandoned" if rows.run.status == "abandoned" else None)
    marks.open_messages = [row.position for row in rows.messages if not row.is_complete]
    marks.open_calls = [(row.position, row.call_index) for row in rows.tool_calls if not row.is_complete]
    return marks


def _usage(row: UsageRow) -> Event:
    counts = {key: getattr(row, column) for column, key in _COUNTS.items() if getattr(row, column) is not None}
    return counts | (jsontext.loads(row.extra) if row.extra is not None else {})

"""Totals under audit: a commit's figures beside what its rows add up to."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.findings import Finding
from schemas.lake import Commit

_THREAD = ("tenant_id", "thread_id")
SUMMED_COLUMNS = (*_THREAD, "events", "new_messages", "tool_call_count", "is_verbatim")
"""Columns of ``runs`` that are added up."""


def total_findings(commit: Commit, runs: list[pa.Table], letters: list[pa.Table]) -> Iterator[Finding]:
    """Yield the figures of a commit that its rows contradict.

    Args:
        runs: SUMMED_COLUMNS of the night's runs.
        letters: ``records`` of its dead letters.
    """
    totals = commit.totals
    said = {
        "runs": totals.runs,
        "threads": totals.threads,
        "events_in": totals.events_in,
        "messages": totals.messages,
        "tool_calls": totals.tool_calls,
        "verbatim_runs": totals.verbatim_runs,
        "dead_letters": sum(totals.dead_letters.values()),
        "records": totals.records,
    }
    added = _added(runs, letters)
    added["records"] = added["events_in"] + added["dead_letters"] + totals.duplicates
    for name, figure in said.items():
        if figure != added[name]:
            yield Finding("wrong_total", f"night {commit.night}", f"{name} {figure:,}, the rows give {added[name]:,}")


def _added(runs: list[pa.Table], letters: list[pa.Table]) -> dict[str, int]:
    keys = {key for table in runs for key in zip(*(table[name].to_pylist() for name in _THREAD), strict=True)}
    return {
        "runs": sum(table.num_rows for table in runs),
        "threads": len(keys),
        "events_in": _sum(runs, "events"),
        "messages": _sum(runs, "new_messages"),
        "tool_calls": _sum(runs, "tool_call_count"),
        "verbatim_runs": _sum(runs, "is_verbatim"),
        "dead_letters": _sum(letters, "records"),
    }


def _sum(tables: list[pa.Table], column: str) -> int:
    return sum(pc.sum(table[column]).as_py() or 0 for table in tables)

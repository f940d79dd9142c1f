"""Removal: rows of threads are taken out of a night's files, and its figures become those of what is left."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from schemas.lake import Totals

Thread: TypeAlias = tuple[str, str]
"""Tenant and thread id."""

Letter: TypeAlias = tuple[str, int, str]
"""Object, offset and reason of a dead letter."""


def without_threads(rows: pa.Table, threads: Collection[Thread]) -> tuple[pa.Table, pa.Table]:
    """Return the rows of a table that stay, and those that go."""
    keys = zip(rows.column("tenant_id").to_pylist(), rows.column("thread_id").to_pylist(), strict=True)
    return _split(rows, [key in threads for key in keys])


def without_letters(
    rows: pa.Table, threads: Collection[Thread], letters: Collection[Letter]
) -> tuple[pa.Table, pa.Table]:
    """Return the dead letters that stay, and those that go: of the compaction of some threads, and some by place."""
    columns = [rows.column(name).to_pylist() for name in ("tenant_id", "thread_id", "stage", "uri", "offset", "reason")]
    return _split(
        rows,
        [
            (stage == "compact" and (tenant or "", thread) in threads) or (uri, offset, reason) in letters
            for tenant, thread, stage, uri, offset, reason in zip(*columns, strict=True)
        ],
    )


def figures_of(runs: pa.Table, letters: pa.Table) -> Totals:
    """Return the figures of rows of ``runs`` and ``dead_letters``, as a night adds them up."""
    totals = Totals()
    threads: dict[Thread, set[int | None]] = {}
    for row in runs.to_pylist():
        _add_run(totals, row)
        threads.setdefault((row["tenant_id"], row["thread_id"]), {None}).add(row["parent"])
    totals.threads = len(threads)
    totals.branches = totals.runs - sum(len(parents) - 1 for parents in threads.values())
    for row in letters.to_pylist():
        totals.dead_letters[row["reason"]] = totals.dead_letters.get(row["reason"], 0) + row["records"]
    totals.records = totals.events_in + totals.duplicates + sum(totals.dead_letters.values())
    return totals


def subtract(totals: Totals, other: Totals) -> Totals:
    """Return figures without some of them; counts of a kind that are nothing are left out."""
    left: dict[str, Any] = {}
    for name in totals.__struct_fields__:
        mine, theirs = getattr(totals, name), getattr(other, name)
        if isinstance(mine, dict):
            rest = {kind: count - theirs.get(kind, 0) for kind, count in mine.items()}
            left[name] = {kind: count for kind, count in rest.items() if count}
        else:
            left[name] = mine - theirs
    return Totals(**left)


def _add_run(totals: Totals, row: dict[str, Any]) -> None:
    totals.runs += 1
    totals.events_in += row["events"]
    totals.duplicates += row["duplicates"]
    totals.runs_without_user_message += not row["has_user_message"]
    totals.messages += row["new_messages"]
    totals.tool_calls += row["tool_call_count"]
    totals.verbatim_runs += row["is_verbatim"]
    totals.approximate_runs += row["is_approximate"]
    for kind, count in row["violations"]:
        totals.violations[kind] = totals.violations.get(kind, 0) + count


def _split(rows: pa.Table, goes: list[bool]) -> tuple[pa.Table, pa.Table]:
    mask = pa.array(goes, pa.bool_())
    return rows.filter(pc.invert(mask)), rows.filter(mask)

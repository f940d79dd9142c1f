"""Restoring: threads that a lake holds are rebuilt under its lease."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from pipelines.io.lake import Lake, night_of, rebuild_after
from pipelines.io.lease import take
from pipelines.io.reheads import write_heads
from pipelines.io.swap import finish_swaps
from pipelines.options import BeamOptions
from pipelines.rebuilding import Rebuild, ready, rebuild, rebuild_plan
from schemas.events import Json
from schemas.heads import FAMILIES
from schemas.lake import Commit, Plan, Totals


def restore(
    lake: Lake, wanted: Callable[[Commit], Rebuild], options: BeamOptions, seconds: float, *, is_dry: bool
) -> dict[str, Json]:
    """Rebuild what is wanted of a lake, and return figures.

    Args:
        wanted: chooses, once nobody else writes.
        seconds: how long the lease stands once its holder is gone.
        is_dry: write nothing.

    Raises:
        ConfigError: raw objects are gone, the lake cannot be written, or another job writes it.
    """
    began = time.monotonic()
    if is_dry:
        last = ready(lake)
        chosen = wanted(last)
        return _figures(chosen, rebuild_plan(lake, last, chosen) if chosen.threads else None, None, began)
    with take(lake.store, seconds, "a rebuild") as lease:
        finish_swaps(lake)
        last = ready(lake)
        for night in lake.open_nights():
            lake.discard(night)
        chosen = wanted(last)
        if not chosen.threads:
            return _figures(chosen, None, None, began)
        plan = rebuild_plan(lake, last, chosen)
        commit = rebuild(lake, plan, chosen, options, lease.fence)
    return _figures(chosen, plan, commit, began)


def restore_heads(lake: Lake, options: BeamOptions, seconds: float, *, is_dry: bool) -> dict[str, Json]:
    """Make the heads of a lake anew from its tables and raw objects, and return figures.

    Threads with open runs are rebuilt, since their records are in no table.

    Raises:
        ConfigError: the lake cannot be written, another job writes it, or raw objects of open runs are gone.
    """
    began = time.monotonic()
    last = ready(lake)
    opened = sorted({(one.tenant_id, one.thread_id) for one in lake.carried(last)})
    if is_dry:
        return {"threads_with_open_runs": len(opened), "seconds": round(time.monotonic() - began, 3)}
    with take(lake.store, seconds, "a rebuild of the heads") as lease:
        finish_swaps(lake)
        last = ready(lake)
        night = rebuild_after(last.night)
        plan = msgspec.structs.replace(lake.read_plan(night_of(last.night)), night=night, number=last.number + 1)
        plan = msgspec.structs.replace(plan, sources=[], heads=[], merged=[], former=last.night, rewritten=[])
        lake.write_plan(plan)
        heads = write_heads(lake, night, lake.commits())
        lease.fence.check()
        lake.write_commit(
            msgspec.structs.replace(
                last,
                night=night,
                files=[],
                totals=Totals(carried_in=last.totals.carried_out),
                number=plan.number,
                former=last.night,
                heads=[heads],
                open_files=[],
            )
        )
    if opened:
        restore(lake, lambda _: Rebuild(opened), options, seconds, is_dry=False)
    rows = {family: sum(file.rows for file in heads.files if file.family == family) for family in FAMILIES}
    return {"threads": rows["threads"], "objects": rows["objects"], "seconds": round(time.monotonic() - began, 3)}


def _figures(chosen: Rebuild, plan: Plan | None, commit: Commit | None, began: float) -> dict[str, Json]:
    figures: dict[str, Json] = {
        "night": plan.night if plan is not None else None,
        "threads": len(chosen.threads),
        "objects": len(plan.sources) if plan is not None else 0,
    }
    if commit is not None:
        figures |= {"runs": commit.totals.runs, "messages": commit.totals.messages, "files": len(commit.files)}
    return figures | {"seconds": round(time.monotonic() - began, 3)}

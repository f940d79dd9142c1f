"""Threads: an id that a person typed becomes the one thread it names, or a hint."""

from __future__ import annotations

import difflib

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.io.lake import Lake
from pipelines.io.rows import thread_rows, threads
from schemas.errors import ConfigError
from schemas.lake import Commit

_MAX_COMPARED = 20_000


def thread_runs(lake: Lake, thread_id: str, tenant_id: str | None, commits: list[Commit] | None = None) -> pa.Table:
    """Return the runs of one thread of one tenant, at least one, by ordinal.

    Raises:
        ConfigError: no such thread (the nearest ids are named), or several tenants have one of this id.
    """
    runs = thread_rows(lake, "runs", thread_id, tenant_id, commits)
    tenants = sorted(pc.unique(runs.column("tenant_id")).to_pylist())
    if len(tenants) > 1:
        named = ", ".join(repr(tenant) for tenant in tenants)
        raise ConfigError(f"thread {thread_id!r} exists for several tenants: {named}; choose one with --tenant")
    if not tenants:
        raise ConfigError(f"{lake.place}: no thread {thread_id!r}; {_hint(lake, thread_id, tenant_id)}")
    return runs


def _hint(lake: Lake, thread_id: str, tenant_id: str | None) -> str:
    known = threads(lake)
    if not known:
        return "the lake holds no thread yet"
    others = [tenant for tenant, thread in known if thread == thread_id]
    if others:
        return f"it exists for another tenant than {tenant_id!r}: {others[0]!r}"
    ids = list(dict.fromkeys(thread for _, thread in known))[:_MAX_COMPARED]
    near = difflib.get_close_matches(thread_id, ids, n=3, cutoff=0.4) or ids[:3]
    return f"did you mean {', '.join(near)}? `threadlake threads` lists them all"

"""Rebuilding: threads are compacted anew from all raw objects that were ever read, and take the place of their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from pipelines.compact import compact
from pipelines.io.heads import all_heads, find_heads, span_of
from pipelines.io.lake import Lake, is_rebuild, night_of, order_of, rebuild_after
from pipelines.io.lease import Fence
from pipelines.io.shrinking import shrink
from pipelines.io.sources import is_as_planned
from pipelines.io.swap import Swap, decide, staged_path
from pipelines.options import BeamOptions
from schemas.errors import InputError, LakeError
from schemas.heads import Carried, Head
from schemas.lake import Commit, Plan
from schemas.records import Source
from schemas.tables import FORMAT
from threadlake import __version__
from transforms.audit.removal import Letter, Thread
from transforms.bucket import key_of
from transforms.decode.order import natural_key
from transforms.runs.headrows import head_of, object_of, thread_name

_SHOWN: Final = 5


class Rebuild(msgspec.Struct, frozen=True):
    """What is rebuilt.

    Args:
        threads: tenant and id of each.
        letters: dead letters that are dropped, besides those of the threads' former compaction.
        rewritten: objects that are read as they are now, whatever was read of them.
    """

    threads: list[Thread]
    letters: list[Letter] = []
    rewritten: list[Source] = []


def rebuild_plan(lake: Lake, last: Commit, wanted: Rebuild) -> Plan:
    """Return the plan of a rebuild.

    Raises:
        InputError: raw objects are gone or changed that may hold records of the threads.
    """
    sources = _sources(lake, last, wanted)
    former = lake.read_plan(night_of(last.night))
    return Plan(
        night=rebuild_after(last.night),
        format=FORMAT,
        bucket_bits=last.bucket_bits,
        sources=sources,
        raw_policy=former.raw_policy,
        ruleset_id=former.ruleset_id,
        version=__version__,
        number=last.number + 1,
        former=last.night,
        frontier_us=last.frontier_us,
        lookback_days=former.lookback_days,
        rewritten=[source.uri for source in wanted.rewritten],
        only=sorted(wanted.threads),
    )


def rebuild(lake: Lake, plan: Plan, wanted: Rebuild, options: BeamOptions, fence: Fence) -> Commit:
    """Carry out a rebuild and return its commit; the threads' former rows are gone then.

    Raises:
        LakeError: the lake cannot be written, or the lease is lost.
    """
    last = lake.commit(plan.former)
    made = compact(lake.place, plan, options, fence)
    heads = _heads(lake, last, wanted.threads)
    carried = _carried(lake, last, made, wanted.threads)
    swap = Swap([], [], [file.path for file in made.files], [])
    swap.added.extend(file.path for one in made.heads for file in one.files)
    for commit in lake.commits():
        if shrunk := shrink(lake, commit, plan.night, wanted.threads, wanted.letters):
            swap.shrunk.extend(shrunk.replaced)
            swap.deleted.extend(shrunk.deleted)
            swap.commits.append(shrunk.commit)
    commit = _commit(last, made, heads)
    if carried:
        path = f"_open/{plan.night}-bucket-000.json"
        lake.store.write(staged_path(plan.night, path), msgspec.json.encode(carried))
        swap.added.append(path)
        commit = msgspec.structs.replace(commit, open_files=[path])
    swap.commits.append(commit)
    fence.check()
    decide(lake, plan.night, swap)
    return commit


def _commit(last: Commit, made: Commit, heads: dict[str, Head]) -> Commit:
    """Return the commit of a rebuild: the heads of all threads, and the records of all open runs."""
    former = [run.open for head in heads.values() for run in head.runs if run.open is not None]
    figures = made.totals
    totals = msgspec.structs.replace(
        figures,
        records=figures.events_in + figures.duplicates + sum(figures.dead_letters.values()),
        carried_in=last.totals.carried_out - sum(one.records for one in former),
        carried_out=last.totals.carried_out - sum(one.records for one in former) + made.totals.carried_out,
        open_runs=last.totals.open_runs - len(former) + made.totals.open_runs,
    )
    return msgspec.structs.replace(made, totals=totals, heads=[*made.heads, *last.heads], open_files=[])


def _heads(lake: Lake, last: Commit, threads: Iterable[Thread]) -> dict[str, Head]:
    names = {thread_name(*thread): key_of(*thread) for thread in threads}
    found = find_heads(lake.store, last.heads, "threads", set(names.values()))
    return {name: head_of(found[name]) for name in names if name in found}


def _carried(lake: Lake, last: Commit, made: Commit, threads: Collection[Thread]) -> list[Carried]:
    kept = [one for one in lake.carried(last) if (one.tenant_id, one.thread_id) not in threads]
    stored = lake.store.read_many([staged_path(made.night, path) for path in made.open_files])
    return kept + [one for payload in stored for one in msgspec.json.decode(payload, type=list[Carried])]


def _sources(lake: Lake, last: Commit, wanted: Rebuild) -> list[Source]:
    """Return all objects that can hold records of the threads, as far as they were read."""
    first = _first_night(lake, last, wanted.threads)
    anew = {source.uri: source for source in wanted.rewritten}
    rows = [row for row in all_heads(lake.store, last.heads, span_of(0, 0)) if row.family == "objects"]
    known = [object_of(row.head) for row in rows]
    read = [
        Source(head.uri, 0, head.size, head.modified_us, head.fields, head.etag)
        for head in known
        if head.uri not in anew and order_of(night_of(head.night)) >= order_of(first)
    ]
    lost = [source.uri for source in read if not is_as_planned(source)]
    if lost:
        named = ", ".join(sorted(lost)[:_SHOWN])
        raise InputError(
            f"{lake.place}: {len(lost):,} raw objects that may hold records of these threads are gone or changed "
            f"({named}{', …' if len(lost) > _SHOWN else ''}); without them rows would be lost: restore them, or name "
            "each that was rewritten with --object"
        )
    ordered = sorted([*read, *anew.values()], key=lambda source: (natural_key(source.uri), source.uri))
    return [msgspec.structs.replace(source, index=index) for index, source in enumerate(ordered)]


def _first_night(lake: Lake, last: Commit, threads: Collection[Thread]) -> str:
    """Return the first night that knew all of the threads; the lake's first one where some are not known."""
    heads = _heads(lake, last, threads)
    first = lake.nights()[0]
    if len(heads) < len(set(threads)) or not all(head.nights for head in heads.values()):
        return first
    dead = any(commit.totals.dead_letters for commit in lake.commits())
    return first if dead else min((head.nights[0].name for head in heads.values()), key=order_of)


def ready(lake: Lake) -> Commit:
    """Return the last commit of a lake that can be rebuilt.

    Raises:
        LakeError: it holds nothing yet, or a night began and is not committed.
    """
    begun = [night for night in lake.open_nights() if not is_rebuild(night)]
    if begun:
        raise LakeError(f"{lake.place}: night {begun[0]} began and was not committed; run it again first")
    last = lake.last()
    if last is None:
        raise LakeError(f"{lake.place}: holds nothing yet")
    return last

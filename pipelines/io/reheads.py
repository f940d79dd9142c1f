"""Heads anew: the tables of a lake, and the raw objects that its plans list, become the heads that were lost.

What no table holds is lost: the ids of single events, so that only a seq tells a redelivery, and what chunks were open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pyarrow as pa

from pipelines.io.heads import head_path
from pipelines.io.history import bucket_files
from pipelines.io.lake import Lake, order_of
from pipelines.io.meter import Meter
from pipelines.io.parquet import ParquetBuilder, conform, read_parquet
from pipelines.io.sources import is_as_planned, open_source
from schemas.heads import FAMILIES, HEAD_TABLES, HEADS_SCHEMA, Head, HeadRow, ObjectHead, PastNight, PastRun
from schemas.lake import Commit, FileEntry, HeadFile, HeadSet
from schemas.records import Source
from schemas.tables import TABLES
from transforms.bucket import KEY_BITS
from transforms.runs.headrows import object_rows, row_groups, thread_row
from transforms.segments.rawpolicy import RawChoice
from transforms.segments.reading import Reading

LEVEL = 3
"""Of a set that holds everything: it is merged with others of its size only."""

_OPEN = (PastNight("", 0), PastRun(None, None, "log"))
"""Stands for a run that no night has written."""

_Key = tuple[str, str, int]
_KEYS = ("tenant_id", "thread_id", "run")


def write_heads(lake: Lake, night: str, commits: list[Commit]) -> HeadSet:
    """Write a set with the heads of all threads and objects, and return it."""
    bits = min(commit.bucket_bits for commit in commits)
    buckets: dict[int, list[HeadRow]] = {}
    for row in [*_object_rows(lake, commits), *_thread_rows(lake, commits)]:
        buckets.setdefault(row.key >> (KEY_BITS - bits), []).append(row)
    files = [
        _write(lake, night, family, bucket, part)
        for bucket, rows in sorted(buckets.items())
        for family in FAMILIES
        if (part := sorted((row for row in rows if row.family == family), key=lambda row: (row.key, row.name)))
    ]
    return HeadSet(night, LEVEL, bits, sorted(files, key=lambda file: file.path))


def _write(lake: Lake, night: str, family: str, bucket: int, rows: list[HeadRow]) -> HeadFile:
    builder = ParquetBuilder(HEADS_SCHEMA)
    for group in row_groups(rows):
        builder.add(group)
    payload, path = builder.close(), head_path(night, family, bucket)
    lake.store.write(path, payload)
    return HeadFile(path, family, bucket, len(rows), len(payload), hashlib.sha256(payload).hexdigest())


def _object_rows(lake: Lake, commits: list[Commit]) -> Iterator[HeadRow]:
    """Yield the heads of the objects of all plans; of one that is gone, what its plan says."""
    last: dict[str, tuple[str, Source, str]] = {}
    for commit in sorted(commits, key=lambda commit: order_of(commit.night)):
        plan = lake.read_plan(commit.night)
        for source in plan.sources:
            if not plan.only or source.uri in plan.rewritten:
                last[source.uri] = commit.night, source, plan.raw_policy
    for night, source, policy in last.values():
        yield from object_rows(_object_head(night, source, policy))


def _object_head(night: str, source: Source, policy: str) -> ObjectHead:
    whole = Source(source.uri, 0, source.size, source.modified_us, source.fields, source.etag)
    if not is_as_planned(whole):
        return ObjectHead(source.uri, source.size, source.modified_us, source.etag, "", [1 << 62], source.fields, night)
    reading = Reading(whole, RawChoice(policy))
    with Meter(open_source(whole), whole) as stream:
        for _ in reading.parts(stream):
            pass
        stream.drain()
        return reading.head(night, stream.digest())


def _thread_rows(lake: Lake, commits: list[Commit]) -> Iterator[HeadRow]:
    """Yield the heads of all threads, one bucket's rows in memory at a time."""
    for files in bucket_files(commits, ["runs", *HEAD_TABLES]):
        masks: dict[_Key, int] = {}
        for bit, table in enumerate(HEAD_TABLES):
            for _, entry in files.get(table, []):
                for key in set(_keys(_rows(lake, entry, _KEYS))):
                    masks[key] = masks.get(key, 0) | 1 << bit
        heads: dict[tuple[str, str], dict[int, tuple[PastNight, PastRun]]] = {}
        for commit, entry in files.get("runs", []):
            for row in _rows(lake, entry, (*_KEYS, "run_id", "parent", "status", "seqs", "ended_at")).to_pylist():
                run = PastRun(row["run_id"], row["parent"], day=entry.day, seqs=row["seqs"] or [])
                run.ended_by = "silence" if row["status"] == "abandoned" else "terminal"
                run.tables = masks.get((row["tenant_id"], row["thread_id"], row["run"]), 0)
                run.last_us = None if row["ended_at"] is None else int(row["ended_at"].timestamp() * 1_000_000)
                runs = heads.setdefault((row["tenant_id"], row["thread_id"]), {})
                runs[row["run"]] = PastNight(commit.night, entry.bucket), run
        for thread, found in heads.items():
            yield thread_row(_head(thread, [found.get(ordinal, _OPEN) for ordinal in range(max(found) + 1)]))


def _head(thread: tuple[str, str], runs: list[tuple[PastNight, PastRun]]) -> Head:
    nights = sorted({night for night, _ in runs if night.name}, key=lambda night: order_of(night.name))
    parents = {run.parent for _, run in runs}
    for ordinal, (night, run) in enumerate(runs):
        if not night.name:
            continue
        run.night = nights.index(night)
        if run.ended_by == "silence" and ordinal in parents:
            run.ended_by = "child"
    return Head(*thread, [run for _, run in runs], nights)


def _rows(lake: Lake, entry: FileEntry, columns: tuple[str, ...]) -> pa.Table:
    return conform(read_parquet(lake.store.read(entry.path)), TABLES[entry.table].schema()).select([*columns])


def _keys(rows: pa.Table) -> Iterator[_Key]:
    return zip(*(rows.column(name).to_pylist() for name in _KEYS), strict=True)

"""Audit: the files that a lake's commits list, and the rows in them, become findings."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias, cast

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.io.heads import set_files
from pipelines.io.history import bucket_files, gather_rows
from pipelines.io.lake import Lake, date_of, is_file_of, order_of
from pipelines.io.parquet import conform, read_parquet
from schemas.errors import LakeError
from schemas.findings import Finding
from schemas.heads import Carried
from schemas.lake import Commit, FileEntry
from schemas.rows import RunRow, RunRows
from schemas.tables import DEAD_LETTERS, TABLES, Table
from transforms.audit.threads import place_of, thread_findings
from transforms.audit.totals import SUMMED_COLUMNS, total_findings
from transforms.bucket import bucket_of
from transforms.decode.times import day_of
from transforms.runs.arrow import rows_of_table

Seen: TypeAlias = Callable[[list[RunRows]], None]
"""Is given each thread whose rows are in order."""

_KEYS = ("tenant_id", "thread_id", "run")


def lake_findings(lake: Lake, commits: list[Commit], seen: Seen) -> Iterator[Finding]:
    """Yield what is wrong with a lake and its commits, one bucket's rows in memory at a time."""
    yield from _night_findings(lake, commits)
    yield from _head_findings(lake, commits)
    opened: dict[tuple[str, str], set[int]] = {}
    for one in _carried(lake, commits):
        opened.setdefault((one.tenant_id, one.thread_id), set()).add(one.run)
    sums: dict[str, tuple[list[pa.Table], list[pa.Table]]] = {commit.night: ([], []) for commit in commits}
    for files in bucket_files(commits, [*TABLES]):
        tables: dict[str, list[pa.Table]] = {}
        for table, entries in files.items():
            for commit, entry in entries:
                found, rows = _read(lake, commit, entry)
                yield from found
                if rows is not None:
                    tables.setdefault(table, []).append(rows)
                    _add_up(sums[commit.night], table, rows)
        yield from _row_findings(tables, opened, seen)
    for commit in commits:
        yield from total_findings(commit, *sums[commit.night])


def _night_findings(lake: Lake, commits: list[Commit]) -> Iterator[Finding]:
    planned = lake.planned()
    listed = {entry.path for commit in commits for entry in commit.files}
    for commit in commits:
        if commit.night not in planned:
            yield Finding("no_plan", f"night {commit.night}")
    open_nights = planned - {commit.night for commit in commits}
    for night in sorted(open_nights):
        yield Finding("open_night", f"night {night}")
    for table in TABLES:
        for path in lake.store.list(table):
            if path not in listed and not any(is_file_of(path, night) for night in open_nights):
                yield Finding("orphan_file", path)


def _last(commits: list[Commit]) -> Commit | None:
    return max(commits, key=lambda commit: order_of(commit.night), default=None)


def _carried(lake: Lake, commits: list[Commit]) -> list[Carried]:
    """Return the runs that the last commit left open; none where its pointers cannot be read."""
    last = _last(commits)
    try:
        return [] if last is None else lake.carried(last)
    except LakeError:
        return []


def _head_findings(lake: Lake, commits: list[Commit]) -> Iterator[Finding]:
    """Yield the heads of the last commit that are not as it says, and the dates without a night between others."""
    last = _last(commits)
    for file in set_files(last.heads) if last is not None else ():
        if not lake.store.exists(file.path):
            yield Finding("missing_file", file.path)
        elif hashlib.sha256(lake.store.read(file.path)).hexdigest() != file.sha256:
            yield Finding("changed_file", file.path)
    dates = sorted({date for commit in commits if (date := date_of(commit.night)) is not None})
    for one, two in pairwise(dates):
        if (two - one).days > 1:
            yield Finding("missing_night", f"night {one + dt.timedelta(days=1)}", f"{(two - one).days - 1:,} in a row")


def _read(lake: Lake, commit: Commit, entry: FileEntry) -> tuple[list[Finding], pa.Table | None]:
    """Return what is wrong with a file, and its rows in today's columns where they can be read."""
    try:
        payload = lake.store.read(entry.path)
    except LakeError:
        return [Finding("missing_file", entry.path)], None
    found: list[Finding] = []
    if hashlib.sha256(payload).hexdigest() != entry.sha256 or len(payload) != entry.bytes:
        found.append(Finding("changed_file", entry.path, f"{len(payload):,} bytes, its commit says {entry.bytes:,}"))
    try:
        rows = read_parquet(payload)
    except (pa.ArrowException, OSError) as error:
        return [*found, Finding("unreadable_file", entry.path, type(error).__name__)], None
    table = TABLES[entry.table]
    missing = _missing(table, rows)
    if missing:
        found.append(Finding("wrong_columns", entry.path, f"lacks {', '.join(missing)}"))
    rows = conform(rows, table.schema())
    return [*found, *_content_findings(commit, entry, rows)], rows


def _missing(table: Table, rows: pa.Table) -> list[str]:
    """Return the columns that a file lacks, but for the last ones that may be null: it can be older than they are."""
    columns = [*table.columns]
    while columns and not columns[-1].required and columns[-1].name not in rows.column_names:
        columns.pop()
    return [one.name for one in columns if one.name not in rows.column_names]


def _content_findings(commit: Commit, entry: FileEntry, rows: pa.Table) -> Iterator[Finding]:
    if rows.num_rows != entry.rows:
        yield Finding("wrong_rows", entry.path, f"{rows.num_rows:,} rows, its commit says {entry.rows:,}")
    keys = rows.select([*TABLES[entry.table].sort])
    if not keys.equals(keys.sort_by([(name, "ascending") for name in keys.column_names])):
        yield Finding("unsorted", entry.path)
    is_named = entry.path == Lake.path_of(entry.table, entry.day, commit.night, entry.bucket)
    is_home = is_named and (entry.table == DEAD_LETTERS.name or not set(_buckets(commit, rows)) - {entry.bucket})
    is_in_time = entry.table != "runs" or not set(_days(rows.filter(_believed(rows)))) - {entry.day}
    if not (is_home and is_in_time):
        yield Finding("wrong_place", entry.path)


def _buckets(commit: Commit, rows: pa.Table) -> Iterator[int]:
    threads = set(zip(rows["tenant_id"].to_pylist(), rows["thread_id"].to_pylist(), strict=True))
    return (bucket_of(tenant, thread, commit.bucket_bits) for tenant, thread in threads)


def _believed(rows: pa.Table) -> pa.ChunkedArray:
    """Return which runs lie under the day on which they ended."""
    return pc.invert(pc.fill_null(rows["is_day_clamped"], fill_value=False))


def _days(rows: pa.Table) -> Iterator[str]:
    return map(day_of, rows["ended_at"].cast(pa.int64()).to_pylist())


def _add_up(sums: tuple[list[pa.Table], list[pa.Table]], table: str, rows: pa.Table) -> None:
    if table == "runs":
        sums[0].append(rows.select([*SUMMED_COLUMNS]))
    elif table == DEAD_LETTERS.name:
        sums[1].append(rows.select(["records"]))


def _row_findings(
    tables: dict[str, list[pa.Table]], opened: dict[tuple[str, str], set[int]], seen: Seen
) -> Iterator[Finding]:
    runs = [key for table in tables.get("runs", []) for key in _keys(table)]
    repeated = [key for key, count in Counter(runs).items() if count > 1]
    stray = [
        (name, key)
        for name, parts in tables.items()
        if name not in ("runs", DEAD_LETTERS.name)
        for key in sorted({key for table in parts for key in _keys(table)} - set(runs))
    ]
    yield from (Finding("repeated_run", place_of(*key)) for key in repeated)
    yield from (Finding("stray_row", place_of(*key), name) for name, key in stray)
    if repeated or stray or not runs:
        return

    def rows(name: str) -> list[msgspec.Struct]:
        schema = TABLES[name].schema()
        whole = pa.concat_tables([schema.empty_table(), *tables.get(name, [])])
        return rows_of_table(name, whole.sort_by([(key, "ascending") for key in TABLES[name].sort]))

    for thread in gather_rows(cast("list[RunRow]", rows("runs")), rows):
        key = thread[0].run.tenant_id, thread[0].run.thread_id
        wrong = list(thread_findings(thread, opened.get(key, ())))
        yield from wrong
        if not wrong:
            seen(thread)


def _keys(table: pa.Table) -> Iterator[tuple[str, str, int]]:
    return zip(*(table[name].to_pylist() for name in _KEYS), strict=True)

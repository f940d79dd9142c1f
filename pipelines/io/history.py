"""History: the lake's rows become the runs of a thread, each with all of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, cast

import msgspec
import pyarrow as pa

from pipelines.io.lake import Lake, table_files
from pipelines.io.parquet import conform, read_parquet
from pipelines.io.places import explained
from pipelines.io.rows import thread_rows
from pipelines.io.threads import thread_runs
from schemas.errors import ConfigError, LakeError
from schemas.lake import Commit, FileEntry
from schemas.rows import EventRow, MessageRow, RunRow, RunRows, StateRow, ToolCallRow, UsageRow
from schemas.tables import TABLES
from transforms.runs.arrow import rows_of_table

_PARTS: Final = ("usage", "messages", "tool_calls", "states", "events")
_Rows: TypeAlias = Callable[[str], list[msgspec.Struct]]
_BucketFiles: TypeAlias = dict[str, list[tuple[Commit, FileEntry]]]


def thread_history(lake: Lake, thread_id: str, tenant_id: str | None, commits: list[Commit]) -> list[RunRows]:
    """Return the runs of one thread, by ordinal.

    Raises:
        ConfigError: no such thread, or one id in several tenants.
    """
    runs = rows_of_table("runs", thread_runs(lake, thread_id, tenant_id, commits))
    tenant = cast("RunRow", runs[0]).tenant_id

    def rows(table: str) -> list[msgspec.Struct]:
        return rows_of_table(table, thread_rows(lake, table, thread_id, tenant, commits))

    return next(gather_rows(cast("list[RunRow]", runs), rows))


def all_histories(lake: Lake, commits: list[Commit], tenant_id: str | None = None) -> Iterator[list[RunRows]]:
    """Yield the runs of every thread, or of every thread of a tenant: bucket by bucket, sorted inside.

    Each file is read once, and one bucket's rows are in memory at a time.
    """
    for files in bucket_files(commits, ["runs", *_PARTS]):

        def rows(table: str, files: _BucketFiles = files) -> list[msgspec.Struct]:
            entries = [entry for _, entry in files.get(table, [])]
            return rows_of_table(table, _read(lake, table, entries, tenant_id))

        yield from gather_rows(cast("list[RunRow]", rows("runs")), rows)


def bucket_files(commits: list[Commit], tables: Iterable[str]) -> Iterator[_BucketFiles]:
    """Yield the files of each bucket by table, each with its commit; a thread's rows lie in one bucket."""
    buckets: dict[int, _BucketFiles] = {}
    bits = min((commit.bucket_bits for commit in commits), default=0)
    for table in tables:
        for commit, entry in table_files(commits, table):
            bucket = entry.bucket >> (commit.bucket_bits - bits)
            buckets.setdefault(bucket, {}).setdefault(table, []).append((commit, entry))
    for _, files in sorted(buckets.items()):
        yield files


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


def gather_rows(runs: list[RunRow], rows: _Rows) -> Iterator[list[RunRows]]:
    """Yield the threads in the order of their runs, each run with its rows.

    Args:
        rows: gives the rows of a table, sorted; each belongs to one of the runs.
    """
    threads: dict[tuple[str, str], dict[int, RunRows]] = {}
    for run in runs:
        threads.setdefault((run.tenant_id, run.thread_id), {})[run.run] = RunRows(run, [], [], [], None, [])

    def home(row: UsageRow | MessageRow | ToolCallRow | StateRow | EventRow) -> RunRows:
        return threads[row.tenant_id, row.thread_id][row.run]

    for usage in cast("list[UsageRow]", rows("usage")):
        home(usage).usage.append(usage)
    for message in cast("list[MessageRow]", rows("messages")):
        home(message).messages.append(message)
    for call in cast("list[ToolCallRow]", rows("tool_calls")):
        home(call).tool_calls.append(call)
    for state in cast("list[StateRow]", rows("states")):
        home(state).state = state
    for event in cast("list[EventRow]", rows("events")):
        home(event).events.append(event)
    for thread in threads.values():
        yield list(thread.values())


def _read(lake: Lake, table: str, files: list[FileEntry], tenant_id: str | None) -> pa.Table:
    schema = TABLES[table].schema()
    wanted = None if tenant_id is None else [("tenant_id", "=", tenant_id)]
    pieces = [schema.empty_table()]
    for entry in files:
        payload = lake.store.read(entry.path)
        with explained(lake.store.uri(entry.path), LakeError):
            pieces.append(conform(read_parquet(payload, wanted), schema))
    return pa.concat_tables(pieces).sort_by([(name, "ascending") for name in TABLES[table].sort])

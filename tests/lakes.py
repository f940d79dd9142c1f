"""Lakes written by hand: a test says the columns that it is about, the rest get a value that the schema allows."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from pipelines.io.lake import Lake
from pipelines.io.parquet import ParquetBuilder
from schemas.lake import Commit, FileEntry, Totals
from schemas.tables import FORMAT, TABLES
from transforms.bucket import bucket_of
from transforms.runs.sheets import GROUP_ROWS

NIGHT = "2026-11-30"
START = datetime(2026, 11, 29, 12, tzinfo=UTC)
VIEW_TABLES = sorted(set(TABLES) - {"dead_letters"})
_FILLERS = {pa.string(): "", pa.int32(): 0, pa.int64(): 0, pa.bool_(): False}
_DEFAULTS: dict[str, Any] = {"status": "finished", "is_new": True, "is_complete": True, "origin": "stream"}


def minute(count: int) -> datetime:
    """The time so many minutes after a handmade thread's start."""
    return START + timedelta(minutes=count)


def arrow(table: str, rows: Iterable[dict[str, Any]]) -> pa.Table:
    """The rows as the table's Arrow table, sorted, required columns filled."""
    schema = TABLES[table].schema()
    filled = [{field.name: _value(field, row) for field in schema} for row in rows]
    unknown = {name for row in rows for name in row} - set(schema.names)
    assert not unknown, f"no such column: {unknown}"
    return pa.Table.from_pylist(filled, schema=schema).sort_by([(name, "ascending") for name in TABLES[table].sort])


def write_lake(
    place: str,
    tables: dict[str, list[dict[str, Any]]],
    *,
    night: str = NIGHT,
    bits: int = 0,
    day: str = "2026-11-29",
    version: str = "0",
) -> Lake:
    """Write the rows as one night into a lake, a file for each table and bucket."""
    lake = Lake.create_or_open(place)
    files = []
    for table, rows in tables.items():
        buckets: dict[int, list[dict[str, Any]]] = {}
        for row in rows:
            bucket = bucket_of(row.get("tenant_id", ""), row.get("thread_id", ""), bits)
            buckets.setdefault(bucket, []).append(row)
        for bucket, part in sorted(buckets.items()):
            payload = write_parquet(arrow(table, part))
            path = Lake.path_of(table, day, night, bucket)
            lake.store.write(path, payload)
            files.append(FileEntry(path, table, day, bucket, len(part), len(payload), ""))
    lake.write_commit(Commit(night, FORMAT, bits, files, Totals(), version))
    return lake


def payloads(lake: Lake) -> dict[tuple[str, str, int], bytes]:
    """The bytes of every table but dead letters, by table, day and bucket."""
    return {
        (file.table, file.day, file.bucket): lake.store.read(file.path)
        for table in VIEW_TABLES
        for file in lake.files(table)
    }


def write_parquet(table: pa.Table) -> bytes:
    """A file of a sorted table, however it is chunked, in row groups of GROUP_ROWS."""
    builder = ParquetBuilder(table.schema)
    for start in range(0, max(table.num_rows, 1), GROUP_ROWS):
        builder.add(table.slice(start, GROUP_ROWS))
    return builder.close()


def run(ordinal: int, parent: int | None = None, **columns: Any) -> dict[str, Any]:
    """A row of runs: thread t, run id r<ordinal>, an hour a run."""
    times = {"started_at": minute(60 * ordinal), "ended_at": minute(60 * ordinal + 1)}
    return {"thread_id": "t", "run": ordinal, "run_id": f"r{ordinal}", "parent": parent, **times, **columns}


def message(ordinal: int, position: int, role: str, text: str | None, **columns: Any) -> dict[str, Any]:
    """A row of messages: thread t, id m<run>.<position>."""
    at = minute(60 * ordinal + position)
    keys = {"thread_id": "t", "run": ordinal, "run_id": f"r{ordinal}", "position": position, "role": role, "text": text}
    return {**keys, "message_id": f"m{ordinal}.{position}", "first_at": at, "last_at": at, **columns}


def call(ordinal: int, position: int, call_id: str | None, **columns: Any) -> dict[str, Any]:
    """A row of tool_calls: thread t."""
    keys = {"thread_id": "t", "run": ordinal, "run_id": f"r{ordinal}", "position": position, "tool_call_id": call_id}
    at = minute(60 * ordinal + position)
    return {**keys, "name": "look", "arguments": "{}", "validity": "object", "first_at": at, "last_at": at, **columns}


def _value(field: pa.Field, row: dict[str, Any]) -> Any:
    if field.name in row:
        return row[field.name]
    if field.nullable and field.name not in _DEFAULTS:
        return None
    return _DEFAULTS.get(field.name, _FILLERS.get(field.type, []))

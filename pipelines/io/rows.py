"""Rows: one thread, or a whole table, read back from the lake's files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.io.lake import Lake, table_files
from pipelines.io.parquet import conform
from pipelines.io.places import explained
from schemas.errors import LakeError
from schemas.lake import Commit, FileEntry
from schemas.tables import TABLES
from transforms.bucket import bucket_of


def thread_rows(
    lake: Lake, table: str, thread_id: str, tenant_id: str | None = None, commits: list[Commit] | None = None
) -> pa.Table:
    """Return a thread's rows of one table, sorted as the table is.

    Reads the files whose bucket can hold the thread, of these the row groups whose statistics admit it, and of these
    the keys first. Threads of several tenants can share an id: without a tenant the rows of all of them come.

    Args:
        commits: what `Lake.commits` gave, where several tables are read in a row.
    """
    listed = lake.commits() if commits is None else commits
    pieces = [
        piece
        for entry in _candidates(listed, table, thread_id, tenant_id)
        for piece in _thread_pieces(lake, entry, thread_id, tenant_id)
    ]
    return _joined(table, pieces)


def table_rows(
    lake: Lake, table: str, columns: Sequence[str] | None = None, days: Collection[str] | None = None
) -> pa.Table:
    """Return all rows of a table, sorted as the table is.

    Args:
        columns: names of the columns to read; all where None.
        days: partitions to read, ``YYYY-MM-DD``; all where None.
    """
    wanted = None if columns is None else list(columns)
    pieces = []
    for entry in lake.files(table, days):
        with _parquet(lake, entry) as file:
            stored = [name for name in file.schema_arrow.names if wanted is None or name in wanted]
            sort = [name for name in TABLES[table].sort if name not in stored]
            pieces.append(file.read(columns=[*stored, *sort], use_threads=False))
    rows: pa.Table = _joined(table, pieces)
    return rows if wanted is None else rows.select(wanted)


def threads(lake: Lake, days: Collection[str] | None = None) -> list[tuple[str, str]]:
    """Return (tenant_id, thread_id) of every thread, or of those with runs under some days, sorted."""
    keys = ["tenant_id", "thread_id"]
    rows = table_rows(lake, "runs", keys, days).group_by(keys).aggregate([])
    return sorted(zip(rows.column(0).to_pylist(), rows.column(1).to_pylist(), strict=True))


def _candidates(commits: list[Commit], table: str, thread_id: str, tenant_id: str | None) -> Iterator[FileEntry]:
    for commit, entry in table_files(commits, table):
        if tenant_id is None or entry.bucket == bucket_of(tenant_id, thread_id, commit.bucket_bits):
            yield entry


def _thread_pieces(lake: Lake, entry: FileEntry, thread_id: str, tenant_id: str | None) -> list[pa.Table]:
    with _parquet(lake, entry) as file:
        wanted = {"thread_id": thread_id} | ({} if tenant_id is None else {"tenant_id": tenant_id})
        pieces = []
        for group in _admitted(file.metadata, wanted):
            mask = _mask(file.read_row_group(group, columns=sorted(wanted), use_threads=False), wanted)
            if mask.true_count:
                pieces.append(file.read_row_group(group, use_threads=False).filter(mask))
        return pieces


def _admitted(metadata: pq.FileMetaData, wanted: dict[str, str]) -> list[int]:
    """Return the row groups that can hold the wanted values; one without statistics can."""
    places = {metadata.schema.column(index).name: index for index in range(metadata.num_columns)}
    return [
        group
        for group in range(metadata.num_row_groups)
        if all(_admits(metadata.row_group(group).column(places[name]), value) for name, value in wanted.items())
    ]


def _admits(column: pq.ColumnChunkMetaData, value: str) -> bool:
    statistics = column.statistics
    if statistics is None or not statistics.has_min_max:
        return True
    return bool(_order(statistics.min) <= value.encode() <= _order(statistics.max))


def _order(bound: str | bytes) -> bytes:
    """Return a bound as Parquet orders text: by its UTF-8 bytes."""
    return bound.encode() if isinstance(bound, str) else bound


def _mask(keys: pa.Table, wanted: dict[str, str]) -> pa.BooleanArray:
    mask = pa.chunked_array([pa.array([True] * keys.num_rows, pa.bool_())])
    for name, value in wanted.items():
        mask = pc.and_(mask, pc.equal(keys.column(name), value))
    return mask.combine_chunks()


@contextmanager
def _parquet(lake: Lake, entry: FileEntry) -> Iterator[pq.ParquetFile]:
    uri = lake.store.uri(entry.path)
    with explained(uri, LakeError), lake.store.open(entry.path, entry.bytes) as file:
        try:
            yield pq.ParquetFile(file, pre_buffer=True)
        except pa.ArrowInvalid as error:
            raise LakeError(f"{uri}: damaged ({error}); write its night again") from error


def _joined(table: str, pieces: list[pa.Table]) -> pa.Table:
    schema = TABLES[table].schema()
    rows = pa.concat_tables([conform(piece, schema) for piece in pieces]) if pieces else schema.empty_table()
    return rows.sort_by([(name, "ascending") for name in TABLES[table].sort])

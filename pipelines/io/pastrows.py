"""Past rows: the rows of runs that earlier nights wrote, for the threads of one bucket, each file read once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.io.history import gather_rows
from pipelines.io.lake import Lake
from pipelines.io.parquet import conform
from pipelines.io.places import explained
from pipelines.io.store import Store
from schemas.errors import LakeError
from schemas.heads import HEAD_TABLES, Head, PastRun
from schemas.rows import RunRows
from schemas.tables import TABLES
from transforms.runs.arrow import rows_of_table
from transforms.runs.pastviews import path_to

Key: TypeAlias = tuple[str, str, int]
"""Tenant, thread and run."""


class PastRows:
    """Reads runs of threads from a lake.

    Args:
        heads: threads whose newest view is likely to be asked for: its rows are read at once.
    """

    def __init__(self, store: Store, heads: Iterable[Head]) -> None:
        self._store = store
        self._rows: dict[Key, RunRows] = {}
        self._load([(head, path_to(head, ordinal)) for head in heads for ordinal in _likely(head)])

    def read(self, head: Head, ordinals: list[int]) -> dict[int, RunRows]:
        """Return the rows of runs of a thread, by ordinal.

        Raises:
            LakeError: a file that holds them is gone.
        """
        keys = {ordinal: (head.tenant_id, head.thread_id, ordinal) for ordinal in ordinals}
        self._load([(head, [ordinal for ordinal, key in keys.items() if key not in self._rows])])
        lost = [ordinal for ordinal, key in keys.items() if key not in self._rows]
        if lost:
            raise LakeError(
                f"{self._store.place}: run #{lost[0]} of a thread is not where its head says; "
                "`threadlake verify` tells more, `threadlake rebuild --heads` makes the heads again"
            )
        return {ordinal: self._rows[key] for ordinal, key in keys.items()}

    def forget(self, head: Head) -> None:
        """Let a thread's rows go."""
        for ordinal in range(len(head.runs)):
            self._rows.pop((head.tenant_id, head.thread_id, ordinal), None)

    def _load(self, wanted: list[tuple[Head, list[int]]]) -> None:
        files: dict[str, dict[str, set[Key]]] = {name: {} for name in TABLES}
        for head, ordinals in wanted:
            for ordinal in ordinals:
                key = (head.tenant_id, head.thread_id, ordinal)
                for table, path in _files_of(head, head.runs[ordinal]):
                    files[table].setdefault(path, set()).add(key)
        tables = {name: self._table(name, paths) for name, paths in files.items() if name in ("runs", *HEAD_TABLES)}
        runs = rows_of_table("runs", tables["runs"])
        for thread in gather_rows(runs, lambda name: rows_of_table(name, tables[name])):  # type: ignore[arg-type]  # rows of the table
            for rows in thread:
                self._rows[rows.run.tenant_id, rows.run.thread_id, rows.run.run] = rows

    def _table(self, name: str, paths: dict[str, set[Key]]) -> pa.Table:
        schema = TABLES[name].schema()
        pieces = [conform(piece, schema) for path, keys in sorted(paths.items()) for piece in self._pieces(path, keys)]
        whole = pa.concat_tables([schema.empty_table(), *pieces])
        return whole.sort_by([(column, "ascending") for column in TABLES[name].sort])

    def _pieces(self, path: str, keys: set[Key]) -> Iterator[pa.Table]:
        """Yield what a file holds of some runs; of its row groups only those are read that can hold the threads."""
        threads = sorted({thread for _, thread, _ in keys})
        encoded = sorted(thread.encode() for thread in threads)
        with explained(self._store.uri(path), LakeError), self._store.open(path) as stream:
            stored = pq.ParquetFile(stream, pre_buffer=True)
            for group in range(stored.num_row_groups):
                if not _may_hold(stored, group, encoded):
                    continue
                rows = stored.read_row_group(group, use_threads=False)
                rows = rows.filter(pc.is_in(rows.column("thread_id"), value_set=pa.array(threads)))
                found = zip(*(rows.column(name).to_pylist() for name in ("tenant_id", "thread_id", "run")), strict=True)
                yield rows.filter(pa.array([key in keys for key in found], pa.bool_()))


def _likely(head: Head) -> set[int]:
    """Return the runs that the next ones probably go on from."""
    written = [ordinal for ordinal, run in enumerate(head.runs) if run.open is None]
    parents = {run.parent for run in head.runs if run.open is not None}
    return {ordinal for ordinal in [*written[-1:], *parents] if ordinal is not None}


def _files_of(head: Head, run: PastRun) -> Iterator[tuple[str, str]]:
    night = head.nights[run.night]
    names = ["runs", *(name for bit, name in enumerate(HEAD_TABLES) if run.tables >> bit & 1)]
    return ((name, Lake.path_of(name, run.day, night.name, night.bucket)) for name in names)


def _may_hold(stored: pq.ParquetFile, group: int, threads: list[bytes]) -> bool:
    """Tell whether a row group may have rows of threads, whose ids rise as Parquet orders text."""
    at = stored.schema_arrow.names.index("thread_id")
    column = next(
        stored.metadata.row_group(group).column(index)
        for index in range(at, stored.metadata.num_columns)
        if stored.metadata.schema.column(index).name == "thread_id"
    )
    statistics = column.statistics
    if statistics is None or not statistics.has_min_max:
        return True
    index = bisect_left(threads, statistics.min.encode())
    return index < len(threads) and threads[index] <= statistics.max.encode()

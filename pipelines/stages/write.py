"""Write: the rows of one bucket become its Parquet files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import apache_beam as beam
import msgspec
from apache_beam.metrics import Metrics

from pipelines.io.lake import Lake
from pipelines.io.parquet import write_parquet
from pipelines.io.store import Store
from schemas.lake import FileEntry, Plan, Totals
from transforms.runs.bucket_rows import BucketRows, BucketTable


class BucketReport(msgspec.Struct):
    """What was written for one bucket."""

    files: list[FileEntry]
    totals: Totals


class WriteTables(beam.PTransform):
    """``(bucket, BucketRows)`` → ``BucketReport``; each file has this one writer and a name that a re-run repeats."""

    def __init__(self, place: str, plan: Plan) -> None:
        super().__init__()
        self._place = place
        self._night = plan.night

    def expand(self, buckets: beam.PCollection) -> beam.PCollection:
        return buckets | "write" >> beam.ParDo(_Write(self._place, self._night))


class _Write(beam.DoFn):
    def __init__(self, place: str, night: str) -> None:
        self._place = place
        self._night = night
        self._ok = Metrics.counter("write", "ok")
        self._bytes = Metrics.distribution("write", "file_bytes")

    def process(self, element: tuple[int, BucketRows]) -> Iterator[BucketReport]:
        bucket, rows = element
        store = Store(self._place)
        files = [self._write(store, bucket, table) for table in rows.tables()]
        rows.totals.bytes_out = sum(file.bytes for file in files)
        yield BucketReport(files, rows.totals)

    def _write(self, store: Store, bucket: int, table: BucketTable) -> FileEntry:
        path = Lake.path_of(table.table, table.day, self._night, bucket)
        payload = write_parquet(table.rows)
        store.write(path, payload)
        self._ok.inc()
        self._bytes.update(len(payload))
        digest = hashlib.sha256(payload).hexdigest()
        return FileEntry(path, table.table, table.day, bucket, table.rows.num_rows, len(payload), digest)

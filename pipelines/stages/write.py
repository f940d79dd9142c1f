"""Write: the files of one bucket come into their places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import apache_beam as beam
import msgspec
from apache_beam.metrics import Metrics

from pipelines.io.lake import Lake
from pipelines.io.store import Store
from schemas.lake import FileEntry, Plan, Totals
from transforms.runs.bucket_rows import BucketFile, BucketFiles


class BucketReport(msgspec.Struct):
    """What was written for one bucket."""

    files: list[FileEntry]
    totals: Totals


class WriteTables(beam.PTransform):
    """``(bucket, BucketFiles)`` → ``BucketReport``; each file has this one writer and a name that a re-run repeats."""

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

    def process(self, element: tuple[int, BucketFiles]) -> Iterator[BucketReport]:
        bucket, made = element
        store = Store(self._place)
        yield BucketReport([self._write(store, bucket, file) for file in made.files], made.totals)

    def _write(self, store: Store, bucket: int, file: BucketFile) -> FileEntry:
        path = Lake.path_of(file.table, file.day, self._night, bucket)
        store.write(path, file.payload)
        size = len(file.payload)
        self._ok.inc()
        self._bytes.update(size)
        digest = hashlib.sha256(file.payload).hexdigest()
        return FileEntry(path, file.table, file.day, bucket, file.rows, size, digest)

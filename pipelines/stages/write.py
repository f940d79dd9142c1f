"""Write: the files of one bucket come into their places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import apache_beam as beam
import msgspec
from apache_beam.metrics import Metrics

from pipelines.io.heads import head_path
from pipelines.io.lake import Lake, open_path
from pipelines.io.lease import Fence
from pipelines.io.store import Store
from pipelines.io.swap import staged_path
from schemas.heads import Carried
from schemas.lake import FileEntry, HeadFile, Plan, Totals
from transforms.runs.bucket_rows import BucketFile, BucketFiles, BucketHeads


class BucketReport(msgspec.Struct):
    """What was written for one bucket."""

    files: list[FileEntry]
    heads: list[HeadFile]
    open_files: list[str]
    totals: Totals


class WriteTables(beam.PTransform):
    """``(bucket, BucketFiles)`` → ``BucketReport``; each file has this one writer and a name that a re-run repeats.

    Args:
        plan: one of a rebuild stages its files: others give way to them.
        fence: of the job's lease; a job that has lost it writes nothing.
    """

    def __init__(self, place: str, plan: Plan, fence: Fence | None = None) -> None:
        super().__init__()
        self._place = place
        self._plan = plan
        self._fence = fence

    def expand(self, buckets: beam.PCollection) -> beam.PCollection:
        return buckets | "write" >> beam.ParDo(_Write(self._place, self._plan, self._fence))


class _Write(beam.DoFn):
    def __init__(self, place: str, plan: Plan, fence: Fence | None) -> None:
        self._store = Store(place)
        self._night = plan.night
        self._is_staged = bool(plan.only)
        self._fence = fence
        self._ok = Metrics.counter("write", "ok")
        self._bytes = Metrics.distribution("write", "file_bytes")

    def process(self, element: tuple[int, BucketFiles]) -> Iterator[BucketReport]:
        bucket, made = element
        files = [self._table_file(bucket, file) for file in made.files]
        heads = [self._head_file(bucket, heads) for heads in made.heads]
        open_files = [self._open_file(bucket, made.carried)] if made.carried else []
        yield BucketReport(files, heads, open_files, made.totals)

    def _table_file(self, bucket: int, file: BucketFile) -> FileEntry:
        path = Lake.path_of(file.table, file.day, self._night, bucket)
        digest = self._write(path, file.payload)
        return FileEntry(path, file.table, file.day, bucket, file.rows, len(file.payload), digest)

    def _head_file(self, bucket: int, heads: BucketHeads) -> HeadFile:
        path = head_path(self._night, heads.family, bucket)
        digest = self._write(path, heads.payload)
        return HeadFile(path, heads.family, bucket, heads.rows, len(heads.payload), digest)

    def _open_file(self, bucket: int, carried: list[Carried]) -> str:
        path = open_path(self._night, bucket)
        self._write(path, msgspec.json.encode(carried))
        return path

    def _write(self, path: str, payload: bytes) -> str:
        if self._fence is not None:
            self._fence.check()
        self._store.write(staged_path(self._night, path) if self._is_staged else path, payload)
        self._ok.inc()
        self._bytes.update(len(payload))
        return hashlib.sha256(payload).hexdigest()

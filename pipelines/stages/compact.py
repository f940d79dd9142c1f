"""Compact: the shipments of one bucket become its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from pipelines.io.parquet import ParquetBuilder
from pipelines.stages.collector import collector_paused
from schemas.lake import Plan
from schemas.segments import Segment
from schemas.shipments import Parcel
from transforms.runs.bucket_rows import BucketFiles, BucketRows, day_of
from transforms.runs.thread import Compaction, CompactOptions
from transforms.segments.shipping import segment_of, unpack


class CompactThreads(beam.PTransform):
    """``(bucket, shipment)`` → ``(bucket, BucketFiles)``, one element a bucket, as big as its files."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan

    def expand(self, shipments: beam.PCollection) -> beam.PCollection:
        compact = _Compact(self._plan.night, CompactOptions(ruleset_id=self._plan.ruleset_id))
        return shipments | "group by bucket" >> beam.GroupByKey() | "compact" >> beam.ParDo(compact)


class _Compact(beam.DoFn):
    def __init__(self, night: str, options: CompactOptions) -> None:
        self._night = night
        self._options = options
        self._ok = Metrics.counter("compact", "ok")
        self._dead = Metrics.counter("compact", "dead")

    def process(self, element: tuple[int, Iterable[bytes]]) -> Iterator[tuple[int, BucketFiles]]:
        bucket, packed = element
        with collector_paused():
            yield bucket, self._compact(packed)

    def _compact(self, packed: Iterable[bytes]) -> BucketFiles:
        rows = BucketRows(self._night, ParquetBuilder)
        parcels = _sort_in(packed, rows)
        for key in sorted(parcels):
            segments = [segment_of(parcel) for parcel in parcels.pop(key)]
            thread = Compaction(segments, self._options)
            self._ok.inc(rows.add_thread(thread, _days(segments)))
            self._dead.inc(len(thread.dead_letters))
        return rows.files()


def _sort_in(packed: Iterable[bytes], rows: BucketRows) -> dict[tuple[str, str], list[Parcel]]:
    """Return the parcels by thread; counts and dead letters go to the rows at once."""
    parcels: dict[tuple[str, str], list[Parcel]] = {}
    for one in packed:
        shipment = unpack(one)
        rows.add_counts(shipment.counts)
        rows.add_letters(shipment.letters)
        for parcel in shipment.parcels:
            parcels.setdefault((parcel.tenant_id, parcel.thread_id), []).append(parcel)
    return parcels


def _days(segments: list[Segment]) -> dict[str, str]:
    return {segment.uri: day_of(segment.fallback_us) for segment in segments}

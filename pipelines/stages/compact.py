"""Compact: the shipments of one bucket become its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from pipelines.io.heads import all_heads, find_heads, span_of
from pipelines.io.parquet import ParquetBuilder
from pipelines.io.pastrows import PastRows
from pipelines.io.store import Store
from pipelines.stages.collector import collector_paused
from schemas.heads import Head, HeadRow
from schemas.lake import Plan
from schemas.segments import Segment
from schemas.shipments import Parcel
from transforms.bucket import bucket_of, key_of
from transforms.decode.times import day_of
from transforms.runs.bucket_rows import BucketFiles, BucketRows
from transforms.runs.headrows import head_of, thread_name, thread_row
from transforms.runs.thread import Compaction, CompactOptions
from transforms.runs.window import window_of
from transforms.segments.shipping import segment_of, unpack

_Thread = tuple[str, str]


class CompactThreads(beam.PTransform):
    """``(bucket, shipment)`` → ``(bucket, BucketFiles)``, one element a bucket, as big as its files."""

    def __init__(self, place: str, plan: Plan) -> None:
        super().__init__()
        self._place = place
        self._plan = plan

    def expand(self, shipments: beam.PCollection) -> beam.PCollection:
        compact = _Compact(self._place, self._plan)
        return shipments | "group by bucket" >> beam.GroupByKey() | "compact" >> beam.ParDo(compact)


class _Compact(beam.DoFn):
    def __init__(self, place: str, plan: Plan) -> None:
        self._store = Store(place)
        self._plan = plan
        self._options = CompactOptions(ruleset_id=plan.ruleset_id, frontier_us=plan.frontier_us)
        self._ok = Metrics.counter("compact", "ok")
        self._dead = Metrics.counter("compact", "dead")
        self._carried = Metrics.counter("compact", "open_runs")

    def process(self, element: tuple[int, Iterable[bytes]]) -> Iterator[tuple[int, BucketFiles]]:
        bucket, packed = element
        with collector_paused():
            yield bucket, self._compact(bucket, packed)

    def _compact(self, bucket: int, packed: Iterable[bytes]) -> BucketFiles:
        plan = self._plan
        rows = BucketRows((plan.night, bucket), ParquetBuilder, window_of(plan))
        parcels = _sort_in(packed, rows)
        met = frozenset(parcels)
        heads = self._heads(parcels)
        past = PastRows(self._store, heads.values())
        for key in sorted(parcels):
            segments = [segment_of(parcel) for parcel in parcels.pop(key)]
            head = heads.pop(key, None)
            thread = Compaction(segments, self._options, head, past.read)
            self._ok.inc(rows.add_thread(thread, _days(segments)))
            self._dead.inc(len(thread.dead_letters))
            self._carried.inc(len(thread.open_runs))
            if head is not None:
                past.forget(head)
        rows.add_heads(self._emptied(bucket, met))
        return rows.files(self._older(bucket))

    def _heads(self, parcels: dict[_Thread, list[Parcel]]) -> dict[_Thread, Head]:
        """Return what earlier nights knew of this night's threads."""
        if self._plan.only:
            return {}
        keys = [key_of(*thread) for thread in parcels]
        found = find_heads(self._store, self._plan.heads, "threads", keys)
        return {thread: head_of(found[thread_name(*thread)]) for thread in parcels if thread_name(*thread) in found}

    def _emptied(self, bucket: int, met: frozenset[_Thread]) -> list[HeadRow]:
        """Return the heads of threads that a rebuild found no record of."""
        bits = self._plan.bucket_bits
        lost = [one for one in self._plan.only if one not in met and bucket_of(*one, bits) == bucket]
        return [thread_row(Head(*thread, [], [])) for thread in lost]

    def _older(self, bucket: int) -> list[HeadRow]:
        """Return the heads that this night writes again."""
        merged = [one for one in self._plan.heads if one.night in self._plan.merged]
        return all_heads(self._store, merged, span_of(bucket, self._plan.bucket_bits)) if merged else []


def _sort_in(packed: Iterable[bytes], rows: BucketRows) -> dict[_Thread, list[Parcel]]:
    """Return the parcels by thread; counts, heads and dead letters go to the rows at once."""
    parcels: dict[_Thread, list[Parcel]] = {}
    for one in packed:
        shipment = unpack(one)
        rows.add_counts(shipment.counts)
        rows.add_letters(shipment.letters)
        rows.add_heads(shipment.heads)
        for parcel in shipment.parcels:
            parcels.setdefault((parcel.tenant_id, parcel.thread_id), []).append(parcel)
    return parcels


def _days(segments: list[Segment]) -> dict[str, str]:
    return {segment.uri: day_of(segment.fallback_us) for segment in segments}

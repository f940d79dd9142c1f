"""Decode: raw objects become shipments of pre-compacted segments, keyed by bucket."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from pipelines.io.files import open_input
from pipelines.io.meter import Meter
from pipelines.stages.collector import collector_paused
from schemas.lake import Plan
from schemas.records import Source
from schemas.shipments import ReadCounts
from transforms.decode.limits import Limits
from transforms.decode.objects import decode_batches
from transforms.decode.pathdate import object_time
from transforms.runs.bucket_rows import day_of
from transforms.segments.builder import SegmentBuilder
from transforms.segments.rawpolicy import RawChoice, RawPolicy
from transforms.segments.shipping import Shipper


class DecodeObjects(beam.PTransform):
    """``Source`` → ``(bucket: int, shipment: bytes)``, at most a few MiB each."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan

    def expand(self, sources: beam.PCollection) -> beam.PCollection:
        plan = self._plan
        read = _Decode(plan.bucket_bits, RawChoice(plan.raw_policy))
        return sources | "spread" >> beam.Reshuffle() | "read" >> beam.ParDo(read).with_output_types(tuple[int, bytes])


class _Decode(beam.DoFn):
    def __init__(self, bucket_bits: int, raw_choice: RawChoice) -> None:
        self._bits = bucket_bits
        self._choice = raw_choice
        self._ok = Metrics.counter("decode", "ok")
        self._dead = Metrics.counter("decode", "dead")

    def process(self, source: Source) -> Iterator[tuple[int, bytes]]:
        with collector_paused():
            yield from self._read(source)

    def _read(self, source: Source) -> Iterator[tuple[int, bytes]]:
        fallback = object_time(source)
        builder = SegmentBuilder(source, RawPolicy(self._choice), fallback)
        shipper = Shipper(source.uri, self._bits, day_of(fallback[0]))
        records = dead = size = 0
        with Meter(open_input(source.uri), source.uri) as stream:
            for batch in decode_batches(stream, source, Limits()):
                segments, letters = builder.add_all(batch)
                records += sum(record.count for record in batch)
                dead += sum(letter.count for letter in letters)
                for segment in segments:
                    yield from shipper.ship(segment)
                for letter in letters:
                    yield from shipper.ship_letter(letter)
            size = stream.bytes
        for segment in builder.finish():
            yield from shipper.ship(segment)
        yield from shipper.finish(ReadCounts(1, records, size))
        self._ok.inc(records - dead)
        self._dead.inc(dead)

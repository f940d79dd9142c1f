"""Decode: raw objects become shipments of pre-compacted segments, keyed by bucket."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from pipelines.io.meter import Meter
from pipelines.io.sources import open_source
from pipelines.stages.collector import collector_paused
from schemas.lake import Plan
from schemas.records import Source
from schemas.shipments import ReadCounts
from transforms.runs.headrows import object_rows
from transforms.segments.rawpolicy import RawChoice
from transforms.segments.reading import Reading, Wanted
from transforms.segments.shipping import Shipper


class DecodeObjects(beam.PTransform):
    """``Source`` → ``(bucket: int, shipment: bytes)``, at most a few MiB each."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan

    def expand(self, sources: beam.PCollection) -> beam.PCollection:
        read = _Decode(self._plan)
        return sources | "spread" >> beam.Reshuffle() | "read" >> beam.ParDo(read).with_output_types(tuple[int, bytes])


class _Decode(beam.DoFn):
    def __init__(self, plan: Plan) -> None:
        self._night = plan.night
        self._bits = plan.bucket_bits
        self._choice = RawChoice(plan.raw_policy)
        self._only = frozenset(plan.only)
        self._anew = frozenset(plan.rewritten)
        self._ok = Metrics.counter("decode", "ok")
        self._dead = Metrics.counter("decode", "dead")
        self._bytes = Metrics.counter("decode", "bytes")

    def process(self, source: Source) -> Iterator[tuple[int, bytes]]:
        with collector_paused():
            yield from self._read(source)

    def _read(self, source: Source) -> Iterator[tuple[int, bytes]]:
        reading = Reading(source, self._choice)
        shipper = Shipper(source.uri, self._bits, reading.day)
        wanted = Wanted(source, self._only)
        with Meter(open_source(source), source) as stream:
            for segments, letters in reading.parts(stream):
                for segment in segments:
                    if wanted.takes(segment):
                        yield from shipper.ship(segment)
                for letter in letters if wanted.takes_letters else ():
                    yield from shipper.ship_letter(letter)
            stream.drain()
        counts = reading.counts(stream.bytes)
        if not self._only or source.uri in self._anew:
            shipper.ship_heads(object_rows(reading.head(self._night, stream.digest())))
        yield from shipper.finish(counts if wanted.takes_letters else ReadCounts())
        self._ok.inc(counts.records - reading.dead)
        self._dead.inc(reading.dead)
        self._bytes.inc(counts.bytes)

"""Commit: the reports of all buckets become the night's commit record, the last thing that is written."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from pipelines.io.lake import Lake
from pipelines.stages.write import BucketReport
from schemas.lake import Commit, Plan, Totals


class CommitNight(beam.PTransform):
    """``BucketReport`` → the night's name, once its commit is written."""

    def __init__(self, place: str, plan: Plan) -> None:
        super().__init__()
        self._place = place
        self._plan = plan

    def expand(self, reports: beam.PCollection) -> beam.PCollection:
        return reports | "gather" >> beam.combiners.ToList() | "commit" >> beam.ParDo(_Commit(self._place, self._plan))


class _Commit(beam.DoFn):
    def __init__(self, place: str, plan: Plan) -> None:
        self._place = place
        self._plan = plan
        self._ok = Metrics.counter("commit", "ok")

    def process(self, reports: list[BucketReport]) -> Iterator[str]:
        plan, totals = self._plan, Totals()
        for report in reports:
            totals.add(report.totals)
        totals.violations = dict(sorted(totals.violations.items()))
        totals.dead_letters = dict(sorted(totals.dead_letters.items()))
        files = sorted((file for report in reports for file in report.files), key=lambda file: file.path)
        Lake.open(self._place).write_commit(
            Commit(plan.night, plan.format, plan.bucket_bits, files, totals, plan.version)
        )
        self._ok.inc()
        yield plan.night

"""Commit: the reports of all buckets become the night's commit record, the last thing that is written."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
import msgspec
from apache_beam.metrics import Metrics

from pipelines.io.lake import Lake
from pipelines.io.lease import Fence
from pipelines.io.swap import STAGED_COMMIT, staged_path
from pipelines.stages.write import BucketReport
from schemas.errors import InputError, ThresholdError
from schemas.lake import Commit, HeadSet, Plan, Totals


class CommitNight(beam.PTransform):
    """``BucketReport`` → the night's name, once its commit is written.

    Args:
        fence: of the job's lease; a job that has lost it commits nothing.
        fail_on: share of the records that may become dead letters, 0 to 1; with more there is no commit.
    """

    def __init__(self, place: str, plan: Plan, fence: Fence | None = None, fail_on: float = 1.0) -> None:
        super().__init__()
        self._place = place
        self._plan = plan
        self._fence = fence
        self._fail_on = fail_on

    def expand(self, reports: beam.PCollection) -> beam.PCollection:
        commit = _Commit(self._place, self._plan, self._fence, self._fail_on)
        return reports | "gather" >> beam.combiners.ToList() | "commit" >> beam.ParDo(commit)


class _Commit(beam.DoFn):
    def __init__(self, place: str, plan: Plan, fence: Fence | None = None, fail_on: float = 1.0) -> None:
        self._place = place
        self._plan = plan
        self._fence = fence
        self._fail_on = fail_on
        self._ok = Metrics.counter("commit", "ok")

    def process(self, reports: list[BucketReport]) -> Iterator[str]:
        plan, totals = self._plan, Totals()
        for report in reports:
            totals.add(report.totals)
        totals.violations = dict(sorted(totals.violations.items()))
        totals.dead_letters = dict(sorted(totals.dead_letters.items()))
        totals.rewritten = len(plan.rewritten)
        _check_letters(totals, self._fail_on)
        _check_carried(totals, plan)
        if self._fence is not None:
            self._fence.check()
        lake = Lake.open(self._place)
        commit = commit_of(plan, reports, totals)
        if plan.only:
            lake.store.write(staged_path(plan.night, STAGED_COMMIT), msgspec.json.encode(commit))
        else:
            lake.write_commit(commit)
        self._ok.inc()
        yield plan.night


def commit_of(plan: Plan, reports: list[BucketReport], totals: Totals) -> Commit:
    """Return the commit of a plan, from what was written for each bucket."""
    heads = sorted((head for report in reports for head in report.heads), key=lambda head: head.path)
    own = HeadSet(plan.night, plan.level, plan.bucket_bits, heads)
    kept = [one for one in plan.heads if one.night not in plan.merged]
    return Commit(
        night=plan.night,
        format=plan.format,
        bucket_bits=plan.bucket_bits,
        files=sorted((file for report in reports for file in report.files), key=lambda file: file.path),
        totals=totals,
        version=plan.version,
        number=plan.number,
        former=plan.former,
        frontier_us=plan.frontier_us,
        heads=[own, *kept],
        open_files=sorted(path for report in reports for path in report.open_files),
    )


def _check_carried(totals: Totals, plan: Plan) -> None:
    """Refuse a night that found other records of open runs than the one before had left.

    Raises:
        InputError: it did.
    """
    if not plan.only and totals.carried_in != plan.carried_records:
        raise InputError(
            f"night {plan.former} left {plan.carried_records:,} records of open runs in the raw log, and "
            f"{totals.carried_in:,} are found: raw objects were changed since; restore them, or `threadlake rebuild` "
            "the threads; nothing is committed"
        )


def _check_letters(totals: Totals, fail_on: float) -> None:
    """Refuse a night with too large a share of dead letters.

    Raises:
        ThresholdError: it has.
    """
    count = sum(totals.dead_letters.values())
    if fail_on < 1 and count > fail_on * totals.records:
        reasons = ", ".join(f"{reason} {found:,}" for reason, found in totals.dead_letters.items())
        raise ThresholdError(
            f"{count:,} of {totals.records:,} records are dead letters, more than --fail-on {fail_on:g} stands: "
            f"{reasons}; nothing is committed"
        )

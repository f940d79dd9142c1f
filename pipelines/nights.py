"""Nights: what was asked for is carried out under the lake's lease, night by night, each of them once."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from pipelines.io.lake import MARK, Lake
from pipelines.io.lease import Lease, take
from pipelines.io.store import Store
from pipelines.io.swap import finish_swaps
from pipelines.nightly import night_plan, turn_of
from pipelines.planning import CompactRequest, is_written, make_plan
from schemas.errors import LakeError
from schemas.lake import Commit, Plan

if TYPE_CHECKING:
    from pipelines.options import BeamOptions
else:
    BeamOptions: TypeAlias = Any
_logger = logging.getLogger(__name__)


class Job(msgspec.Struct, frozen=True):
    """How a request is carried out.

    Args:
        options: gives Beam's, checked; asked for once there is something to do, since Beam is slow to import.
        fail_on: share of the records that may become dead letters, 0 to 1.
        lease_seconds: how long the lease stands once its holder is gone.
        is_again: also what is written; the same plan gives the same files.
    """

    request: CompactRequest
    options: Callable[[], BeamOptions]
    fail_on: float = 1.0
    lease_seconds: float = 120.0
    is_again: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """A night that is committed, whether now or before, and how long that took."""

    commit: Commit
    was_written: bool
    seconds: float


def run_dates(job: Job, dates: list[dt.date]) -> Iterator[Outcome]:
    """Carry out nights in their order.

    Raises:
        ConfigError: a night cannot be carried out; those before it are committed.
    """
    for date in dates:
        began = time.monotonic()
        turn = turn_of(job.request, date)
        if turn.is_written and turn.last is not None and not job.is_again:
            yield Outcome(turn.last, was_written=True, seconds=time.monotonic() - began)
            continue
        options = job.options()
        first = None if Store(job.request.lake).exists(MARK) else night_plan(job.request, date, None)
        lake = Lake.create_or_open(job.request.lake)
        with take(lake.store, job.lease_seconds, f"night {date}") as lease:
            finish_swaps(lake)
            plan = _again(job, lake, date.isoformat()) or _dated_plan(job, lake, date, first)
            commit = _carry_out(job, plan, options, lease)
        yield Outcome(commit, was_written=False, seconds=time.monotonic() - began)


def run_undated(job: Job) -> Outcome:
    """Carry out an undated compaction.

    Raises:
        ConfigError: it cannot be carried out.
    """
    began = time.monotonic()
    place = job.request.lake
    plan = make_plan(job.request)
    if is_written(place, plan) and not job.is_again:
        return Outcome(Lake.open(place).commit(plan.night), was_written=True, seconds=time.monotonic() - began)
    options = job.options()
    lake = Lake.create_or_open(place)
    with take(lake.store, job.lease_seconds, f"compaction {plan.night}") as lease:
        finish_swaps(lake)
        is_written(place, plan)  # another job may have been here in the meantime
        again = _again(job, lake, plan.night)
        if again is None:
            begun = lake.open_nights()
            for night in begun:
                if night != plan.night:
                    lake.discard(night)
            lake.sweep(lake.last(), plan.night, is_repeated=bool(begun))
        commit = _carry_out(job, again or plan, options, lease)
    return Outcome(commit, was_written=False, seconds=time.monotonic() - began)


def _dated_plan(job: Job, lake: Lake, date: dt.date, first: Plan | None) -> Plan:
    """Return the night's plan, what is in its way cleared.

    Args:
        first: of the first night of a lake that was not there before.
    """
    turn = turn_of(job.request, date)
    if turn.is_written:
        raise LakeError(f"{lake.place}: night {date} was written by another job just now")
    for night in turn.dropped:
        lake.discard(night)
    plan = turn.frozen or (first if turn.last is None else None) or night_plan(job.request, date, turn.last)
    if not plan.sources and plan.outside:
        _logger.warning(
            "night %s finds nothing new: %d objects are dated before the %d days of --lookback, or behind the night",
            plan.night,
            plan.outside,
            plan.lookback_days,
        )
    lake.sweep(turn.last, plan.night, is_repeated=turn.frozen is not None or bool(turn.dropped))
    return plan


def _again(job: Job, lake: Lake, night: str) -> Plan | None:
    """Return the plan of a night that is written and is to be written again, None where it is not so.

    Raises:
        LakeError: later nights go on from it, and what it went on from is no longer there.
    """
    nights = lake.nights()
    if not job.is_again or night not in nights:
        return None
    if nights[-1] != night:
        raise LakeError(
            f"{lake.place}: {nights[-1]} was written after {night}, and only the last night can be written again; "
            "`threadlake rebuild` makes threads anew"
        )
    return lake.read_plan(night)


def _carry_out(job: Job, plan: Plan, options: BeamOptions, lease: Lease) -> Commit:
    from pipelines.compact import compact  # noqa: PLC0415 - Beam

    return compact(job.request.lake, plan, options, lease.fence, job.fail_on)

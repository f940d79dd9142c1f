"""Nightly: a date, a lake and the objects that are there become the frozen plan of a night, or the reason why not.

Objects dated up to the night are read that no earlier night has read, or that have grown since; and those that hold
records of runs that were left open. A plan that was frozen and not committed is carried out as it is.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

import msgspec

from pipelines.io.lake import MARK, Lake, date_of, is_rebuild
from pipelines.io.ledger import Carrying, sort_objects
from pipelines.io.listing import Days
from pipelines.io.sources import is_as_planned
from pipelines.io.store import Store
from pipelines.planning import CompactRequest, bucket_bits, find_sources
from schemas.errors import LakeError
from schemas.lake import Commit, HeadSet, Plan
from schemas.records import Source
from schemas.tables import FORMAT
from threadlake import __version__
from transforms.decode.order import natural_key
from transforms.decode.pathdate import object_time
from transforms.decode.times import day_of

MERGED_SETS: Final = 8
"""Sets of heads of one level that are written again as one of the next."""

_DAY: Final = dt.timedelta(days=1)
_EPOCH: Final = dt.date(1970, 1, 1)
_DAY_US: Final = 86_400_000_000


class Turn(msgspec.Struct, frozen=True):
    """Whether it is a night's turn.

    Args:
        last: the commit that it follows.
        is_written: the night is committed; there is nothing to do.
        frozen: its plan, where it began before and can be carried out as it is.
        dropped: nights that are given up: planned, and not to be carried out as planned.
    """

    last: Commit | None = None
    is_written: bool = False
    frozen: Plan | None = None
    dropped: list[str] = []


def turn_of(request: CompactRequest, date: dt.date) -> Turn:
    """Return whether it is a night's turn. Writes nothing.

    Raises:
        LakeError: a night before it is missing or failed, or later ones are written.
    """
    if not Store(request.lake).exists(MARK):
        return Turn()
    lake = Lake.open(request.lake)
    night, nights, begun = date.isoformat(), lake.nights(), lake.open_nights()
    if night in nights:
        return Turn(lake.commit(night), is_written=True)
    dated = [found for name in nights if (found := date_of(name)) is not None]
    _check_order(request, date, dated, [name for name in begun if name != night and not is_rebuild(name)])
    frozen = lake.read_plan(night) if night in begun else None
    if frozen is not None and not _is_valid(frozen, request):
        frozen = None
    last = lake.commit(nights[-1]) if nights else None
    return Turn(last, frozen=frozen, dropped=begun if frozen is None else [name for name in begun if name != night])


def night_plan(request: CompactRequest, date: dt.date, last: Commit | None) -> Plan:
    """Return what a night reads and how.

    Args:
        last: the commit that it follows.

    Raises:
        ConfigError: an input is missing or would take in the lake, or an open run's records are gone.
    """
    first = date - request.lookback_days * _DAY
    days = Days(first.isoformat(), date.isoformat())
    found = find_sources(request, days)
    dated = [one for one in found if days.first <= _day(one) <= days.last]
    store = Store(request.lake)
    sets = [] if last is None else last.heads
    sorting = sort_objects(store, sets, dated, _carrying(request.lake, last))
    sources = _in_order(sorting.carried, sorting.fresh)
    merged, level = merging(sets)
    ratio = _ratio(last)
    bits = request.bucket_bits if request.bucket_bits is not None else bucket_bits(sources, *ratio)
    return Plan(
        night=date.isoformat(),
        format=FORMAT,
        bucket_bits=bits,
        sources=sources,
        raw_policy=request.raw_policy,
        ruleset_id=request.ruleset_id,
        version=__version__,
        number=1 if last is None else last.number + 1,
        former="" if last is None else last.night,
        frontier_us=((date - _EPOCH).days + 1) * _DAY_US,
        lookback_days=request.lookback_days,
        heads=sets,
        merged=merged,
        level=level,
        carried_records=0 if last is None else last.totals.carried_out,
        rewritten=sorted(sorting.rewritten),
        outside=len(found) - len(dated),
    )


def merging(sets: list[HeadSet]) -> tuple[list[str], int]:
    """Return the sets that a night writes again into its own, and the level of that.

    Args:
        sets: the newest first; levels rise.

    >>> merging([HeadSet(str(n), 0, 0, []) for n in range(7)])
    (['0', '1', '2', '3', '4', '5', '6'], 1)
    """
    merged: list[str] = []
    level = 0
    while (peers := [one.night for one in sets if one.level == level]) and len(peers) >= MERGED_SETS - 1:
        merged += peers
        level += 1
    return merged, level


def _check_order(request: CompactRequest, date: dt.date, dated: list[dt.date], begun: list[str]) -> None:
    night, place = date.isoformat(), request.lake
    if dated and date < dated[-1]:
        raise LakeError(
            f"{place}: night {night} comes before {dated[-1]}, which is written; nights are written in their order. "
            f"Objects dated {night} are read by the next night, up to --lookback days back"
        )
    if request.allow_gap:
        return
    if begun:
        raise LakeError(
            f"{place}: night {begun[0]} began and was not committed; {_remedy(begun[0])}, or --allow-gap to drop what "
            "it wrote: its objects are then read by this one"
        )
    missing = dated[-1] + _DAY if dated else date
    if missing < date:
        raise LakeError(
            f"{place}: night {missing} is missing before {night}; run it first with `threadlake compact … --date "
            f"{missing}` (or `--since {missing} --until {night}` for all that are), or --allow-gap"
        )


def _remedy(night: str) -> str:
    return f"run it again with --date {night}" if date_of(night) is not None else "run the same command as before again"


def _is_valid(plan: Plan, request: CompactRequest) -> bool:
    """Tell whether a frozen plan can still be carried out, and is what was asked for."""
    is_asked = (plan.raw_policy, plan.ruleset_id, plan.version, plan.format) == (
        request.raw_policy,
        request.ruleset_id,
        __version__,
        FORMAT,
    )
    return is_asked and all(map(is_as_planned, plan.sources))


def _carrying(place: str, last: Commit | None) -> Carrying:
    carrying: Carrying = {}
    if last is not None and last.open_files:
        for one in Lake.open(place).carried(last):
            threads = carrying.setdefault(one.uri, [])
            if (one.tenant_id, one.thread_id) not in threads:
                threads.append((one.tenant_id, one.thread_id))
    return carrying


def _in_order(carried: list[Source], fresh: list[Source]) -> list[Source]:
    """Return the sources with their places: what was read before comes first, as it did then."""
    ordered = [*sorted(carried, key=_order), *sorted(fresh, key=_order)]
    return [msgspec.structs.replace(source, index=index) for index, source in enumerate(ordered)]


def _order(source: Source) -> tuple[tuple[str | int, ...], str]:
    return natural_key(source.uri), source.uri


def _day(source: Source) -> str:
    return day_of(object_time(source)[0])


def _ratio(last: Commit | None) -> list[float]:
    """Return the raw bytes to a byte of the last night's largest table; nothing where it has none."""
    sizes: dict[str, int] = {}
    for file in last.files if last is not None else ():
        sizes[file.table] = sizes.get(file.table, 0) + file.bytes
    read = last.totals.bytes_in if last is not None else 0
    return [read / max(sizes.values())] if sizes and read else []

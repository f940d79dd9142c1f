"""Windows: the days on which the runs of a night can have ended; elsewhere a clock lies."""

from __future__ import annotations

import datetime as dt
from typing import Final

import msgspec

from schemas.lake import Plan
from transforms.decode.times import day_of

_DAY: Final = dt.timedelta(days=1)


class Window(msgspec.Struct, frozen=True):
    """The first and the last day, ``YYYY-MM-DD``, and the one that stands for all others."""

    first: str
    last: str
    day: str


def window_of(plan: Plan) -> Window | None:
    """Return the window of a plan, None where it is undated: then every day is believed.

    A run may have ended up to the lookback before the night, since its object may be as old, and as long before as runs
    stay open; and up to a day behind it, since clocks differ.
    """
    if plan.frontier_us is None:
        return None
    day = dt.date.fromisoformat(day_of(plan.frontier_us - 1))
    first = day - (plan.lookback_days + 3) * _DAY
    return Window(first.isoformat(), (day + _DAY).isoformat(), day.isoformat())

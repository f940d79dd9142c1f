"""Time stamps of any unit become microseconds since 1970, UTC.

Producers write milliseconds (the protocol), seconds, micro- and nanoseconds, or ISO 8601 text. From 2000 to 2100 the
four numeric ranges do not meet, so the size of a number tells its unit.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

EARLIEST_S: Final = 946_684_800
LATEST_S: Final = 4_102_444_800
EARLIEST_MS: Final = EARLIEST_S * 1_000
LATEST_MS: Final = LATEST_S * 1_000

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_UNITS_PER_S: Final = (1, 1_000, 1_000_000, 1_000_000_000)


def micros(stamp: object) -> int | None:
    """Return the time in microseconds, or None for what is no time between 2000 and 2100.

    >>> micros(1790000000.5) == micros(1790000000500) == micros("2026-09-21T14:13:20.5Z")
    True
    """
    if type(stamp) is int and EARLIEST_MS <= stamp < LATEST_MS:
        return stamp * 1_000
    if isinstance(stamp, bool):
        return None
    if isinstance(stamp, int | float):
        return _from_number(stamp)
    if isinstance(stamp, str):
        return _from_text(stamp)
    return None


def day_of(moment_us: int | None) -> str:
    """Return the UTC date of a time in microseconds since 1970; 1970-01-01 where there is none.

    >>> day_of(1_700_000_000_000_000)
    '2023-11-14'
    """
    return datetime.fromtimestamp((moment_us or 0) // 1_000_000, UTC).date().isoformat()


def _from_number(number: float) -> int | None:
    for per_second in _UNITS_PER_S:
        if EARLIEST_S * per_second <= number < LATEST_S * per_second:
            if per_second > 1_000_000:
                return int(number) // 1_000
            return round(number * (1_000_000 // per_second))
    return None


def _from_text(text: str) -> int | None:
    try:
        return _from_number(float(text) if "." in text else int(text))
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    at_us = (moment - _EPOCH) // _MICROSECOND
    return at_us if EARLIEST_S * 1_000_000 <= at_us < LATEST_S * 1_000_000 else None

"""A raw object's key becomes the day that it tells, and so the time of events that have none of their own."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from schemas.records import Source
from transforms.decode.times import micros

_DAY: Final = re.compile(r"(?:[A-Za-z_]+=)?([0-9]{4}-[0-9]{2}-[0-9]{2})")
_YEAR: Final = re.compile(r"(?:year=)?([0-9]{4})")
_MONTH: Final = re.compile(r"(?:month=)?([0-9]{2})")
_DAY_OF_MONTH: Final = re.compile(r"(?:day=)?([0-9]{2})")


def path_date(uri: str) -> str | None:
    """Return the day of the innermost date among a key's folders, ``YYYY-MM-DD``; None where there is none.

    A date is one folder, alone or behind a name (``2026-12-01``, ``dt=2026-12-01``), or three (``2026/12/01``,
    ``year=2026/month=12/day=01``). The object's own name does not count.

    >>> path_date("s3://logs/acme/dt=2026-12-01/part-1.jsonl"), path_date("logs/2026/12/01/09/x"), path_date("2026.log")
    ('2026-12-01', '2026-12-01', None)
    """
    folders = uri.split("/")[:-1]
    for end in range(len(folders), 0, -1):
        whole = _DAY.fullmatch(folders[end - 1])
        text = whole.group(1) if whole else _three(folders[max(0, end - 3) : end])
        if text is not None and _is_day(text):
            return text
    return None


def object_time(source: Source) -> tuple[int | None, str | None]:
    """Return the time of an object's events that have none (UTC µs), and where it is from: ``path``, or ``object``.

    A date that a path pattern found comes before one that the path shows, and the object's mtime last.
    """
    for day in (source.fields.get("date"), path_date(source.uri)):
        moment = micros(day)
        if moment is not None:
            return moment, "path"
    return (source.modified_us, "object") if source.modified_us else (None, None)


def _three(folders: list[str]) -> str | None:
    parts = [
        expression.fullmatch(folder)
        for expression, folder in zip((_YEAR, _MONTH, _DAY_OF_MONTH), folders, strict=False)
    ]
    found = [part.group(1) for part in parts if part]
    return "-".join(found) if len(found) == len(_DATE_PARTS) else None


_DATE_PARTS: Final = ("year", "month", "day")


def _is_day(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True

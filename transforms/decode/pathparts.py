"""One folder of a path pattern becomes a matcher of one folder of a key."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

import msgspec

from schemas.errors import ConfigError

FIELDS: Final = ("tenant_id", "agent_id", "user_id", "thread_id", "run_id", "date")
"""What a path can tell."""

DATE_PARTS: Final = ("year", "month", "day")
_TOKEN: Final = re.compile(r"\{([^{}]*)\}|(\*)|([^{}*]+)|(.)", re.DOTALL)
_DATE_CHARS: Final = 10
_DATE_PREFIXES: Final = ("dt=", "date=")


class Wild(msgspec.Struct, frozen=True):
    """A stretch of any text: a field, or ``*`` where it has no name."""

    name: str | None


class Part(msgspec.Struct, frozen=True):
    """One folder of a pattern: wild stretches and the texts around them, in turn.

    Args:
        texts: one more than `wilds`; the outer two may be empty, the inner ones are not.
    """

    texts: tuple[str, ...]
    wilds: tuple[Wild, ...]


def compile_part(text: str, pattern: str) -> Part:
    """Return the matcher of one folder.

    Args:
        text: of the folder.
        pattern: the whole pattern, for the message.

    Raises:
        ConfigError: an unknown field, a brace without its pair, or two wild stretches that touch.
    """
    texts, wilds = [""], list[Wild]()
    for match in _TOKEN.finditer(text):
        name, star, literal, stray = match.groups()
        if stray is not None:
            raise ConfigError(f"path pattern {pattern!r}: a brace without its pair in {text!r}")
        if literal is not None:
            texts[-1] = literal
            continue
        if star is None and name not in FIELDS and name not in DATE_PARTS:
            raise ConfigError(f"path pattern {pattern!r}: no field {name!r}; there are {', '.join(FIELDS)}")
        if wilds and not texts[-1]:
            raise ConfigError(f"path pattern {pattern!r}: nothing tells where one field ends and the next begins")
        wilds.append(Wild(name))
        texts.append("")
    return Part(tuple(texts), tuple(wilds))


def match_part(part: Part, folder: str) -> dict[str, str] | None:
    """Return the fields in one folder of a key, None where it does not match.

    A field is not empty and ends where the text after it begins for the first time; a date has its own length.
    """
    if not part.wilds:
        return {} if folder == part.texts[0] else None
    end = len(folder) - len(part.texts[-1])
    if not folder.startswith(part.texts[0]) or not folder.endswith(part.texts[-1]) or end <= len(part.texts[0]):
        return None
    found: dict[str, str] = {}
    at = len(part.texts[0])
    for index, wild in enumerate(part.wilds):
        is_last = index == len(part.wilds) - 1
        shortest = at + (_DATE_CHARS if wild.name == "date" and folder[at : at + 1].isdecimal() else 1)
        stop = end if is_last else folder.find(part.texts[index + 1], shortest, end)
        if stop < at + 1:
            return None
        if wild.name is not None:
            found[wild.name] = folder[at:stop]
        at = stop + len(part.texts[index + 1])
    return found


def join_date(fields: dict[str, str]) -> dict[str, str] | None:
    """Return the fields with their date as YYYY-MM-DD, None where it is no day of the calendar.

    >>> join_date({"year": "2026", "month": "12", "day": "01"})
    {'date': '2026-12-01'}
    """
    rest = {name: value for name, value in fields.items() if name not in DATE_PARTS and name != "date"}
    if len(rest) == len(fields):
        return fields
    text = fields.get("date") or "-".join(fields[name] for name in DATE_PARTS)
    for prefix in _DATE_PREFIXES:
        text = text.removeprefix(prefix)
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return {**rest, "date": day.isoformat()} if len(text) == _DATE_CHARS else None

"""Order: keys of raw objects compare as a person counts, part-2 before part-10."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"([0-9]+)")


def natural_key(key: str) -> tuple[str | int, ...]:
    """Return what an object's key sorts by: its text and its numbers in turn, numbers by value.

    Keys that differ by leading zeros only are equal here.

    >>> sorted(["part-10", "part-2", "part-2/a"], key=natural_key)
    ['part-2', 'part-2/a', 'part-10']
    """
    return tuple(int(piece) if index % 2 else piece for index, piece in enumerate(_DIGITS.split(key)))

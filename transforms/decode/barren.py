"""Barren stretches: dead letters without end become one.

An object may be anything: a million lines of another log, or a few kilobytes that unpack to a million lines. Where dead
letters follow one another, the first are told one by one and the others together; where there is no end of them, the
rest of the object is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final, TypeAlias

from msgspec.structs import replace

from schemas.records import DeadLetter, Record

Found: TypeAlias = Record | DeadLetter

TOLD: Final = 1_000
"""Dead letters of a stretch that are told one by one."""

GIVEN_UP: Final = 1_000_000
"""Dead letters in a stretch after which the rest of the object is not read."""


def sift(batches: Iterator[list[Found]], told: int = TOLD, given_up: int = GIVEN_UP) -> Iterator[list[Found]]:
    """Yield the batches, the dead letters of a barren stretch in one ``barren`` letter behind the first `told`."""
    stretch = _Stretch(told)
    for batch in batches:
        if not stretch.length and not _has_letter(batch):
            yield batch
            continue
        sifted: list[Found] = []
        for is_dead, group in groupby(batch, key=_is_dead):
            found = list(group)
            sifted += stretch.add(found) if is_dead else stretch.end() + found
        yield sifted
        if stretch.length >= given_up:
            break
    rest = stretch.end()
    if rest:
        yield rest


class _Stretch:
    """Dead letters that follow one another."""

    def __init__(self, told: int) -> None:
        self.length = 0
        self._told = told
        self._first: DeadLetter | None = None
        self._count = 0
        self._end = 0

    def add(self, letters: list[Found]) -> list[Found]:
        """Take letters in, and return those that are told one by one."""
        told: list[Found] = []
        for letter in letters:
            if not isinstance(letter, DeadLetter):
                raise TypeError(letter)
            self.length += 1
            if self.length <= self._told:
                told.append(letter)
                continue
            self._first = self._first or letter
            self._count += 1
            self._end = letter.offset + letter.size
        return told

    def end(self) -> list[Found]:
        """End the stretch, and return the letter for all that were not told."""
        first, count = self._first, self._count
        self.length, self._first, self._count = 0, None, 0
        if first is None:
            return []
        detail = f"{count} more in a row that could not be used"
        size = max(self._end - first.offset, first.size)
        return [replace(first, size=size, reason="barren", detail=detail, count=count, thread_id=None, run_id=None)]


def _is_dead(found: Found) -> bool:
    return type(found) is DeadLetter


def _has_letter(batch: list[Found]) -> bool:
    return DeadLetter in map(type, batch)

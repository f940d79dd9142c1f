"""Barren stretches: dead letters without end become one.

An object may be anything: a million lines of another log, or a few kilobytes that unpack to a million lines. Where dead
letters follow one another, the first are told one by one and the others together; where there is no end of them, the
rest of the object is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from msgspec.structs import replace

from schemas.records import DeadLetter
from transforms.decode.reader import Found

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
        for is_dead, found in groupby(batch, key=_is_dead):
            if is_dead:
                sifted += stretch.add([one for one in found if isinstance(one, DeadLetter)])
            else:
                sifted += [*stretch.end(), *found]
        yield sifted
        if stretch.length >= given_up:
            break
    if rest := stretch.end():
        yield [*rest]


class _Stretch:
    """Dead letters that follow one another."""

    def __init__(self, told: int) -> None:
        self.length = 0
        self._told = told
        self._first: DeadLetter | None = None
        self._count = 0
        self._bytes = 0

    def add(self, letters: list[DeadLetter]) -> list[DeadLetter]:
        """Take letters in, and return those that are told one by one."""
        told: list[DeadLetter] = []
        for letter in letters:
            self.length += 1
            if self.length <= self._told:
                told.append(letter)
                continue
            self._first = self._first or letter
            self._count += 1
            self._bytes += letter.size
        return told

    def end(self) -> list[DeadLetter]:
        """End the stretch, and return the letter for all that were not told."""
        first, count, size = self._first, self._count, self._bytes
        self.length, self._first, self._count, self._bytes = 0, None, 0, 0
        if first is None:
            return []
        detail = f"{count} more in a row that could not be used"
        return [replace(first, size=size, reason="barren", detail=detail, count=count, thread_id=None, run_id=None)]


def _is_dead(found: Found) -> bool:
    return type(found) is DeadLetter


def _has_letter(batch: list[Found]) -> bool:
    return DeadLetter in map(type, batch)

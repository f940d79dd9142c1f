"""Seqs: which numbers of a log a run holds, as stretches; and whether they count in the thread or in the run."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise

from schemas.segments import Item
from transforms.segments.ordering import Placed


class Seqs:
    """A set of whole numbers that come in stretches."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []
        self._is_merged = True

    @property
    def first(self) -> int | None:
        """The lowest; None of an empty set."""
        return self._merged()[0][0] if self._spans else None

    @property
    def last(self) -> int | None:
        """The highest; None of an empty set."""
        return self._merged()[-1][1] if self._spans else None

    def add_item(self, item: Item) -> None:
        """Add the numbers of an item; of one without, nothing."""
        if item.seq is not None:
            self.add(item.seq, item.seq + item.count - 1)

    def add_all(self, flat: list[int] | None) -> None:
        """Add what `flat` gave."""
        for first, last in zip((flat or [])[::2], (flat or [])[1::2], strict=True):
            self.add(first, last)

    def add(self, first: int, last: int) -> None:
        """Add first..last."""
        self._spans.append((first, last))
        self._is_merged = False

    def meets(self, first: int, last: int) -> bool:
        """Tell whether any of first..last is in the set."""
        spans = self._merged()
        index = bisect_right(spans, last, key=lambda span: span[0]) - 1
        return index >= 0 and spans[index][1] >= first

    def holds(self, first: int, last: int) -> bool:
        """Tell whether all of first..last are in the set."""
        spans = self._merged()
        index = bisect_right(spans, first, key=lambda span: span[0]) - 1
        return index >= 0 and spans[index][1] >= last

    def flat(self) -> list[int]:
        """Return first and last of each stretch, rising: [first, last, first, last, …]."""
        return [number for span in self._merged() for number in span]

    def spans(self) -> list[tuple[int, int]]:
        """Return first and last of each stretch, rising."""
        return self._merged()

    def _merged(self) -> list[tuple[int, int]]:
        if not self._is_merged:
            merged: list[tuple[int, int]] = []
            for first, last in sorted(self._spans):
                if merged and first <= merged[-1][1] + 1:
                    merged[-1] = merged[-1][0], max(merged[-1][1], last)
                else:
                    merged.append((first, last))
            self._spans, self._is_merged = merged, True
        return self._spans


def seqs_of(items: Iterable[Placed]) -> list[int]:
    """Return the stretches of the seqs of items, flat; empty where they have none."""
    seqs = Seqs()
    for placed in items:
        seqs.add_item(placed.item)
    return seqs.flat()


def is_numbered_by_run(known: Iterable[tuple[str | None, Seqs]], fresh: Iterable[Placed]) -> bool:
    """Tell whether two runs hold one number: then seq counts in the run, not in the thread.

    Args:
        known: run ids and what they hold.
        fresh: further items.
    """
    by_run: dict[str | None, Seqs] = {}
    for run_id, seqs in known:
        whole = by_run.setdefault(run_id, Seqs())
        whole.add_all(seqs.flat())
    for placed in fresh:
        by_run.setdefault(placed.item.run_id, Seqs()).add_item(placed.item)
    spans = sorted(span for seqs in by_run.values() for span in seqs.spans())
    return any(two[0] <= one[1] for one, two in pairwise(spans))


def event_key(event_id: str) -> int:
    """Return what a head remembers of an event id: 63 bits of a hash."""
    digest = hashlib.blake2b(event_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1

"""Homes: an offset in an object that was read before becomes the open run that its record belongs to."""

from __future__ import annotations

from bisect import bisect_right

from schemas.heads import Head


class Homes:
    """The stretches of the runs that a head knows as open."""

    def __init__(self, head: Head) -> None:
        self._places: dict[str, list[tuple[int, int, int]]] = {}
        for ordinal, run in enumerate(head.runs):
            for stretch in run.open.stretches if run.open is not None else ():
                self._places.setdefault(stretch.uri, []).append((stretch.first, stretch.end, ordinal))
        for places in self._places.values():
            places.sort()

    def of(self, uri: str, offset: int) -> int | None:
        """Return the ordinal of the run, None where the record is of none that is open."""
        places = self._places.get(uri, [])
        index = bisect_right(places, offset, key=lambda place: place[0]) - 1
        return places[index][2] if index >= 0 and offset < places[index][1] else None

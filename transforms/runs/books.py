"""Books: every record of a thread is accounted for by one night, those of open runs by the one that writes the run.

``read + carried_in = events + dead letters + duplicates + carried_out``
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from schemas.heads import Head, OpenRun, Stretch
from schemas.records import DeadLetter
from schemas.segments import SILENCE_US, Segment
from transforms.runs.homes import Homes
from transforms.runs.runlog import RunLog
from transforms.segments.ordering import Placed

_END: Final = 1 << 62
_At = tuple[str, int]
"""An object and the offset of an item's first record in it."""


class Books:
    """What is due in this night, and what is carried to the next.

    Args:
        head: what earlier nights knew.
        parts: the segments that were ordered.
        opened: the runs that stay open.
    """

    def __init__(self, head: Head, parts: list[Segment], opened: list[RunLog]) -> None:
        self._parts = parts
        self._homes = {at: run.ordinal for run in opened for placed in run.items for at in _places(placed)}
        if head.runs and opened:
            self._homes |= _old_homes(Homes(head), parts, {run.ordinal for run in opened})
        self.carried_in = sum(item.count for part in parts if part.is_old for item in part.items)
        self._carried: dict[int, int] = {}
        for part in parts if opened else ():
            for item in part.items:
                home = self._homes.get((part.uri, item.offset))
                if home is not None:
                    self._carried[home] = self._carried.get(home, 0) + item.count

    @property
    def carried_out(self) -> int:
        """Records of open runs."""
        return sum(self._carried.values())

    def due_letters(self, letters: Iterable[DeadLetter]) -> list[DeadLetter]:
        """Return the letters but those of records that are carried: they are met again."""
        return [letter for letter in letters if (letter.uri, letter.offset) not in self._homes]

    def due_count(self, again: Iterable[Placed]) -> int:
        """Return how many records were delivered again, but those that are carried."""
        return sum(one.item.count for one in self._due(again))

    def open_run(self, run: RunLog, again: Iterable[Placed], frontier_us: int | None) -> OpenRun:
        """Return what the next night needs to know of an open run.

        An event that lies far behind the night has a clock that lies: it would keep the run open for as long.

        Args:
            again: what was delivered again under its id.
        """
        known = run.carried
        moment = run.last_us if run.last_us is not None else frontier_us or 0
        return OpenRun(
            parent_source=run.parent_source,
            claim=run.claim if isinstance(run.claim, str) else None,
            violations=dict(sorted((+run.violations).items())),
            stretches=[*self._old_stretches(run), *self._new_stretches(run)],
            records=self._carried.get(run.ordinal, 0),
            duplicates=(known.duplicates if known else 0) + sum(one.item.count for one in self._due(again)),
            last_us=moment if frontier_us is None else min(moment, frontier_us + SILENCE_US),
        )

    def objects_of(self, run: RunLog) -> list[str]:
        """Return the objects that hold records of an open run."""
        return sorted({uri for (uri, _), home in self._homes.items() if home == run.ordinal})

    def _due(self, again: Iterable[Placed]) -> Iterator[Placed]:
        return (one for one in again if (one.segment.uri, one.item.offset) not in self._homes)

    def _old_stretches(self, run: RunLog) -> Iterator[Stretch]:
        """Yield the stretches that were known, ended where the new part of their object begins."""
        begins = {
            part.uri: min(one.items[0].offset for one in self._parts if one.uri == part.uri and not one.is_old)
            for part in self._parts
            if not part.is_old
        }
        for stretch in run.carried.stretches if run.carried is not None else ():
            end = min(stretch.end, max(begins.get(stretch.uri, _END), stretch.first))
            yield Stretch(stretch.uri, stretch.first, end)

    def _new_stretches(self, run: RunLog) -> Iterator[Stretch]:
        by_uri: dict[str, list[int]] = {}
        for part in self._parts:
            if not part.is_old:
                by_uri.setdefault(part.uri, []).extend(item.offset for item in part.items)
        for uri, offsets in sorted(by_uri.items()):
            first: int | None = None
            for offset in sorted(offsets):
                is_its = self._homes.get((uri, offset)) == run.ordinal
                if is_its and first is None:
                    first = offset
                elif not is_its and first is not None:
                    yield Stretch(uri, first, offset)
                    first = None
            if first is not None:
                yield Stretch(uri, first, _END)


def _old_homes(homes: Homes, parts: list[Segment], opened: set[int]) -> dict[_At, int]:
    """Return the runs of what was carried to this night and is carried on, redelivered or not."""
    places = [(part.uri, item.offset) for part in parts if part.is_old for item in part.items]
    found = {at: homes.of(*at) for at in places}
    return {at: home for at, home in found.items() if home is not None and home in opened}


def _places(placed: Placed) -> Iterator[_At]:
    for part in placed.parts or (placed,):
        yield part.segment.uri, part.item.offset

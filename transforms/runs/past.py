"""The past of a thread: what earlier nights knew of it sorts what this night brings.

::

    old records   of runs that were open    → their run, again
                  of runs that are written  → passed over
    new records   a seq that is written     → delivered again, counted
                  below what is written     → late, a dead letter
                  all others                → to be traced
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from schemas.events import RUN_STARTED, TERMINALS
from schemas.heads import Head, PastRun
from schemas.records import DeadLetter
from schemas.segments import Segment
from transforms.runs.homes import Homes
from transforms.runs.lineage import late_letter
from transforms.runs.runlog import RunLog
from transforms.runs.seqs import Seqs, event_key, is_numbered_by_run
from transforms.segments.ordering import Ordered, Placed, join_neighbours, split_item

_LINEAGE_TYPES: Final = TERMINALS | {RUN_STARTED}


class Sifted(msgspec.Struct):
    """What a night brings of a thread.

    Args:
        former: the runs that were known, by ordinal, those that are open with their records.
        fresh: items to trace, in order.
        again: items of written runs that were delivered again.
        letters: what came too late.
    """

    former: list[RunLog]
    fresh: list[Placed]
    again: list[Placed]
    letters: list[DeadLetter]


def wanted(head: Head, segments: list[Segment]) -> list[Segment]:
    """Return the segments, those that were read before reduced to the records of runs that were open."""
    homes = Homes(head)
    kept = []
    for segment in segments:
        if not segment.is_old:
            kept.append(segment)
            continue
        items = [item for item in segment.items if homes.of(segment.uri, item.offset) is not None]
        if items:
            kept.append(msgspec.structs.replace(segment, items=items))
    return kept


def sift(head: Head, ordered: Ordered) -> Sifted:
    """Return what to trace of a thread's items, `wanted` and ordered."""
    if not head.runs:
        return Sifted([], ordered.items, [], [])
    runs = [_former(ordinal, run) for ordinal, run in enumerate(head.runs)]
    homes = Homes(head)
    fresh = []
    for placed in ordered.items:
        home = homes.of(placed.segment.uri, placed.item.offset) if placed.segment.is_old else None
        if home is None:
            fresh.append(placed)
        else:
            runs[home].add(placed)
    for run in runs:
        if run.carried is not None:
            run.last_us = run.carried.last_us
    sifted = Sifted(runs, [], [], [])
    verdict = _Verdict(runs, fresh)
    for placed in fresh:
        _sort(placed, verdict, sifted)
    return sifted


def restore_order(runs: Iterable[RunLog], ordered: Ordered) -> None:
    """Put the items of runs that went on in the order that all items have, old beside new."""
    carried = [run for run in runs if run.carried is not None]
    ranks = {id(placed): rank for rank, placed in enumerate(ordered.items)} if carried else {}
    for run in carried:
        run.items.sort(key=lambda placed: ranks.get(id(placed), len(ranks)))
        run.items = join_neighbours(run.items, is_sorted_out=True)


def _former(ordinal: int, past: PastRun) -> RunLog:
    run = RunLog(ordinal, past.run_id, past.parent, "", ended_by=past.ended_by, last_us=past.last_us)
    if past.open is None:
        run.past, run.claim = past, past.missed
        run.violations["unknown_parent"] = int(past.missed is not None)
    else:
        run.carried, run.parent_source, run.claim = past.open, past.open.parent_source, past.open.claim
        run.violations = Counter(past.open.violations)
    return run


def _sort(placed: Placed, verdict: _Verdict, sifted: Sifted) -> None:
    pieces: Iterable[Placed] = [placed]
    if placed.item.count > 1 and verdict.is_torn(placed):
        pieces = [piece for part in placed.parts or (placed,) for piece in _single(part)]
    for piece in pieces:
        if verdict.is_known(piece):
            sifted.again.append(piece)
        elif verdict.is_late(piece):
            sifted.letters.append(late_letter(piece))
        else:
            sifted.fresh.append(piece)


def _single(placed: Placed) -> Iterable[Placed]:
    return split_item(placed) if placed.item.count > 1 else [placed]


class _Verdict:
    """Tells of a new item whether it was there before, or comes too late."""

    def __init__(self, runs: list[RunLog], fresh: list[Placed]) -> None:
        self._written: dict[str | None, Seqs] = {}
        self._open: dict[str | None, Seqs] = {}
        self._event_ids: set[int] = set()
        for run in runs:
            if run.past is not None:
                self._written.setdefault(run.run_id, Seqs()).add_all(run.past.seqs)
                self._event_ids.update(run.past.event_ids)
            else:
                seqs = self._open.setdefault(run.run_id, Seqs())
                for placed in run.items:
                    seqs.add_item(placed.item)
        known = [*self._written.items(), *self._open.items()]
        self._is_by_run = is_numbered_by_run(known, fresh)
        lasts = [seqs.last for _, seqs in known if seqs.last is not None]
        self._top = max(lasts, default=-1)

    def is_torn(self, placed: Placed) -> bool:
        """Tell whether some of a joined item's deltas may be written and others not."""
        item = placed.item
        if item.seq is None:
            return False
        written = self._written.get(item.run_id)
        is_part = written is not None and written.meets(item.seq, item.seq + item.count - 1)
        return is_part or item.seq <= self._reach(item.run_id) < item.seq + item.count

    def is_known(self, placed: Placed) -> bool:
        """Tell whether an item was written before; of one that is joined, whether all of it was."""
        item = placed.item
        if item.event_id is not None and event_key(item.event_id) in self._event_ids:
            return True
        written = self._written.get(item.run_id)
        return item.seq is not None and written is not None and written.holds(item.seq, item.seq + item.count - 1)

    def is_late(self, placed: Placed) -> bool:
        """Tell whether what an item belongs to, or what comes behind it, is written.

        What fills a gap of an open run is not, unless it would have begun or ended a run there.
        """
        item = placed.item
        if item.seq is None or item.seq > self._reach(item.run_id):
            return False
        opened = self._open.get(item.run_id)
        is_gap = opened is not None and opened.first is not None and item.seq > opened.first
        return not is_gap or item.type in _LINEAGE_TYPES or item.seq <= self._own_reach(item.run_id)

    def _reach(self, run_id: str | None) -> int:
        """Return the last seq that is known of the thread, or of the run where it has numbers of its own; else -1."""
        if not self._is_by_run:
            return self._top
        opened = self._open.get(run_id)
        return max(self._own_reach(run_id), -1 if opened is None or opened.last is None else opened.last)

    def _own_reach(self, run_id: str | None) -> int:
        own = self._written.get(run_id)
        return -1 if own is None or own.last is None else own.last

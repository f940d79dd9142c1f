"""Run logs: one run of a thread, its items, and where log time ends it."""

from __future__ import annotations

from collections import Counter

import msgspec

from schemas.heads import OpenRun, PastRun
from schemas.segments import SILENCE_US
from transforms.bucket import key_of
from transforms.segments.ordering import Placed


class RunLog(msgspec.Struct):
    """The items of one run, and its place among the thread's runs.

    Args:
        parent_source: event, input, store, previous, continuation, or root.
        claim: the parent's run id as the log names it.
        ended_by: ``terminal``, ``child`` (a run whose parent it is started), ``silence``, ``log`` (open at the end of a
            log that is closed) or None (open).
        last_us: time of its last event, UTC, microseconds since 1970.
        past: where an earlier night wrote it; it has no items then.
        carried: what an earlier night knew of it, where it was open then.
        lanes: chunks that were open at its end, once it is folded.
    """

    ordinal: int
    run_id: str | None
    parent: int | None
    parent_source: str
    claim: str | None = None
    items: list[Placed] = []
    violations: Counter[str] = msgspec.field(default_factory=Counter)
    ended_by: str | None = None
    last_us: int | None = None
    past: PastRun | None = None
    carried: OpenRun | None = None
    lanes: bytes | None = None

    def add(self, placed: Placed) -> None:
        """Take in an item that comes after all others."""
        self.items.append(placed)
        moment = last_moment(placed)
        if moment is not None and (self.last_us is None or moment > self.last_us):
            self.last_us = moment

    def copy(self) -> RunLog:
        """Return a run that can be added to, while this one stays as it is."""
        return msgspec.structs.replace(self, items=[*self.items], violations=Counter(self.violations))

    def is_from(self, source: int, source_key: int) -> bool:
        """Tell whether the run's last record lies in an object, given its index and the hash of its key."""
        if self.items:
            return self.items[-1].segment.source == source
        return self.past is not None and self.past.source == source_key


def last_moment(placed: Placed) -> int | None:
    """Return the time of an item's last event, or of its object."""
    moment = placed.item.last_us or placed.item.first_us
    return placed.segment.fallback_us if moment is None else moment


def source_key(uri: str) -> int:
    """Return what a head remembers of an object."""
    return key_of("", uri) >> 1


def is_silent(run: RunLog, placed: Placed) -> bool:
    """Tell whether an item comes so long after a run's last one that the run was given up before."""
    moment = placed.item.first_us
    moment = placed.segment.fallback_us if moment is None else moment
    return moment is not None and run.last_us is not None and moment - run.last_us >= SILENCE_US


def end_at(run: RunLog, frontier_us: int | None) -> str | None:
    """Return what ends a run at the end of its log, None where it stays open."""
    if frontier_us is None:
        return "log"
    is_silent = run.last_us is not None and frontier_us - run.last_us >= SILENCE_US
    return "silence" if is_silent else None

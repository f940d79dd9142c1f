"""New heads: a thread's runs, once they are compacted, become what later nights must know of it."""

from __future__ import annotations

import datetime as dt
from typing import Final

import msgspec

from schemas.heads import Head, PastNight, PastRun
from schemas.view import View
from transforms.runs.pastviews import dump_view, path_to
from transforms.runs.runlog import RunLog, source_key
from transforms.runs.seqs import event_key, seqs_of

KEPT_NIGHTS: Final = 4
"""Nights that a view is rebuilt from; of a thread that goes on for longer the head keeps the view itself."""


KEPT_ID_DAYS: Final = 60
"""Days after which a head forgets the ids of a run's events: a redelivery so late is taken for something new."""


class Place(msgspec.Struct, frozen=True):
    """Where a run's rows lie: the day, and which of HEAD_TABLES hold some, a bit each."""

    day: str
    tables: int


def new_head(
    former: Head, runs: list[RunLog], night: tuple[str, int], places: dict[int, Place], newest: tuple[int, View] | None
) -> Head:
    """Return the head of a thread after a night.

    Args:
        runs: all by ordinal, compacted.
        night: its name, and the thread's bucket in it.
        places: where the rows lie that this night writes.
        newest: the last run that was compacted, and its view.
    """
    nights = [*former.nights, PastNight(*night)] if places else former.nights
    head = Head(former.tenant_id, former.thread_id, [], nights, former.view)
    newest_day = max((place.day for place in places.values()), default="")
    for run in runs:
        if run.past is not None:
            head.runs.append(_without_old_ids(run.past, newest_day))
        else:
            head.runs.append(_past_run(run, len(nights) - 1, places.get(run.ordinal)))
    if newest is not None and _is_long(head, newest[0]):
        head.view = dump_view(*newest)
    return head


def _without_old_ids(past: PastRun, day: str) -> PastRun:
    """Return a run without the ids of its events where it is so old that nothing of it is delivered again."""
    if not past.event_ids or not day or not past.day:
        return past
    age = dt.date.fromisoformat(day) - dt.date.fromisoformat(past.day)
    return msgspec.structs.replace(past, event_ids=[]) if age.days > KEPT_ID_DAYS else past


def _past_run(run: RunLog, night: int, place: Place | None) -> PastRun:
    past = PastRun(run.run_id, run.parent, run.ended_by)
    if place is None:
        return past
    parts = [part for placed in run.items for part in placed.parts or (placed,)]
    past.night, past.day, past.tables = night, place.day, place.tables
    past.seqs = seqs_of(run.items)
    past.event_ids = sorted({event_key(part.item.event_id) for part in parts if part.item.event_id is not None})
    past.source = source_key(parts[-1].segment.uri) if parts else 0
    past.last_us, past.lanes = run.last_us, run.lanes
    past.missed = run.claim if run.violations["unknown_parent"] else None
    return past


def _is_long(head: Head, ordinal: int) -> bool:
    return len({head.runs[run].night for run in path_to(head, ordinal)}) > KEPT_NIGHTS

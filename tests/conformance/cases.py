"""A seed becomes a thread, and the thread the cases that the reference client decides."""

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct

from schemas.events import Event, Json
from schemas.view import View
from tests.dialects import DIALECTS, spell
from tests.threads import Placed, compacted, events_by_run, lines_of, random_log, through_arrow
from transforms.compact import compact_events
from transforms.replay.forms import History

SPOILED = 0.03
"""The share of events that hold a value of the wrong type, in every fourth thread."""

FORMS = ("raw", "stream", "snapshot", "short")


class Judged(Struct):
    """One run of a thread: what we say its view is, and the event lists that must all fold to it.

    Args:
        name: ``seed:ordinal``.
        forms: by name: the raw events of the run's path, the replay as a stream and as a snapshot, and what
            `compact_events` makes of the raw path.
    """

    name: str
    view: View
    forms: dict[str, list[Event]]
    is_verbatim: bool


def thread_of(seed: int) -> list[Placed]:
    """Return a seed's thread: (run id, event) in order, in the canonical spelling."""
    return random_log(seed, SPOILED if seed % 4 == 3 else 0.0)


def written(seed: int, log: list[Placed]) -> list[bytes]:
    """Return the thread as a raw object's lines, in the dialect that the seed draws."""
    rng = Random(f"dialect {seed}")
    dialect = rng.choice(DIALECTS)
    return lines_of((run_id, spell(rng, event, dialect)) for run_id, event in log)


def judged_runs(seed: int) -> Iterator[Judged]:
    """Yield the runs of a seed's thread, compacted and replayed through Arrow tables."""
    log = thread_of(seed)
    if not log:
        return
    lines = written(seed, log)
    events = events_by_run(log, lines)
    history = History(through_arrow(compacted(lines).runs))
    for rows in history.runs:
        ordinal = rows.run.run
        raw = [event for one in history.path(ordinal) for event in events[one.run.run]]
        forms = {
            "raw": raw,
            "stream": history.form(ordinal, "events"),
            "snapshot": history.form(ordinal, "snapshot"),
            "short": compact_events(raw),
        }
        yield Judged(f"{seed}:{ordinal}", history.replayed(ordinal).final, forms, rows.run.is_verbatim)


def wire(view: View) -> dict[str, Json]:
    """Return a view as the reference gives it."""
    return {"messages": view.messages, "state": view.state}


def case(one: Judged, form: str) -> dict[str, Any]:
    """Return a case for the reference."""
    return {"id": f"{one.name}:{form}", "events": one.forms[form]}

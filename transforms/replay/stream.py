"""Replay: the rows of a run, and the views before and after it, become AG-UI events again.

The stream form holds, in order, START / one CONTENT / END for what the run brought, the events of the events table
where they came, the state at the end, and the terminal. It is folded and verified before it is returned: where events
alone do not give the view, one MESSAGES_SNAPSHOT of the full view follows them, and as a last resort, or where a client
would refuse them, an empty one and then the full one. A stream that gives the view and is illegal whatever stands in it
(an interrupt whose owner is null) is returned all the same.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from schemas.errors import ThreadlakeError
from schemas.events import ACTIVITY_TYPES, Event, Message
from schemas.rows import EventRow, RunRows
from schemas.view import View
from transforms import jsontext
from transforms.fold.jsvalue import id_key
from transforms.fold.reducer import Fold
from transforms.fold.verify import Lifecycle
from transforms.replay.closing import terminal_event
from transforms.replay.emit import grown_message_events, new_message_events
from transforms.runs.inputs import restore_input
from transforms.sameness import same_json

Inputs = Literal["full", "new"]
"""Which messages RUN_STARTED.input repeats: all that were sent, or those that the path did not hold."""

_STAND_IN: Final = "threadlake-stand-in"


class ReplayError(ThreadlakeError):
    """A view that no stream of events folds to; its other forms can be had."""


class Replayed(msgspec.Struct):
    """One run with the views before and after it, rebuilt."""

    rows: RunRows
    base: View
    final: View


def snapshot_events(run: Replayed) -> list[Event]:
    """Return the shortest run that folds to the view from nothing: a snapshot of messages and one of the state."""
    started = _started(run)
    started.pop("input", None)
    return [
        started,
        {"type": "MESSAGES_SNAPSHOT", "messages": run.final.messages},
        {"type": "STATE_SNAPSHOT", "snapshot": run.final.state},
        terminal_event(run.rows),
    ]


class Streamed(msgspec.Struct):
    """A run's events, and what a client holds that got them after its parent's."""

    events: list[Event]
    fold: Fold


def stream_events(run: Replayed, heard: Fold | None = None, inputs: Inputs = "full") -> Streamed:
    """Return the run's events, which fold from its base view to its final view.

    Args:
        heard: what a client holds that got the parent's stream; it can differ from the base view in which messages are
            one object (schemas.view). None for a root.

    Raises:
        ReplayError: no events give the view.
    """
    before = Fold(run.base) if heard is None else heard
    if run.rows.run.is_verbatim:
        events = [jsontext.loads(row.event) for row in run.rows.events]
        return Streamed(events, _folded(before, events)[0])
    started = _started(run, inputs)
    illegal: Streamed | None = None
    for attempt in (_triples, _triples_and_snapshot, _snapshots):
        body = _with_kept_events(run, started, attempt(run, started))
        events = [started, *body, *_state(run), terminal_event(run.rows)]
        fold, view = _folded(before, events)
        if same_json(view.messages, run.final.messages) and same_json(view.state, run.final.state):
            if _is_legal(events):
                return Streamed(events, fold)
            illegal = illegal or Streamed(events, fold)
    if illegal is not None:
        return illegal
    row = run.rows.run
    raise ReplayError(f"run #{row.run} of thread {row.thread_id!r}: no stream of events gives its view")


def _started(run: Replayed, inputs: Inputs = "full") -> Event:
    row = run.rows.run
    event: Event = {"type": "RUN_STARTED", "threadId": row.thread_id, "runId": row.run_id or f"run-{row.run}"}
    if row.parent_run_id is not None and row.parent_source == "event":
        event["parentRunId"] = row.parent_run_id
    given = restore_input(row, run.base, run.final, run.rows.messages)
    if given is None:
        return event
    if inputs == "new" and isinstance(given.get("messages"), list):
        known = {id_key(message) for message in run.base.messages}
        given["messages"] = [one for one in given["messages"] if id_key(one) not in known]
    return event | {"input": given}


def _after_start(run: Replayed, started: Event) -> Fold:
    fold = Fold(run.base)
    fold.apply(started)
    return fold


def _triples(run: Replayed, started: Event) -> list[tuple[int, Event]]:
    """Return (messages in the view when it is sent, event) for what the run brought and what grew."""
    before = _after_start(run, started).close().messages
    standing = {id(message) for message in before}
    known = {id_key(message): message for message in reversed(before) if isinstance(message, dict)}
    placed: list[tuple[int, Event]] = []
    for row in run.rows.messages:
        message = run.final.messages[row.position]
        if id(message) in standing or not isinstance(message, dict) or row.same_as is not None:
            continue
        former = known.get(id_key(message))
        events = _growth(former, message)
        placed += [(row.position, event) for event in events or []]
    return placed


def _growth(former: Message | None, message: Message) -> list[Event] | None:
    if former is None:
        return new_message_events(message)
    if same_json(former, message):
        return []
    return grown_message_events(former, message)


def _triples_and_snapshot(run: Replayed, started: Event) -> list[tuple[int, Event]]:
    end = len(run.final.messages)
    return [*_triples(run, started), (end, {"type": "MESSAGES_SNAPSHOT", "messages": run.final.messages})]


def _snapshots(run: Replayed, started: Event) -> list[tuple[int, Event]]:
    """Clear the view, then send it whole.

    A snapshot keeps reasoning unless it carries some. So the first one carries a stand-in, which then becomes an
    activity, which the empty one claims by its metadata.
    """
    del started
    end = len(run.final.messages)
    stand_in = {"id": _STAND_IN, "role": "reasoning", "content": ""}
    owned = {"@ag-ui/client": {"authoritativeActivityTypes": None}}
    clearing: list[Event] = [
        {"type": "MESSAGES_SNAPSHOT", "messages": [stand_in]},
        {"type": "ACTIVITY_SNAPSHOT", "messageId": _STAND_IN, "activityType": _STAND_IN, "content": {}},
        {"type": "MESSAGES_SNAPSHOT", "messages": [], "metadata": owned},
    ]
    return [(end, event) for event in [*clearing, {"type": "MESSAGES_SNAPSHOT", "messages": run.final.messages}]]


def _with_kept_events(run: Replayed, started: Event, placed: list[tuple[int, Event]]) -> list[Event]:
    """Put the events of the events table among the others; one that verifyEvents would stop at stays in the table."""
    lifecycle = Lifecycle()
    lifecycle.check(started)
    kept = [row for row in run.rows.events if row.type not in ACTIVITY_TYPES]
    merged: list[Event] = []
    for position, event in placed:
        while kept and kept[0].at_message <= position and _is_between(merged):
            _append_kept(merged, kept.pop(0), lifecycle)
        lifecycle.check(event)
        merged.append(event)
    for row in kept:
        _append_kept(merged, row, lifecycle)
    return merged + lifecycle.closing_events()


def _is_between(merged: list[Event]) -> bool:
    """Tell whether no text, call or reasoning is open."""
    return not merged or not merged[-1]["type"].endswith(("_START", "_CONTENT", "_ARGS"))


def _append_kept(merged: list[Event], row: EventRow, lifecycle: Lifecycle) -> None:
    event = jsontext.loads(row.event)
    if lifecycle.would_accept(event) and lifecycle.can_be_ended(event):
        lifecycle.check(event)
        merged.append(event)


def _state(run: Replayed) -> list[Event]:
    return [] if run.rows.state is None else [{"type": "STATE_SNAPSHOT", "snapshot": run.final.state}]


def _is_legal(events: list[Event]) -> bool:
    """Tell whether verifyEvents would let a run pass: two subagents can own calls of one id, which it refuses."""
    lifecycle = Lifecycle()
    return not any(map(lifecycle.check, events))


def _folded(before: Fold, events: list[Event]) -> tuple[Fold, View]:
    fold = Fold.after(before)
    for event in events:
        fold.apply(event)
    return fold, fold.close()

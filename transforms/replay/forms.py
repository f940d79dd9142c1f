"""Replay forms: the runs of a thread become, for any of them, its view, its events, a snapshot, or its input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from schemas.events import Event, Json
from schemas.rows import RunRows
from schemas.view import empty_view
from transforms.replay.stream import Inputs, Replayed, Streamed, snapshot_events, stream_events
from transforms.runs.inputs import restore_input
from transforms.runs.rebuild import rebuild_view


class History:
    """The runs of one thread, whose views and streams are made once, when they are asked for."""

    def __init__(self, runs: list[RunRows]) -> None:
        """Take the runs by ordinal; a parent comes before its children. A run that is still open is missing."""
        self.runs = runs
        self._by_ordinal = {rows.run.run: rows for rows in runs}
        self._replayed: dict[int, Replayed] = {}
        self._streams: dict[int, Streamed] = {}

    def form(self, ordinal: int, form: str) -> Json:
        """Return a run in a form of FORMS; None where it has no recorded input and that is asked for."""
        return FORMS[form](self, ordinal)

    def replayed(self, ordinal: int) -> Replayed:
        """Return a run with the views before and after it."""
        for rows in self.path(ordinal):
            run = rows.run
            if run.run not in self._replayed:
                base = empty_view() if run.parent is None else self._replayed[run.parent].final
                self._replayed[run.run] = Replayed(rows, base, rebuild_view(base, rows))
        return self._replayed[ordinal]

    def stream(self, ordinal: int, inputs: Inputs = "full") -> list[Event]:
        """Return the events of one run, which fold from its parent's view to its own.

        Args:
            inputs: which messages its input repeats; the same for all runs of a history.
        """
        for rows in self.path(ordinal):
            run = rows.run
            if run.run not in self._streams:
                heard = None if run.parent is None else self._streams[run.parent].fold
                self._streams[run.run] = stream_events(self.replayed(run.run), heard, inputs)
        return self._streams[ordinal].events

    def path(self, ordinal: int) -> list[RunRows]:
        """Return the path to a run, root first."""
        path = [self._by_ordinal[ordinal]]
        while path[-1].run.parent is not None:
            path.append(self._by_ordinal[path[-1].run.parent])
        return path[::-1]


def _view(history: History, ordinal: int) -> Json:
    final = history.replayed(ordinal).final
    return {"messages": final.messages, "state": final.state}


def _events(history: History, ordinal: int) -> Json:
    return [event for rows in history.path(ordinal) for event in history.stream(rows.run.run)]


def _snapshot(history: History, ordinal: int) -> Json:
    return snapshot_events(history.replayed(ordinal))


def _input(history: History, ordinal: int) -> Json:
    replayed = history.replayed(ordinal)
    return restore_input(replayed.rows.run, replayed.base, replayed.final, replayed.rows.messages)


FORMS: Final[dict[str, Callable[[History, int], Json]]] = {
    "view": _view,
    "events": _events,
    "snapshot": _snapshot,
    "input": _input,
}
"""What a run can be replayed as."""

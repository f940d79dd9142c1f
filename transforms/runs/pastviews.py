"""Past views: the head of a thread and rows of its runs become the view at the end of any run that is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from schemas.heads import Head, PastView
from schemas.rows import RunRows
from schemas.view import View, empty_view
from transforms import jsontext
from transforms.fold.chunks import ChunkExpander
from transforms.runs.rebuild import rebuild_view

ReadRuns: TypeAlias = Callable[[Head, list[int]], dict[int, RunRows]]
"""Gives the rows of runs of a thread, by ordinal."""


class PastEnd(msgspec.Struct):
    """Where a written run ended, for the runs that go on from it."""

    view: View
    chunks: ChunkExpander


class PastViews:
    """The views of one thread's written runs.

    Args:
        head: None where no earlier night knew the thread.
    """

    def __init__(self, head: Head | None, read: ReadRuns) -> None:
        self._head = head
        self._read = read
        self._views: dict[int, View] = {}
        if head is not None and head.view is not None:
            self._views[head.view.run] = load_view(head.view)

    def end(self, ordinal: int) -> PastEnd:
        """Return where a run ended."""
        head = self._known()
        path = [ordinal]
        while path[-1] not in self._views and (parent := head.runs[path[-1]].parent) is not None:
            path.append(parent)
        view = self._views.get(path[-1])
        missing = path if view is None else path[:-1]
        rows = self._read(head, missing) if missing else {}
        view = empty_view() if view is None else view
        for run in reversed(missing):
            view = self._views[run] = rebuild_view(view, rows[run])
        return PastEnd(view, ChunkExpander.load(head.runs[ordinal].lanes))

    def _known(self) -> Head:
        if self._head is None:
            raise KeyError("a run of a thread without a head")
        return self._head


def path_to(head: Head, ordinal: int) -> list[int]:
    """Return the runs whose rows make the view at the end of a run: back to the root, or to the view that is kept."""
    path: list[int] = []
    at: int | None = ordinal
    while at is not None and (head.view is None or at != head.view.run):
        path.append(at)
        at = head.runs[at].parent
    return path


def dump_view(run: int, view: View) -> PastView:
    """Return a view as a head keeps it."""
    places: dict[int, int] = {}
    same_as = {}
    for position, message in enumerate(view.messages):
        first = places.setdefault(id(message), position)
        if first != position:
            same_as[position] = first
    messages, state = jsontext.dumps(view.messages), jsontext.dumps(view.state)
    return PastView(run, messages.encode(), state.encode(), same_as)


def load_view(kept: PastView) -> View:
    """Return the view that `dump_view` was given."""
    messages = jsontext.loads(kept.messages.decode())
    for position, first in kept.same_as.items():
        messages[position] = messages[first]
    return View(messages, jsontext.loads(kept.state.decode()))

"""Tree runs: a thread's rows become what a drawing of its branches says of each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from schemas.errors import DecodeError
from transforms.jsontext import loads

Row = Mapping[str, Any]


class TreeRun(msgspec.Struct, frozen=True):
    """What the drawing says of a run.

    Args:
        parent: ordinal of the run it continues, None for a root; one that is not drawn counts as none.
        user: the last thing that the user said in it.
        assistant: the first thing that the assistant said in it.
        calls: names of the tools that it called, in order.
        is_active_branch: it lies on the path to the newest run.
        is_head: it is the newest run.
    """

    run: int
    run_id: str | None
    parent: int | None
    status: str
    started_at: datetime | None = None
    user: str | None = None
    assistant: str | None = None
    calls: tuple[str, ...] = ()
    is_leaf: bool = False
    is_active_branch: bool = False
    is_head: bool = False


def tree_runs(runs: Sequence[Row], messages: Iterable[Row], tool_calls: Iterable[Row]) -> list[TreeRun]:
    """Return what is drawn of one thread's runs, by ordinal.

    Args:
        runs: rows of the table of this name, at least one; so are the others, each in its table's order.
    """
    ordered = sorted(runs, key=lambda row: row["run"])
    parents = {row["run"]: row["parent"] for row in ordered}
    active = _path(parents, ordered[-1]["run"])
    said = _texts(messages)
    calls = _calls(tool_calls)
    with_children = set(parents.values())
    return [
        TreeRun(
            run=row["run"],
            run_id=row["run_id"],
            parent=row["parent"],
            status=row["status"],
            started_at=row["started_at"],
            user=next(reversed(said.get((row["run"], "user"), [])), None),
            assistant=next(iter(said.get((row["run"], "assistant"), [])), None),
            calls=tuple(calls.get(row["run"], ())),
            is_leaf=row["run"] not in with_children,
            is_active_branch=row["run"] in active,
            is_head=row["run"] == ordered[-1]["run"],
        )
        for row in ordered
    ]


def text_of(message: Row) -> str:
    """Return what a message says in words: its text, or the texts among its parts.

    >>> text_of({"text": None, "parts": '[{"type":"text","text":"Look:"},{"type":"image"}]'})
    'Look:'
    """
    if message["text"] is not None or message["parts"] is None:
        return message["text"] or ""
    try:
        parts = loads(message["parts"])
    except DecodeError:
        return ""
    texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return " ".join(text for text in texts if isinstance(text, str))


def _path(parents: Mapping[int, int | None], newest: int) -> set[int]:
    path: set[int] = set()
    run: int | None = newest
    while run is not None and run not in path:
        path.add(run)
        run = parents.get(run)
    return path


def _texts(messages: Iterable[Row]) -> dict[tuple[int, str], list[str]]:
    said: dict[tuple[int, str], list[str]] = {}
    for message in messages:
        text = text_of(message) if message["is_new"] else ""
        if text:
            said.setdefault((message["run"], message["role"]), []).append(text)
    return said


def _calls(tool_calls: Iterable[Row]) -> dict[int, list[str]]:
    calls: dict[int, list[str]] = {}
    for call in tool_calls:
        if call["is_new"]:
            calls.setdefault(call["run"], []).append(call["name"] or "?")
    return calls

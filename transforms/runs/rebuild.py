"""Rebuild: a parent's view and a run's rows become the run's view.

The parent's messages minus ``dropped_positions``; the rows at their positions; the survivors fill the gaps in order.
Ids play no part, since in the wild they are missing or repeat.
"""

from __future__ import annotations

from schemas.events import Json, Message
from schemas.rows import EventRow, MessageRow, RunRows, ToolCallRow
from schemas.view import View, empty_view
from transforms import jsontext
from transforms.fold.reducer import Fold
from transforms.runs.message_rows import message_of_row


def rebuild_view(base: View, rows: RunRows) -> View:
    """Return the view at the end of a run.

    Args:
        base: the view of its parent; an empty one for a root.
        rows: ``messages`` by position, ``tool_calls`` by position and call index.
    """
    if rows.run.is_verbatim:
        return _refold(base, rows.events)
    state = base.state if rows.state is None else jsontext.loads(rows.state.state)
    return View(rebuild_messages(base.messages, rows), state)


def rebuild_messages(base: list[Message], rows: RunRows) -> list[Message]:
    """Return the messages at the end of a run."""
    survivors = _survivors(base, rows.run.dropped_positions)
    calls = _calls_by_position(rows.tool_calls)
    messages: list[Message] = []
    taken = 0
    for row in rows.messages:
        gap = row.position - len(messages)
        messages += survivors[taken : taken + gap]
        taken += gap
        messages.append(_message(row, calls, messages))
    messages += survivors[taken:]
    return messages


def rebuild_path(path: list[RunRows]) -> View:
    """Return the view at the end of a path of runs, root first."""
    view = empty_view()
    for rows in path:
        view = rebuild_view(view, rows)
    return view


def _refold(base: View, events: list[EventRow]) -> View:
    fold = Fold(base)
    for row in events:
        fold.apply(jsontext.loads(row.event), row.at)
    return fold.close()


def _survivors(base: list[Message], dropped: list[int]) -> list[Message]:
    if not dropped:
        return base
    gone = set(dropped)
    return [message for position, message in enumerate(base) if position not in gone]


def _calls_by_position(calls: list[ToolCallRow]) -> dict[int, list[ToolCallRow]]:
    grouped: dict[int, list[ToolCallRow]] = {}
    for call in calls:
        grouped.setdefault(call.position, []).append(call)
    return grouped


def _message(row: MessageRow, calls: dict[int, list[ToolCallRow]], before: list[Message]) -> Json:
    if row.same_as is not None and row.same_as < len(before):
        return before[row.same_as]
    return message_of_row(row, calls.get(row.position, []))

"""Run rows: a run's folded view, beside its parent's, becomes the rows of messages, tool calls, state and events."""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.errors import DecodeError
from schemas.events import Json, Message
from schemas.rows import EventRow, MessageRow, RunRow, StateRow, ToolCallRow
from schemas.view import View
from transforms import jsontext
from transforms.fold.reducer import Fold, Trace
from transforms.jsontext import mapping, text_or_none
from transforms.runs.difference import Difference
from transforms.runs.facts import Marks
from transforms.runs.folding import KeptEvent
from transforms.runs.message_rows import fill_call_row, fill_message_row
from transforms.sameness import same_json

_ORIGINS: Final = frozenset({"input", "result", "snapshot", "activity"})
_NAME_KEYS: Final = ("name", "stepName", "activityType", "source")
_STORE_STATUSES: Final = ("stopped", "error")


class Change(msgspec.Struct):
    """A run's view beside its parent's, and how it came about."""

    base: View
    final: View
    found: Difference
    fold: Fold
    marks: Marks


def message_rows(run: RunRow, change: Change) -> tuple[list[MessageRow], list[ToolCallRow]]:
    """Return the rows of the messages that a run brought or changed, and of their tool calls."""
    final, found, fold, marks = change.final, change.found, change.fold, change.marks
    context = _CallContext(change)
    rows: list[MessageRow] = []
    calls: list[ToolCallRow] = []
    for position in found.changed:
        message = final.messages[position]
        trace = fold.traces.get(id(message))
        row = _message_row(run, position, message, trace)
        row.same_as = found.same_as.get(position)
        row.is_complete = row.is_complete and position not in marks.open_messages
        rows.append(row)
        if isinstance(message, dict) and isinstance(message.get("toolCalls"), list):
            calls += [context.row(run, position, index, call) for index, call in enumerate(message["toolCalls"])]
    return rows, calls


def state_row(run: RunRow, base: View, final: View) -> StateRow | None:
    """Return the row of the state where the run changed it."""
    if base.state is final.state or same_json(base.state, final.state):
        return None
    return StateRow(run.tenant_id, run.thread_id, run.run, run.run_id, jsontext.dumps(final.state))


def event_rows(run: RunRow, kept: list[KeptEvent]) -> list[EventRow]:
    """Return the rows of the events table."""
    return [
        EventRow(
            run.tenant_id,
            run.thread_id,
            run.run,
            run.run_id,
            position,
            one.at_message,
            one.event["type"],
            _name(one.event),
            text_or_none(one.event.get("messageId")),
            one.at_us,
            jsontext.dumps(one.event),
        )
        for position, one in enumerate(kept)
    ]


def _message_row(run: RunRow, position: int, message: Message, trace: Trace | None) -> MessageRow:
    row = MessageRow(run.tenant_id, run.thread_id, run.run, run.run_id, position)
    fill_message_row(row, message)
    row.is_synthetic = row.role == "tool" and _is_made_up(row)
    if trace is None:
        return row
    row.origin = trace.origin if trace.origin in _ORIGINS else "stream"
    row.is_new, row.is_complete = trace.is_new, trace.is_ended
    row.first_at, row.last_at = trace.first_us, trace.last_us
    if trace.pieces is not None and len({kind for kind, _ in trace.pieces}) > 1:
        row.pieces = jsontext.dumps(trace.pieces)
    return row


class _CallContext:
    """What a tool call's row needs to know besides the call: was it there before, did it end, was it answered."""

    def __init__(self, change: Change) -> None:
        self._base = change.base
        self._fold = change.fold
        self._open = frozenset(change.marks.open_calls)
        self._answered = _answered_calls([change.final.messages[position] for position in change.found.changed])
        self._known: frozenset[str] | None = None

    def row(self, run: RunRow, position: int, index: int, call: Json) -> ToolCallRow:
        row = ToolCallRow(run.tenant_id, run.thread_id, run.run, run.run_id, position, index)
        fill_call_row(row, call)
        trace = self._fold.call_traces.get(id(call))
        is_open = (position, index) in self._open
        if trace is None:
            row.is_new = row.tool_call_id not in self._known_before()
        else:
            row.first_at, row.last_at, row.is_new = trace.first_us, trace.last_us, trace.is_new
            is_open = is_open or not trace.is_ended
        row.is_complete = not is_open or row.tool_call_id in self._answered
        return row

    def _known_before(self) -> frozenset[str]:
        if self._known is None:
            calls = (call for message in self._base.messages for call in _calls(message))
            ids = (mapping(call).get("id") for call in calls)
            self._known = frozenset(identity for identity in ids if isinstance(identity, str))
        return self._known


def _calls(message: Message) -> list[Json]:
    calls = mapping(message).get("toolCalls")
    return calls if isinstance(calls, list) else []


def _answered_calls(messages: list[Message]) -> frozenset[str]:
    ids = (message.get("toolCallId") for message in messages if mapping(message).get("role") == "tool")
    return frozenset(identity for identity in ids if isinstance(identity, str))


def _is_made_up(row: MessageRow) -> bool:
    """Tell a result that a store made up for a stopped call (CopilotKit: id ``<call>-result``, a status or nothing)."""
    if row.tool_call_id is None or row.message_id != f"{row.tool_call_id}-result" or row.text is None:
        return False
    if not row.text:
        return True
    try:
        content = mapping(jsontext.loads(row.text))
    except DecodeError:
        return False
    return content.get("status") in _STORE_STATUSES and "reason" in content


def _name(event: dict[str, Json]) -> str | None:
    return next((text_or_none(event[key]) for key in _NAME_KEYS if key in event), None)

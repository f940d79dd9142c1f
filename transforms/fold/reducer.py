"""Fold: a run's events, one by one, become the view at its end, as the reference client's reducer makes it.

Source: AG-UI 1.0, ``defaultApplyEvents`` of ``@ag-ui/client``; an event on which that throws changes nothing here. Kept
different: a null delta is no text (there it is the word "null"), numbers keep all their digits, and a message with
malformed tool calls does not stop the calls of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from schemas.events import Event, Json, Message
from schemas.view import View
from transforms.fold.activity import patch_activity, take_activity
from transforms.fold.calls import add_arguments, add_result, end_call, start_call
from transforms.fold.draft import Draft
from transforms.fold.operation import PatchError
from transforms.fold.patch import apply_patch
from transforms.fold.snapshot import start_run, take_snapshot
from transforms.fold.text import add_reasoning, add_text, end_text, set_encrypted_value, start_reasoning, start_text
from transforms.fold.trace import Trace

__all__ = ["VIOLATIONS", "Fold", "Trace"]

VIOLATIONS: Final = {
    "bad_delta": "a delta that is no text; appended as JavaScript writes it",
    "bad_input": "input.messages is no list, or holds null",
    "bad_message": "a message, or its list of tool calls, that is no object or no list and cannot be changed",
    "bad_metadata": "metadata that is no object",
    "bad_patch": "a JSON Patch that cannot be applied as a whole",
    "bad_snapshot": "a snapshot without its value, or with messages that are no list or hold null",
    "bad_tool_call": "a tool call without a function object",
    "failed_test": "a JSON Patch whose test failed",
    "id_collision": "an id that stands for a message of another kind",
    "not_activity": "an activity's patch for a message that is none",
    "result_without_call": "a tool result whose call no assistant message has",
    "unknown_entity": "an encrypted value for what does not exist",
    "unknown_message": "an event for a message that does not exist",
    "unknown_tool_call": "an event for a tool call that does not exist",
}
"""Kinds of violation that a fold counts, and what they mean."""


class Fold:
    """A view that takes in events.

    Attributes:
        messages: in order, wire form; what is still being streamed is not in them before `close`.
        violations: events that a client ignores or warns of, by kind (see VIOLATIONS).
        traces: by ``id()`` of each message dict in ``messages`` that this run created, changed or took in.
        call_traces: by ``id()`` of each tool call dict that this run created or changed.
    """

    def __init__(self, base: View) -> None:
        self._draft = Draft(base.messages.copy(), base.state)
        self._draft.build_indexes()

    @classmethod
    def after(cls, parent: Fold) -> Fold:
        """Return a fold on the view of a closed one, which stays as it is; no pass over its messages in Python."""
        fold = cls.__new__(cls)
        fold._draft = parent._draft.fork()  # noqa: SLF001 - a fold's own class
        return fold

    @property
    def messages(self) -> list[Message]:
        """The live list."""
        return self._draft.messages

    @property
    def state(self) -> Json:
        """The live state."""
        return self._draft.state

    @property
    def violations(self) -> Counter[str]:
        """Events that a client ignores or warns of, by kind."""
        return self._draft.violations

    @property
    def traces(self) -> dict[int, Trace]:
        """How messages came, by ``id()``."""
        return self._draft.traces

    @property
    def call_traces(self) -> dict[int, Trace]:
        """How tool calls came, by ``id()``."""
        return self._draft.call_traces

    def apply(self, event: Event, at_us: int | None = None, end_us: int | None = None) -> None:
        """Take in one event, its chunks expanded and its THINKING_* translated. Never raises; other types do nothing.

        Args:
            event: what it holds is shared from here on, and is not mutated.
            at_us: its time, UTC, microseconds since 1970.
            end_us: time of the last delta, where several were joined to this one.
        """
        change = _CHANGES.get(event["type"])
        if change is not None:
            draft = self._draft
            draft.first_us = at_us
            draft.last_us = at_us if end_us is None else end_us
            change(draft, event)

    def close(self) -> View:
        """Join what is pending and return the view; the fold must not take in more."""
        self._draft.flush()
        return View(self._draft.messages, self._draft.state)


def _take_state(draft: Draft, event: Event) -> None:
    if "snapshot" in event:
        draft.take_state(event["snapshot"])
    else:
        draft.violations["bad_snapshot"] += 1


def _patch_state(draft: Draft, event: Event) -> None:
    try:
        draft.state = apply_patch(draft.state, event.get("delta"), draft.owned_state)
    except PatchError as error:
        draft.violations[error.kind] += 1


_CHANGES: Final[dict[str, Callable[[Draft, Event], None]]] = {
    "RUN_STARTED": start_run,
    "TEXT_MESSAGE_START": start_text,
    "TEXT_MESSAGE_CONTENT": add_text,
    "TEXT_MESSAGE_END": end_text,
    "TOOL_CALL_START": start_call,
    "TOOL_CALL_ARGS": add_arguments,
    "TOOL_CALL_END": end_call,
    "TOOL_CALL_RESULT": add_result,
    "STATE_SNAPSHOT": _take_state,
    "STATE_DELTA": _patch_state,
    "MESSAGES_SNAPSHOT": take_snapshot,
    "ACTIVITY_SNAPSHOT": take_activity,
    "ACTIVITY_DELTA": patch_activity,
    "REASONING_MESSAGE_START": start_reasoning,
    "REASONING_MESSAGE_CONTENT": add_reasoning,
    "REASONING_MESSAGE_END": end_text,
    "REASONING_ENCRYPTED_VALUE": set_encrypted_value,
}

"""Verification: the events of a thread, in order, become the kinds of lifecycle rule that they break.

Source: AG-UI 1.0, ``verifyEvents`` of ``@ag-ui/client``, which ends the stream at the first violation. A log breaks
these rules often; here a violation is data, and the check goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import ClassVar, Final

from schemas.events import RUN_ERROR, RUN_FINISHED, RUN_STARTED, Event, Json
from transforms.fold.jsvalue import MISSING, key_of
from transforms.fold.owners import Owners, whole_messages

KINDS: Final = {
    "before_run": "the first event is neither RUN_STARTED nor RUN_ERROR",
    "after_finish": "an event after RUN_FINISHED that is neither RUN_STARTED nor RUN_ERROR",
    "after_error": "an event after RUN_ERROR that is no RUN_STARTED",
    "run_open": "RUN_STARTED while a run is open",
    "null_owner": "subagentRunId is null",
    "bad_subagent": "a SUBAGENT_* event that lacks what it needs, or holds null or a malformed outcome",
    "text_open": "TEXT_MESSAGE_START of a message that is open",
    "text_not_open": "TEXT_MESSAGE_CONTENT or _END of a message that is not open",
    "call_open": "TOOL_CALL_START of a call that is open",
    "call_not_open": "TOOL_CALL_ARGS or _END of a call that is not open",
    "reasoning_open": "REASONING_MESSAGE_START of a message that is open",
    "reasoning_not_open": "REASONING_MESSAGE_CONTENT or _END of a message that is not open",
    "span_open": "REASONING_START of a span that is open",
    "span_not_open": "REASONING_END of a span that is not open",
    "step_open": "STEP_STARTED of a step that is open",
    "step_not_open": "STEP_FINISHED of a step that is not open, or is another agent's",
    "subagent_open": "SUBAGENT_STARTED of a subagent that is open",
    "subagent_reused": "SUBAGENT_STARTED of a subagent that had ended in this run",
    "subagent_parent": "SUBAGENT_STARTED under a parent that was not started in this run",
    "subagent_not_open": "SUBAGENT_FINISHED or _ERROR of a subagent that is not open",
    "owner_mismatch": "an event of one agent for what another one opened",
    "finished_open_step": "RUN_FINISHED while a step is open",
    "finished_open_text": "RUN_FINISHED while a text message is open",
    "finished_open_reasoning": "RUN_FINISHED while a reasoning message is open",
    "finished_open_span": "RUN_FINISHED while a reasoning span is open",
    "finished_open_call": "RUN_FINISHED while a tool call is open",
    "finished_open_subagent": "RUN_FINISHED while a subagent is open",
}
"""Kinds of violation, and what they mean."""

_STARTS: Final = {
    "TEXT_MESSAGE_START": ("text", "messageId"),
    "TOOL_CALL_START": ("call", "toolCallId"),
    "REASONING_MESSAGE_START": ("reasoning", "messageId"),
    "REASONING_START": ("span", "messageId"),
}
_ENDS: Final = {
    "TEXT_MESSAGE_END": ("text", "messageId"),
    "TOOL_CALL_END": ("call", "toolCallId"),
    "REASONING_MESSAGE_END": ("reasoning", "messageId"),
    "REASONING_END": ("span", "messageId"),
}
_CONTENTS: Final = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId"),
    "TOOL_CALL_ARGS": ("call", "toolCallId"),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "messageId"),
}
_NEED_OPEN: Final = {**_CONTENTS, **_ENDS}
_OWNER_KINDS: Final = {"text": "message", "call": "call", "reasoning": "reasoning", "span": "reasoning"}
_SUBAGENT_OPTIONALS: Final = {
    "SUBAGENT_STARTED": ("description", "parentSubagentRunId", "parentToolCallId", "parentMessageId"),
    "SUBAGENT_FINISHED": ("outcome",),
    "SUBAGENT_ERROR": ("code",),
}
_STEPS: Final = frozenset({"STEP_STARTED", "STEP_FINISHED"})
_OWNING: Final = frozenset({"MESSAGES_SNAPSHOT", "TOOL_CALL_RESULT", "ACTIVITY_SNAPSHOT"})
_FINISH_ORDER: Final = ("step", "text", "reasoning", "span", "call", "subagent")


class Lifecycle:
    """What is open in a stream of events whose chunks have been expanded."""

    def __init__(self) -> None:
        self._is_first = True
        self._ended_by: str | None = None
        self._is_running = False
        self._clear()

    def check(self, event: Event) -> str | None:
        """Return the kind of rule that an event breaks, the reference's first, and go on after it."""
        violation = self._violation(event)
        if event["type"] not in _CONTENTS or self._is_first:
            self._advance(event)
        return violation

    def would_accept(self, event: Event) -> bool:
        """Tell whether the event breaks no rule, without going on."""
        return self._violation(event) is None

    def can_be_ended(self, event: Event) -> bool:
        """Tell whether another event could end what this one opens: none can name an object again."""
        kind = event["type"]
        if kind == "STEP_STARTED":
            return _is_named(event.get("stepName")) and _is_named(event.get("subagentRunId"))
        return kind not in _STARTS or _is_named(event.get(_STARTS[kind][1]))

    def closing_events(self) -> list[Event]:
        """Return the events that end what is open, so that RUN_FINISHED is legal after them."""
        if self._ended_by is not None:
            return []
        closing: list[Event] = []
        for end, (kind, key) in _ENDS.items():
            closing += [_event(end, **{key: identity}) for identity in self._open[kind].values() if _is_named(identity)]
        for owner, name in self._open["step"].values():
            closing.append(_event("STEP_FINISHED", stepName=name, subagentRunId=owner))
        closing += [{"type": "SUBAGENT_FINISHED", "subagentRunId": one} for one in self._open["subagent"].values()]
        return closing

    def _clear(self) -> None:
        self._open: dict[str, dict[Hashable, Json]] = {kind: {} for kind in _FINISH_ORDER}
        self._owners = Owners()
        self._ended_subagents: set[Hashable] = set()

    def _violation(self, event: Event) -> str | None:
        kind = event["type"]
        if kind != RUN_STARTED:
            if self._ended_by == RUN_ERROR:
                return "after_error"
            if self._ended_by == RUN_FINISHED and kind != RUN_ERROR:
                return "after_finish"
            if self._is_first and kind != RUN_ERROR:
                return "before_run"
        elif self._is_running and self._ended_by is None:
            return "run_open"
        if "subagentRunId" in event and event["subagentRunId"] is None:
            return "null_owner"
        if kind in _NEED_OPEN:
            return self._content_violation(event, *_NEED_OPEN[kind])
        if kind in _STARTS:
            return self._start_violation(event, *_STARTS[kind])
        rule = self._rules.get(kind)
        return None if rule is None else rule(self, event)

    def _start_violation(self, event: Event, kind: str, id_key: str) -> str | None:
        key = key_of(event.get(id_key, MISSING))
        if key in self._open[kind]:
            return f"{kind}_open"
        if kind == "call":
            is_mismatch = self._owners.is_call_mismatch(event, key)
        else:
            is_mismatch = self._owners.is_mismatch(event, _OWNER_KINDS[kind], key)
        return "owner_mismatch" if is_mismatch else None

    def _content_violation(self, event: Event, kind: str, id_key: str) -> str | None:
        key = key_of(event.get(id_key, MISSING))
        if key not in self._open[kind]:
            return f"{kind}_not_open"
        return "owner_mismatch" if self._owners.is_mismatch(event, _OWNER_KINDS[kind], key) else None

    def _activity_violation(self, event: Event) -> str | None:
        is_mismatch = self._owners.is_mismatch(event, "activity", key_of(event.get("messageId", MISSING)))
        return "owner_mismatch" if is_mismatch else None

    def _encrypted_violation(self, event: Event) -> str | None:
        return "owner_mismatch" if self._owners.is_encrypted_mismatch(event) else None

    def _step_violation(self, event: Event) -> str | None:
        is_open = _step_key(event) in self._open["step"]
        if event["type"] == "STEP_STARTED":
            return "step_open" if is_open else None
        return None if is_open else "step_not_open"

    def _subagent_violation(self, event: Event) -> str | None:
        if not _is_subagent_event(event):
            return "bad_subagent"
        key = event["subagentRunId"]
        if event["type"] != "SUBAGENT_STARTED":
            return None if key in self._open["subagent"] else "subagent_not_open"
        if key in self._open["subagent"]:
            return "subagent_open"
        if key in self._ended_subagents:
            return "subagent_reused"
        parent = key_of(event.get("parentSubagentRunId", MISSING))
        is_known = parent is MISSING or parent in self._open["subagent"] or parent in self._ended_subagents
        return None if is_known else "subagent_parent"

    def _snapshot_violation(self, event: Event) -> str | None:
        owned = [message for message in whole_messages(event) if "subagentRunId" in message]
        return "null_owner" if any(message["subagentRunId"] is None for message in owned) else None

    def _finish_violation(self, event: Event) -> str | None:
        outcome = event.get("outcome")
        if type(outcome) is dict and outcome.get("type") == "interrupt" and type(outcome.get("interrupts")) is list:
            interrupts = (one for one in outcome["interrupts"] if type(one) is dict)
            if any(one.get("subagentRunId", MISSING) is None for one in interrupts):
                return "null_owner"
        return next((f"finished_open_{kind}" for kind in _FINISH_ORDER if self._open[kind]), None)

    def _advance(self, event: Event) -> None:
        kind = event["type"]
        if self._ended_by is not None and kind != RUN_STARTED:
            self._ended_by = RUN_ERROR if kind == RUN_ERROR else self._ended_by
            return
        self._is_first = False
        if kind in _CONTENTS:
            return
        if kind in _STARTS:
            self._take_start(event, *_STARTS[kind])
        elif kind in _ENDS:
            opened, id_key = _ENDS[kind]
            self._open[opened].pop(key_of(event.get(id_key, MISSING)), None)
        elif kind in _STEPS:
            self._take_step(event)
        elif kind in _SUBAGENT_OPTIONALS:
            self._take_subagent(event)
        elif kind in _OWNING:
            self._owners.take_whole(event)
        elif kind in (RUN_FINISHED, RUN_ERROR):
            self._ended_by = kind
        elif kind == RUN_STARTED:
            if self._is_running:
                self._clear()
            self._is_running, self._ended_by = True, None
            self._owners.seed(event, is_authority=False)

    def _take_start(self, event: Event, kind: str, id_key: str) -> None:
        identity = event.get(id_key, MISSING)
        key = key_of(identity)
        self._open[kind][key] = identity
        self._owners.take_start(event, _OWNER_KINDS[kind], key)

    def _take_step(self, event: Event) -> None:
        key = _step_key(event)
        if event["type"] == "STEP_STARTED":
            self._open["step"][key] = event.get("subagentRunId", MISSING), event.get("stepName", MISSING)
        else:
            self._open["step"].pop(key, None)

    def _take_subagent(self, event: Event) -> None:
        identity = event.get("subagentRunId")
        if type(identity) is not str:
            return
        if event["type"] == "SUBAGENT_STARTED":
            self._open["subagent"][identity] = identity
        elif self._open["subagent"].pop(identity, None) is not None:
            self._ended_subagents.add(identity)

    _rules: ClassVar[dict[str, Callable[[Lifecycle, Event], str | None]]] = {
        "STEP_STARTED": _step_violation,
        "STEP_FINISHED": _step_violation,
        "SUBAGENT_STARTED": _subagent_violation,
        "SUBAGENT_FINISHED": _subagent_violation,
        "SUBAGENT_ERROR": _subagent_violation,
        "ACTIVITY_DELTA": _activity_violation,
        "REASONING_ENCRYPTED_VALUE": _encrypted_violation,
        "MESSAGES_SNAPSHOT": _snapshot_violation,
        RUN_STARTED: _snapshot_violation,
        RUN_FINISHED: _finish_violation,
    }


def _event(kind: str, **keys: Json) -> Event:
    return {"type": kind, **{key: value for key, value in keys.items() if value is not MISSING}}


def _is_named(identity: Json) -> bool:
    """Tell whether another event can mean this id; an object equals no other."""
    return type(identity) is not dict and type(identity) is not list


def _step_key(event: Event) -> Hashable:
    return key_of(event.get("subagentRunId", MISSING)), key_of(event.get("stepName", MISSING))


def _is_subagent_event(event: Event) -> bool:
    """Tell whether a SUBAGENT_* event has what it needs."""
    kind = event["type"]
    if any(key in event and event[key] is None for key in _SUBAGENT_OPTIONALS[kind]):
        return False
    outcome = event.get("outcome")
    if outcome is not None and not _is_outcome(outcome):
        return False
    needed = {"SUBAGENT_STARTED": "name", "SUBAGENT_ERROR": "message"}.get(kind, "subagentRunId")
    return type(event.get("subagentRunId")) is str and type(event.get(needed)) is str


def _is_outcome(outcome: Json) -> bool:
    if type(outcome) is not dict or outcome.get("type") not in ("success", "suspended"):
        return False
    interrupts = outcome.get("interruptIds", MISSING)
    return interrupts is not None and (type(interrupts) is not list or all(type(one) is str for one in interrupts))

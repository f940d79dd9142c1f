"""One request to an agent becomes the events of one run: thoughts, tools, state, an answer, and an ending."""

from __future__ import annotations

from random import Random
from typing import Final

import msgspec

from schemas.events import RUN_ERROR, RUN_FINISHED, Event, Json
from transforms.sample.domain import Domain, ToolUse
from transforms.sample.language import Slots, answer, thought
from transforms.sample.narrator import Narrator
from transforms.sample.person import Person

FINISHED: Final = "finished"
INTERRUPTED: Final = "interrupted"
CLIENT_TOOL: Final = "client_tool"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"
ABANDONED: Final = "abandoned"

ENDINGS: Final = {FINISHED: 86.0, INTERRUPTED: 4.0, CLIENT_TOOL: 4.5, FAILED: 2.5, CANCELLED: 1.5, ABANDONED: 1.5}
"""How a run ends, and how often, in percent."""

ERRORS: Final = (
    ("The model did not answer in time.", "timeout"),
    ("Rate limit reached for the model.", "rate_limit"),
    ("The connection to the provider was closed.", "connection_closed"),
)


class Pending(msgspec.Struct, frozen=True):
    """What a run left to its successor: the open call, and the interrupt where a person is asked."""

    call_id: str
    use: ToolUse
    interrupt_id: str | None = None


class Turn(msgspec.Struct, frozen=True):
    """Who speaks to which agent in one run, and the narrator who tells it."""

    rng: Random
    person: Person
    domain: Domain
    slots: Slots
    narrator: Narrator
    thread_id: str
    run_id: str


def tell_turn(turn: Turn, ending: str, pending: Pending | None = None) -> Pending | None:
    """Tell a run from behind its RUN_STARTED to its end.

    Args:
        ending: a key of `ENDINGS`.
        pending: what the run before left, where this run goes on from it.

    Returns:
        What this run leaves, where the ending is an interrupt or a client's tool.
    """
    if not turn.narrator.state:
        turn.narrator.set_state(turn.domain.first_state(turn.rng, turn.slots))
    if pending is not None:
        _go_on(turn, pending)
    if turn.rng.random() < 0.35:
        turn.narrator.reason(thought(turn.rng, turn.person.language, turn.slots))
    _use_tools(turn)
    if turn.rng.random() < 0.12:
        turn.narrator.act(*turn.domain.activity(turn.rng, turn.slots))
    if ending in {INTERRUPTED, CLIENT_TOOL}:
        return _leave_open(turn, ending)
    _answer(turn, ending)
    return None


def _go_on(turn: Turn, pending: Pending) -> None:
    if pending.interrupt_id is not None:
        turn.narrator.answer_call(pending.call_id, pending.use.result)
    if pending.use.patch:
        turn.narrator.patch_state(pending.use.patch)


def _use_tools(turn: Turn) -> None:
    rng, narrator = turn.rng, turn.narrator
    count = rng.choice((0, 1, 1, 1, 2, 2, 3))
    if not count:
        return
    step = {"stepName": rng.choice(("gather", "plan", "act"))} if rng.random() < 0.3 else None
    if step:
        narrator.tell({"type": "STEP_STARTED"} | step)
    owner = narrator.say(rng.choice(turn.person.language.opens).format_map(turn.slots)) if rng.random() < 0.4 else None
    for _ in range(count):
        use = turn.domain.use_tool(rng, turn.slots, narrator.state)
        call_id = narrator.call(use.name, use.arguments, owner)
        narrator.answer_call(call_id, use.result)
        if use.patch:
            narrator.patch_state(use.patch)
    if step:
        narrator.tell({"type": "STEP_FINISHED"} | step)


def _leave_open(turn: Turn, ending: str) -> Pending:
    is_question = ending == INTERRUPTED
    use_tool = turn.domain.use_approved_tool if is_question else turn.domain.use_client_tool
    use = use_tool(turn.rng, turn.slots, turn.narrator.state)
    call_id = turn.narrator.call(use.name, use.arguments)
    if not is_question:
        turn.narrator.tell(finished_event(turn, {"type": "success", "pendingToolCallIds": [call_id]}))
        return Pending(call_id, use)
    interrupt = {"id": f"int-{call_id}", "reason": "tool_call", "message": use.question, "toolCallId": call_id}
    turn.narrator.tell(finished_event(turn, {"type": "interrupt", "interrupts": [interrupt]}))
    return Pending(call_id, use, interrupt["id"])


def _answer(turn: Turn, ending: str) -> None:
    rng, narrator = turn.rng, turn.narrator
    text = answer(rng, turn.person.language, turn.domain.name, turn.slots)
    if ending == FINISHED:
        narrator.say(text)
        _add_extras(turn)
        narrator.tell(finished_event(turn, {"type": "success"} if rng.random() < 0.5 else None))
        return
    narrator.say(text, share=rng.uniform(0.1, 0.8), is_ended=ending == CANCELLED)
    if ending == CANCELLED:
        narrator.tell(finished_event(turn, {"type": "cancelled"}))
    elif ending == FAILED:
        message, code = rng.choice(ERRORS)
        narrator.tell({"type": RUN_ERROR, "message": message, "code": code})


def _add_extras(turn: Turn) -> None:
    rng, narrator = turn.rng, turn.narrator
    if rng.random() < 0.05:
        value = {"rating": rng.choice((1, 3, 4, 5, 5)), "user": turn.person.user_id}
        narrator.tell({"type": "CUSTOM", "name": "feedback", "value": value})
    if rng.random() < 0.03:
        narrator.tell({"type": "CUSTOM", "name": "title", "value": {"title": turn.slots["topic"]}})
    if rng.random() < 0.01:
        narrator.snapshot_messages()


def finished_event(turn: Turn, outcome: Json = None) -> Event:
    """Return the RUN_FINISHED of a run, with the tokens that it used, counted from its characters."""
    written = sum(len(event.get("delta", "")) for event in turn.narrator.events if event["type"] != "STATE_DELTA")
    read = sum(len(message.get("content") or "") for message in turn.narrator.view.messages) - written
    usage = {
        "provider": turn.domain.provider,
        "model": turn.domain.model,
        "inputTokens": max(40, read // 4),
        "outputTokens": written // 4,
        "totalTokens": max(40, read // 4) + written // 4,
        "cachedInputTokens": max(0, read // 8),
    }
    event: Event = {"type": RUN_FINISHED, "threadId": turn.thread_id, "runId": turn.run_id}
    return event | ({} if outcome is None else {"outcome": outcome}) | {"usage": [usage]}

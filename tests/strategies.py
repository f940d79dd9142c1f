"""Random AG-UI runs and threads: few ids, reused for everything, so that events meet whatever can be met.

Built on `random.Random`, so that a seed is enough to see a stream again. Wire form, chunks and THINKING_* included.
"""

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from schemas.events import Event, Json, Message
from tests.random_json import ODD, TEXTS, random_patch, random_state

MESSAGE_IDS = ("m1", "m2", "m3", "c1", "t1", "")
CALL_IDS = ("c1", "c2", "m1")
ID_KEYS = ("messageId", "toolCallId", "subagentRunId")
SUBAGENTS = ("s1", "s2")
OUTCOMES = (
    {"type": "success", "pendingToolCallIds": ["c1"]},
    {"type": "interrupt", "interrupts": [{"id": "i", "reason": "r", "toolCallId": "c1"}]},
    {"type": "cancelled"},
)
USAGES: tuple[list[Json], ...] = (
    [{"provider": "p", "model": "m", "inputTokens": 3, "outputTokens": 2}],
    [{"totalTokens": 5}],
    [],
)
_PROTOCOL_OBJECTS = {"input", "messages", "toolCalls", "function", "outcome", "interrupts", "usage"}
_SPARED = ("type", "threadId", "runId", "parentRunId", "toolCalls")
"""Keys that say what an event is and where it belongs; on a list of calls that is none, the client throws for good."""

ROLES = ("user", "assistant", "assistant", "system", "developer", "tool", "reasoning", "activity")


def random_message(rng: Random) -> Message:
    """Return a whole message, as an input or a snapshot has it."""
    role = rng.choice(ROLES)
    message: Message = {"id": rng.choice(MESSAGE_IDS), "role": role}
    if role == "activity":
        message |= {"activityType": rng.choice(("PLAN", "LOG")), "content": random_state(rng)}
    elif role != "assistant" or rng.random() < 0.7:
        message["content"] = rng.choice(TEXTS)
    if role == "user" and rng.random() < 0.2:
        message["content"] = [{"type": "text", "text": rng.choice(TEXTS)}]
    if role == "tool":
        message["toolCallId"] = rng.choice(CALL_IDS)
    if rng.random() < (0.5 if role == "assistant" else 0.05):
        message["toolCalls"] = [_call(rng) for _ in range(rng.randrange(3))]
    if rng.random() < 0.05:
        del message["id"]
    if rng.random() < 0.1:
        message["subagentRunId"] = rng.choice(SUBAGENTS)
    return _with_metadata(rng, message)


def random_event(rng: Random) -> Event:
    """Return one event of any type, its optional keys there or not."""
    kind, maker = rng.choice(MAKERS)
    event = {"type": kind, **maker(rng)}
    if rng.random() < 0.12 and not kind.startswith("RUN_"):
        event["subagentRunId"] = rng.choice(SUBAGENTS)
    if rng.random() < 0.05:
        event["rawEvent"] = {"vendor": 1}
    return _with_metadata(rng, event)


def random_run(rng: Random, run_id: str = "r", parent: str | None = None) -> list[Event]:
    """Return the events of one run: some as an agent sends them, some at random, the terminal not always there."""
    started: Event = {"type": "RUN_STARTED", "threadId": "t", "runId": run_id}
    if parent is not None:
        started["parentRunId"] = parent
    if rng.random() < 0.5:
        started["input"] = {"threadId": "t", "runId": run_id, "messages": _messages(rng), "tools": [], "context": []}
    events = [started]
    for _ in range(rng.randrange(1, 7)):
        events += rng.choice(_PARTS)(rng)
    ending = rng.random()
    if ending < 0.8:
        events.append({"type": "RUN_FINISHED", "threadId": "t", "runId": run_id, **_ending(rng)})
    elif ending < 0.9:
        events.append({"type": "RUN_ERROR", "message": "failed", **_optional(rng, 0.3, code="E", usage=USAGES[0])})
    return events


def random_thread(rng: Random, max_runs: int = 5) -> list[list[Event]]:
    """Return the runs of a thread; a later one may name any earlier one, or none that exists, as its parent."""
    runs: list[list[Event]] = []
    for ordinal in range(rng.randrange(1, max_runs + 1)):
        choices = (None, None, f"r{rng.randrange(ordinal + 1)}", "nowhere")
        runs.append(random_run(rng, f"r{ordinal}", rng.choice(choices)))
    return runs


def spoil(rng: Random, event: Event) -> Event:
    """Return an event one of whose values is of a type that it should not be, or missing."""
    spoiled: Event = copy.deepcopy(event)
    holder = rng.choice(list(_holders(spoiled)))
    key = rng.choice([key for key in holder if key not in _SPARED] or ["messageId"])
    value = rng.choice(ODD)
    if (rng.random() < 0.2 or value is None) and key != "snapshot":
        holder.pop(key, None)
    elif (
        ("CHUNK" in event["type"] or "THINKING" in event["type"]) and key in ID_KEYS and isinstance(value, (dict, list))
    ):
        holder[key] = 1  # JavaScript tells objects by identity, and a chunk's events share theirs
    else:
        holder[key] = value
    return spoiled


def _holders(value: Json) -> Iterator[dict[str, Any]]:
    """The objects of the protocol in an event: itself, its input, messages, calls, outcome, usage."""
    if isinstance(value, list):
        for one in value:
            yield from _holders(one)
    elif isinstance(value, dict):
        yield value
        for key in _PROTOCOL_OBJECTS & value.keys():
            yield from _holders(value[key])


def _call(rng: Random) -> Message:
    call: Message = {"id": rng.choice(CALL_IDS), "type": "function"}
    call["function"] = {"name": rng.choice("fg"), "arguments": rng.choice(TEXTS)}
    return _with_metadata(rng, call)


def _messages(rng: Random) -> list[Message]:
    return [random_message(rng) for _ in range(rng.randrange(5))]


def _with_metadata(rng: Random, holder: dict[str, Any]) -> dict[str, Any]:
    if rng.random() < 0.12:
        holder["metadata"] = rng.choice(({"k": rng.randrange(3)}, {"n": {"deep": 1}}, {"k": None}, {}))
    return holder


def _text(rng: Random) -> list[Event]:
    identity, kind = rng.choice(MESSAGE_IDS), rng.choice(("TEXT_MESSAGE", "TEXT_MESSAGE", "REASONING_MESSAGE"))
    start = {"type": f"{kind}_START", "messageId": identity}
    deltas = [{"type": f"{kind}_CONTENT", "messageId": identity, "delta": rng.choice(TEXTS)} for _ in range(3)]
    return [start, *deltas, {"type": f"{kind}_END", "messageId": identity}]


def _call_and_result(rng: Random) -> list[Event]:
    call: Event = {"toolCallId": rng.choice(CALL_IDS)}
    events = [{"type": "TOOL_CALL_START", **call, **_parent(rng), "toolCallName": "f"}]
    events += [{"type": "TOOL_CALL_ARGS", **call, "delta": rng.choice(TEXTS)} for _ in range(2)]
    events.append({"type": "TOOL_CALL_END", **call})
    if rng.random() < 0.6:
        events.append({"type": "TOOL_CALL_RESULT", **call, **_result(rng)})
    return events


def _chunks(rng: Random) -> list[Event]:
    kinds = ("TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK")
    return [random_event_of(rng, rng.choice(kinds)) for _ in range(rng.randrange(1, 7))]


def _thinking(rng: Random) -> list[Event]:
    """The retired form of reasoning, which has no ids; now and then a part of it is missing."""
    kinds = ("START", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "END")
    events = [{"type": f"THINKING_{kind}"} | (_delta(rng) if kind.endswith("CONTENT") else {}) for kind in kinds]
    return [event for event in events if rng.random() < 0.9]


def _noise(rng: Random) -> list[Event]:
    return [random_event(rng) for _ in range(rng.randrange(1, 6))]


_PARTS: tuple[Callable[[Random], list[Event]], ...] = (
    *(_text, _text, _call_and_result, _call_and_result, _chunks, _chunks),
    *(_noise, _noise, _noise, _noise, _thinking),
)


def random_event_of(rng: Random, kind: str) -> Event:
    """Return one event of a type."""
    maker = dict(MAKERS)[kind]
    event = {"type": kind, **maker(rng)}
    if rng.random() < 0.3:
        event["subagentRunId"] = rng.choice(SUBAGENTS)
    return _with_metadata(rng, event)


def _optional(rng: Random, likelihood: float, **keys: Json) -> Event:
    return {key: value for key, value in keys.items() if rng.random() < likelihood}


def _message_id(rng: Random) -> Event:
    return {"messageId": rng.choice(MESSAGE_IDS)}


def _call_id(rng: Random) -> Event:
    return {"toolCallId": rng.choice(CALL_IDS)}


def _parent(rng: Random) -> Event:
    return _optional(rng, 0.5, parentMessageId=rng.choice(MESSAGE_IDS))


def _result(rng: Random) -> Event:
    content: Json = rng.choice(TEXTS) if rng.random() < 0.8 else [{"type": "text", "text": "p"}]
    return {
        "content": content,
        **_optional(rng, 0.8, messageId=rng.choice(MESSAGE_IDS)),
        **_optional(rng, 0.3, role="tool"),
    }


def _ending(rng: Random) -> Event:
    found = _optional(rng, 0.15, outcome=rng.choice(OUTCOMES), usage=rng.choice(USAGES), result=rng.choice(ODD))
    return {key: value for key, value in found.items() if value is not None}


def _delta(rng: Random) -> Event:
    return {"delta": rng.choice(TEXTS)}


def _start(rng: Random) -> Event:
    return {**_message_id(rng), **_optional(rng, 0.5, role=rng.choice(ROLES[:5]), name="n")}


def _snapshot(rng: Random) -> Event:
    event: Event = {"messages": _messages(rng)}
    if rng.random() < 0.2:
        declared = rng.choice((None, [], ["PLAN"], ["PLAN", "LOG"], "PLAN", [1]))
        event["metadata"] = {"@ag-ui/client": rng.choice(({"authoritativeActivityTypes": declared}, {}, None, []))}
    return event


def _activity(rng: Random) -> Event:
    event = {**_message_id(rng), "activityType": rng.choice(("PLAN", "LOG")), "content": random_state(rng)}
    return {**event, **_optional(rng, 0.4, replace=rng.random() < 0.5)}


def _chunk(rng: Random, id_key: str, ids: tuple[str, ...], **fields: Json) -> Event:
    likelihood = 0.6 if id_key == "messageId" else 0.8
    return {**_optional(rng, likelihood, **{id_key: rng.choice(ids)}), **_optional(rng, 0.8, **_delta(rng)), **fields}


MAKERS: tuple[tuple[str, Callable[[Random], Event]], ...] = (
    ("RUN_STARTED", lambda rng: {"threadId": "t", "runId": "again", "input": {"messages": _messages(rng)}}),
    ("RUN_FINISHED", lambda _: {"threadId": "t", "runId": "r"}),
    ("RUN_ERROR", lambda _: {"message": "failed"}),
    ("STEP_STARTED", lambda rng: {"stepName": rng.choice("pq")}),
    ("STEP_FINISHED", lambda rng: {"stepName": rng.choice("pq")}),
    ("TEXT_MESSAGE_START", _start),
    ("TEXT_MESSAGE_CONTENT", lambda rng: {**_message_id(rng), **_delta(rng)}),
    ("TEXT_MESSAGE_CONTENT", lambda rng: {**_message_id(rng), **_delta(rng)}),
    ("TEXT_MESSAGE_END", _message_id),
    (
        "TEXT_MESSAGE_CHUNK",
        lambda rng: _chunk(rng, "messageId", MESSAGE_IDS, **_optional(rng, 0.1, role="user", name="n")),
    ),
    ("TOOL_CALL_START", lambda rng: {**_call_id(rng), "toolCallName": rng.choice("fg"), **_parent(rng)}),
    ("TOOL_CALL_ARGS", lambda rng: {**_call_id(rng), **_delta(rng)}),
    ("TOOL_CALL_END", _call_id),
    ("TOOL_CALL_CHUNK", lambda rng: _chunk(rng, "toolCallId", CALL_IDS, **_optional(rng, 0.8, toolCallName="f"))),
    ("TOOL_CALL_RESULT", lambda rng: {**_call_id(rng), **_result(rng)}),
    ("STATE_SNAPSHOT", lambda rng: {"snapshot": random_state(rng)}),
    ("STATE_DELTA", lambda rng: {"delta": random_patch(rng)}),
    ("STATE_DELTA", lambda rng: {"delta": random_patch(rng)}),
    ("STATE_DELTA", lambda rng: {"delta": random_patch(rng)}),
    ("MESSAGES_SNAPSHOT", _snapshot),
    ("ACTIVITY_SNAPSHOT", _activity),
    ("ACTIVITY_DELTA", lambda rng: {**_message_id(rng), "activityType": "PLAN", "patch": random_patch(rng)}),
    ("ACTIVITY_DELTA", lambda rng: {**_message_id(rng), "activityType": "LOG", "patch": random_patch(rng)}),
    ("RAW", lambda _: {"event": {"vendor": 1}}),
    ("CUSTOM", lambda _: {"name": "n", "value": 1}),
    ("REASONING_START", _message_id),
    ("REASONING_END", _message_id),
    ("REASONING_MESSAGE_START", lambda rng: {**_message_id(rng), "role": "reasoning"}),
    ("REASONING_MESSAGE_CONTENT", lambda rng: {**_message_id(rng), **_delta(rng)}),
    ("REASONING_MESSAGE_END", _message_id),
    ("REASONING_MESSAGE_CHUNK", lambda rng: _chunk(rng, "messageId", MESSAGE_IDS)),
    (
        "REASONING_ENCRYPTED_VALUE",
        lambda rng: {"subtype": "message", "entityId": rng.choice(MESSAGE_IDS), "encryptedValue": "E"},
    ),
    (
        "REASONING_ENCRYPTED_VALUE",
        lambda rng: {"subtype": "tool-call", "entityId": rng.choice(CALL_IDS), "encryptedValue": "F"},
    ),
    ("SUBAGENT_STARTED", lambda rng: {"subagentRunId": rng.choice(SUBAGENTS), "name": "n"}),
    ("SUBAGENT_FINISHED", lambda rng: {"subagentRunId": rng.choice(SUBAGENTS)}),
    ("SUBAGENT_ERROR", lambda rng: {"subagentRunId": rng.choice(SUBAGENTS), "message": "x"}),
    ("SOMETHING_NEW", lambda _: {"value": 1}),
    ("THINKING_TEXT_MESSAGE_CONTENT", _delta),
)
"""Every event type, and what makes its keys; a type that stands twice comes twice as often."""

"""The known defects of the published compactEvents, as docs/fidelity.md numbers them: its output, and ours.

Of 1 and 2, which 1.0 mended, what 1.0 does in their stead is shown. Ours always folds to the view of the raw events.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from schemas.events import Event
from tests.conformance.judge import same_view
from transforms.compact import compact_events

Events = list[Event]


class Defect(msgspec.Struct):
    """A case: `look` says what to look at in the events that come out, `peer` and `ours` what is seen there."""

    number: int
    says: str
    events: Events
    look: Callable[[Events], Any]
    peer: Any
    ours: Any
    keeps_the_view: bool = True


def run(*body, name="r", given=None, end=True):
    started = {"type": "RUN_STARTED", "threadId": "t", "runId": name} | ({"input": given} if given else {})
    return [started, *body, *([{"type": "RUN_FINISHED", "threadId": "t", "runId": name}] if end else [])]


def text(part, identity="m", delta=None):
    event = {"type": f"TEXT_MESSAGE_{part}", "messageId": identity}
    return event | ({"role": "assistant"} if part == "START" else {}) | ({} if delta is None else {"delta": delta})


def says(identity, *deltas):
    return [text("START", identity), *(text("CONTENT", identity, delta) for delta in deltas), text("END", identity)]


def call(part, identity="c", **keys):
    return {"type": f"TOOL_CALL_{part}", "toolCallId": identity, **keys}


def snapshot(state):
    return {"type": "STATE_SNAPSHOT", "snapshot": state}


def delta(op, path, **keys):
    return {"type": "STATE_DELTA", "delta": [{"op": op, "path": path, **keys}]}


def history(*messages):
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def result(identity):
    return call("RESULT", messageId=identity, content="x")


def types(events):
    return [event["type"] for event in events]


def values(key):
    return lambda events: [event[key] for event in events if key in event]


def count(kind):
    return lambda events: types(events).count(kind)


def types_of_run(name):
    """The types between the start of a run and the next one."""

    def found(events):
        start = next(index for index, event in enumerate(events) if event.get("runId") == name)
        rest = types(events[start + 1 :])
        return rest[: rest.index("RUN_STARTED")] if "RUN_STARTED" in rest else rest

    return found


def inputs(events):
    return [event["input"]["messages"] for event in events if "input" in event]


USER = {"id": "u", "role": "user", "content": "hi"}
WHOLE = {"keep": 1, "x": 2}
COUNTING = [delta("add", "/n", value=value) for value in range(50)]
STATES = [snapshot({"a": 1}), {"type": "CUSTOM", "name": "n", "value": 1}, snapshot({"a": 2})]
STEPPED = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "STEP_STARTED", "stepName": "s"},
    text("START"),
    {"type": "STEP_FINISHED", "stepName": "s"},
    text("CONTENT", delta="x"),
    text("END"),
]
TRIPLE = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
MOVED = ["RUN_STARTED", "STEP_STARTED", *TRIPLE, "STEP_FINISHED"]
AT_ITS_MESSAGE = ["RUN_STARTED", "STEP_STARTED", *TRIPLE, "STEP_FINISHED", "RUN_ERROR"]
GHOST = ["RUN_STARTED", "RUN_FINISHED", "TEXT_MESSAGE_CONTENT"]
TIMED = [text("START"), text("CONTENT", delta="x") | {"timestamp": 1_790_000_000_000}, text("END")]
ENDED_CALL = ["TOOL_CALL_START", "TOOL_CALL_END", "RUN_ERROR"]
TWO_RUNS = [*run(snapshot({"keep": 1})), *run(delta("add", "/x", value=2), name="r2")]
OPEN_CALL = [
    *run(call("START", toolCallName="f"), end=False),
    {"type": "RUN_ERROR", "message": "e"},
    *run(name="r2"),
]
CROSSING = [
    text("START", "m1") | {"role": "system"},
    text("START", "m2") | {"role": "user"},
    text("END", "m2"),
    text("END", "m1"),
]
INSIDE = [
    text("START", "a"),
    text("CONTENT", "a", "A"),
    history({"id": "a", "role": "assistant", "content": "Z"}),
    text("CONTENT", "a", "B"),
    text("END", "a"),
]
SAME_ID = [
    *run(text("START"), text("CONTENT", delta="a"), end=False),
    {"type": "RUN_ERROR", "message": "e"},
    *run(text("START"), text("CONTENT", delta="b"), text("END"), name="r2"),
]
REASONS = [
    {"type": "REASONING_MESSAGE_START", "messageId": "m", "role": "reasoning"},
    *({"type": "REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": word} for word in "ab"),
    {"type": "REASONING_MESSAGE_END", "messageId": "m"},
]
CHUNKS = [{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": word} for word in "xy"]
REPEATED = [*run(given={"messages": [USER]}), *run(name="r2", given={"messages": [USER]})]
RENAMED = [call("START", toolCallName="f"), call("ARGS", delta="{}"), call("START", toolCallName="g"), call("END")]
TWICE = [call("START", toolCallName="f"), call("END"), result("t"), result("t")]

DEFECTS = [
    Defect(1, "deltas alone stay beside a state", TWO_RUNS, values("snapshot"), [{"keep": 1}], [{"keep": 1}, WHOLE]),
    Defect(2, "a bad patch stays", run(delta("replace", "/no", value=1)), count("STATE_DELTA"), 1, 0),
    Defect(3, "deltas alone stay, however many", run(*COUNTING), count("STATE_DELTA"), 50, 0),
    Defect(4, "an open call moves behind its run", OPEN_CALL, types_of_run("r"), ["RUN_ERROR"], ENDED_CALL),
    Defect(5, "one id in two runs is one message of the second", SAME_ID, values("delta"), ["ab"], ["a", "b"]),
    Defect(
        6, "messages stand as they ended", run(*CROSSING), values("role"), ["user", "system"], ["system", "user"], False
    ),
    Defect(7, "a snapshot inside a message comes after it", run(*INSIDE), values("delta"), ["AB"], ["ZB"], False),
    Defect(8, "a step inside a message comes after it", STEPPED, types, MOVED, AT_ITS_MESSAGE),
    Defect(9, "a state in the middle of a run is lost", run(*STATES), values("snapshot"), [{"a": 2}], [{"a": 2}]),
    Defect(10, "reasoning is not joined", run(*REASONS), values("delta"), ["a", "b"], ["ab"]),
    Defect(11, "chunks are not joined", run(*CHUNKS), values("delta"), ["x", "y"], ["xy"]),
    Defect(12, "snapshots of messages stay", run(*[history(USER)] * 40), count("MESSAGES_SNAPSHOT"), 40, 0),
    Defect(13, "inputs repeat the history", REPEATED, inputs, [[USER], [USER]], [[USER], []]),
    Defect(14, "times are dropped", run(*TIMED), values("timestamp"), [], []),
    Defect(
        15,
        "a delta of nothing comes after the end",
        run(text("CONTENT", "ghost", "x")),
        types,
        GHOST,
        ["RUN_STARTED", "RUN_FINISHED"],
    ),
    Defect(
        16,
        "a null delta becomes an empty one",
        run(text("START"), text("CONTENT") | {"delta": None}),
        values("delta"),
        [""],
        [],
    ),
    Defect(17, "a call that was restarted has its last name only", run(*RENAMED), values("toolCallName"), ["g"], ["g"]),
    Defect(18, "a result that is told twice stays twice", run(*TWICE), count("TOOL_CALL_RESULT"), 2, 2),
]


@pytest.fixture(scope="module")
def judged(reference):
    """The output of the published function, and the reference's view of it, of ours and of the raw events."""
    found = reference.compact({"id": defect.number, "events": defect.events} for defect in DEFECTS)
    peers = {number: case["events"] for number, case in found.items()}
    streams = {}
    for defect in DEFECTS:
        forms = {"raw": defect.events, "peer": peers[defect.number], "ours": compact_events(defect.events)}
        streams |= {f"{defect.number} {form}": events for form, events in forms.items()}
    return peers, reference.fold({"id": name, "events": events} for name, events in streams.items())


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.number} {defect.says}")
def test_the_published_function_does_so(defect, judged):
    peers, views = judged
    assert defect.look(peers[defect.number]) == defect.peer
    raw, peer, ours = (views[f"{defect.number} {form}"] for form in ("raw", "peer", "ours"))
    assert same_view(raw, ours)
    assert same_view(raw, peer) == defect.keeps_the_view


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.number} {defect.says}")
def test_ours_does_this(defect):
    assert defect.look(compact_events(defect.events)) == defect.ours

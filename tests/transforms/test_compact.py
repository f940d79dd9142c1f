"""compact_events: fewer events, the same view."""

from random import Random

import pytest

from schemas.view import View
from tests.strategies import random_thread
from transforms.compact import compact_events
from transforms.decode.normalise import event_of
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import Fold
from transforms.jsontext import dumps
from transforms.sameness import same_json

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def folded(events):
    fold, chunks = Fold(View([], {})), ChunkExpander()
    for event in events:
        for one in chunks.expand(event):
            fold.apply(one)
    return fold.close()


def linear(seed):
    """A stream without legacy THINKING_*, which gets ids of its own making."""
    events = [event for run in random_thread(Random(seed)) for event in run]
    return [event_of(dumps(event))[0] for event in events if not event["type"].startswith("THINKING")]


@pytest.mark.parametrize("form", ["stream", "snapshot"])
def test_the_view_is_the_same(form):
    for seed in range(150):
        events = linear(seed)
        if not events or events[0]["type"] != "RUN_STARTED":
            continue
        before, after = folded(events), folded(compact_events(events, form))
        assert same_json(before.messages, after.messages), seed
        assert same_json(before.state, after.state), seed


def test_the_reference_agrees(reference):
    cases = [{"id": seed, "events": linear(seed)} for seed in range(200, 280)]
    cases = [case for case in cases if case["events"] and case["events"][0]["type"] == "RUN_STARTED"]
    before = reference.fold(cases)
    after = reference.fold([{**case, "events": compact_events(case["events"])} for case in cases])
    for case, view in before.items():
        assert same_json(view["messages"], after[case]["messages"]), case
        assert same_json(view["state"], after[case]["state"]), case


def test_an_open_call_ends_before_the_terminal():
    call = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
    types = [event["type"] for event in compact_events([START, call, FINISH, {**START, "runId": "s"}])]
    assert types.index("TOOL_CALL_END") < types.index("RUN_FINISHED") < len(types) - 1


def test_a_snapshot_inside_a_text_keeps_its_place():
    text = [
        {"type": "TEXT_MESSAGE_START", "messageId": "a"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "A"},
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "a", "role": "assistant", "content": "Z"}]},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "B"},
    ]
    assert folded(compact_events([START, *text, FINISH])).messages[0]["content"] == "ZB"


def test_known_messages_of_an_input_are_not_repeated():
    user = {"id": "u", "role": "user", "content": "hi"}
    runs = [{**START, "runId": run, "input": {"messages": [user], "tools": []}} for run in ("a", "b")]
    first, second = [event for event in compact_events([runs[0], FINISH, runs[1], FINISH]) if "input" in event]
    assert (first["input"]["messages"], second["input"]["messages"]) == ([user], [])


@pytest.mark.parametrize(("raw", "count"), [("drop", 0), ("keep", 1)])
def test_raw_is_kept_when_asked_for(raw, count):
    events = compact_events([START, {"type": "RAW", "event": {"x": 1}}, FINISH], raw=raw)
    assert sum(event["type"] == "RAW" for event in events) == count


def test_nothing_gives_nothing():
    assert compact_events([]) == []

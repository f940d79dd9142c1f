"""compact_events: fewer events, the same view."""

from random import Random

import pytest

from tests.strategies import random_thread
from tests.streams import folded
from transforms.compact import compact_events
from transforms.decode.normalise import event_of
from transforms.fold.verify import Lifecycle
from transforms.jsontext import dumps
from transforms.sameness import same_json

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def linear(seed):
    """A stream without legacy THINKING_*, which gets ids of its own making."""
    events = [event for run in random_thread(Random(seed)) for event in run]
    return [event_of(dumps(event))[0] for event in events if not event["type"].startswith("THINKING")]


def text(identity, delta):
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": identity, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": identity, "delta": delta},
        {"type": "TEXT_MESSAGE_END", "messageId": identity},
    ]


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


def test_nothing_follows_the_terminal():
    events = [START, *text("a", "A"), FINISH, *text("b", "B")]
    compacted = compact_events(events)
    assert compacted[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")
    assert same_json(folded(compacted).messages, folded(events).messages)


def test_messages_of_one_id_are_not_merged_across_runs():
    events = [START, *text("a", "A"), FINISH, {**START, "runId": "s"}, *text("a", "B"), {**FINISH, "runId": "s"}]
    compacted = compact_events(events)
    assert [event["delta"] for event in compacted if "delta" in event] == ["A", "B"]
    assert [event["runId"] for event in compacted if event["type"] == "RUN_STARTED"] == ["r", "s"]
    assert folded(compacted).messages[0]["content"] == "AB"


def test_interleaved_messages_are_told_apart():
    [a_start, a_content, a_end], [b_start, b_content, b_end] = text("a", "A"), text("b", "B")
    compacted = compact_events([START, a_start, b_start, b_content, a_content, b_content, b_end, a_end, FINISH])
    assert [event["delta"] for event in compacted if "delta" in event] == ["A", "BB"]
    assert [message["id"] for message in folded(compacted).messages] == ["a", "b"]


def test_a_custom_event_keeps_its_place():
    custom = {"type": "CUSTOM", "name": "n", "value": 1}
    types = [event["type"] for event in compact_events([START, *text("a", "A"), custom, *text("b", "B"), FINISH])]
    assert types.index("CUSTOM") == 4
    assert types.count("TEXT_MESSAGE_START") == 2


def test_the_state_is_sent_once_a_run():
    deltas = [{"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": value}]} for value in range(50)]
    compacted = compact_events([START, *deltas, FINISH])
    assert compacted[1:-1] == [{"type": "STATE_SNAPSHOT", "snapshot": {"n": 49}}]


def test_the_snapshot_form_is_one_run():
    events = [START, *text("a", "A"), FINISH, {**START, "runId": "s"}, *text("b", "B"), {**FINISH, "runId": "s"}]
    types = [event["type"] for event in compact_events(events, "snapshot")]
    assert types == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED"]


def test_what_is_compact_stays_as_short():
    for seed in range(300, 350):
        events = linear(seed)
        if not events or events[0]["type"] != "RUN_STARTED":
            continue
        once = compact_events(events)
        assert len(compact_events(once)) <= len(once), seed


def test_no_client_refuses_what_comes_out():
    for seed in range(400, 480):
        events = linear(seed)
        if not events or events[0]["type"] != "RUN_STARTED":
            continue
        lifecycle = Lifecycle()
        assert not any(map(lifecycle.check, compact_events(events))), seed


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


def test_a_delta_of_a_subagent_leaves_the_chunk_of_another_lane_open():
    chunks = [
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "hel"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "lo"},
    ]
    args = {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}", "subagentRunId": "s"}
    assert folded(compact_events([START, chunks[0], args, chunks[1], FINISH])).messages[0]["content"] == "hello"


def test_a_chunk_that_only_carried_a_raw_payload_is_a_delta_still():
    call = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m"}
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "rawEvent": {"x": 1}}
    events = [START, call, chunk, FINISH]
    assert folded(events).messages == folded(compact_events(events)).messages

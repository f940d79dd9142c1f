import copy
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.events import DELTA_TARGETS
from schemas.view import View, empty_view
from tests.random_json import random_state
from tests.strategies import random_event, random_message, random_run, random_thread, spoil
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import VIOLATIONS, Fold
from transforms.sameness import same_json

SEEDS = st.integers(0, 10**9)
RANDOM_STREAMS = 600
SPOILED_STREAMS = 300


def fold(events, base=None):
    folding, expander = Fold(base or empty_view()), ChunkExpander()
    for event in events:
        for one in expander.expand(event):
            folding.apply(one)
    return folding.close(), folding


def random_view(rng):
    return View([random_message(rng) for _ in range(rng.randrange(5))], random_state(rng))


def text(part, identity="m", **keys):
    return {"type": f"TEXT_MESSAGE_{part}", "messageId": identity, **keys}


def call(part, identity="c", **keys):
    return {"type": f"TOOL_CALL_{part}", "toolCallId": identity, **keys}


def snapshot(*messages, **keys):
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages), **keys}


def same_view(view, other):
    return same_json(view.messages, other["messages"]) and same_json(view.state, other["state"])


def test_text_streams_into_one_message_and_its_trace_keeps_the_times():
    folding = Fold(empty_view())
    for at, event in enumerate([text("START"), text("CONTENT", delta="a"), text("CONTENT", delta="b"), text("END")]):
        folding.apply(event, at * 10, at * 10 + 5)
    (message,) = folding.close().messages
    trace = folding.traces[id(message)]
    assert message == {"id": "m", "role": "assistant", "content": "ab"}
    assert (trace.origin, trace.is_new, trace.first_us, trace.last_us, trace.is_ended) == ("stream", True, 0, 35, True)


def test_a_call_goes_to_its_parent_and_its_result_behind_it():
    view, folding = fold(
        [
            text("START"),
            call("START", toolCallName="f", parentMessageId="m"),
            call("ARGS", delta="{"),
            call("ARGS", delta="}"),
            text("START", "later"),
            call("RESULT", messageId="t", content="ok"),
        ]
    )
    assert [message["id"] for message in view.messages] == ["m", "t", "later"]
    (made,) = view.messages[0]["toolCalls"]
    assert made["function"] == {"name": "f", "arguments": "{}"}
    assert not folding.call_traces[id(made)].is_ended


def test_halves_of_a_character_meet_across_deltas():
    view, _ = fold([text("START"), text("CONTENT", delta="\ud83d"), text("CONTENT", delta="\ude00")])
    assert view.messages[0]["content"] == "😀"


def test_text_of_two_kinds_in_one_message_is_told_apart():
    reasoning = {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m"}
    events = [text("START"), {**reasoning, "type": "REASONING_MESSAGE_START"}, text("CONTENT", delta="ab")]
    view, folding = fold(
        [*events, {**reasoning, "delta": "hmm"}, text("CONTENT", delta="\ud83d"), {**reasoning, "delta": "\ude00"}]
    )
    assert view.messages[0]["content"] == "abhmm😀"
    assert folding.traces[id(view.messages[0])].pieces == [("text", 2), ("reasoning", 3), ("text", 1), ("reasoning", 0)]
    assert folding.violations["id_collision"] == 3


def test_a_null_delta_is_no_text():
    view, _ = fold([text("START"), text("CONTENT", delta=None), text("CONTENT"), text("CONTENT", delta=1.5)])
    assert view.messages[0]["content"] == "1.5"


def test_ids_are_told_apart_as_javascript_does():
    events = [text("START", identity) for identity in (1, True, "1", None, 1.0)]
    view, _ = fold([*events, {"type": "TEXT_MESSAGE_START"}, {"type": "TEXT_MESSAGE_CONTENT", "delta": "x"}])
    assert [message.get("id", "absent") for message in view.messages] == [1, True, "1", None, "absent"]
    assert view.messages[-1]["content"] == "x"


def test_duplicate_ids_that_meet_a_snapshot_are_one_object():
    double = View([{"id": "a", "role": "user", "content": "1"}, {"id": "a", "role": "user", "content": "2"}], {})
    view, _ = fold([snapshot({"id": "a", "role": "user", "content": "3"}), text("CONTENT", "a", delta="!")], double)
    assert [message["content"] for message in view.messages] == ["3!", "3!"]
    assert view.messages[0] is view.messages[1]


def test_new_messages_that_were_parsed_to_one_object_stay_two():
    message = {"id": "a", "role": "user", "content": ""}
    view, _ = fold([snapshot(message, message), text("CONTENT", "a", delta="!")])
    assert [one["content"] for one in view.messages] == ["!", ""]
    assert message["content"] == ""


def test_what_a_snapshot_leaves_as_it_was_stays_the_same_object():
    base = View([{"id": "a", "role": "user", "content": "1"}, {"id": "b", "role": "user", "content": "2"}], {})
    view, folding = fold(
        [snapshot({"id": "a", "role": "user", "content": "1"}, {"id": "b", "role": "user", "content": "!"})], base
    )
    assert view.messages[0] is base.messages[0]
    assert [folding.traces.get(id(message)) is None for message in view.messages] == [True, False]


def test_a_refused_patch_is_a_violation_and_changes_nothing():
    view, folding = fold(
        [
            {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
            {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/b", "value": 1}, {"op": "remove", "path": "/q"}]},
            {"type": "STATE_DELTA", "delta": [{"op": "test", "path": "/a", "value": True}]},
        ]
    )
    assert view.state == {"a": 1}
    assert folding.violations == {"bad_patch": 1, "failed_test": 1}


@given(SEEDS)
def test_neither_the_base_nor_the_events_are_changed(seed):
    rng = Random(seed)
    base, events = random_view(rng), random_run(rng)
    before, sent = copy.deepcopy(base), copy.deepcopy(events)
    fold(events, base)
    assert same_json(base.messages, before.messages)
    assert same_json(base.state, before.state)
    assert same_json(events, sent)


@given(SEEDS)
def test_siblings_on_one_parent_do_not_see_each_other(seed):
    rng = Random(seed)
    parent = Fold(random_view(rng))
    for event in random_run(rng):
        for one in ChunkExpander().expand(event):
            parent.apply(one)
    view = parent.close()
    before = copy.deepcopy(view)
    for _ in range(2):
        child, fresh = Fold.after(parent), Fold(copy.deepcopy(before))
        for event in random_run(rng):
            for one in ChunkExpander().expand(event):
                child.apply(one)
                fresh.apply(copy.deepcopy(one))
        again = fresh.close()
        assert same_view(child.close(), {"messages": again.messages, "state": again.state})
    assert same_view(view, {"messages": before.messages, "state": before.state})


@given(SEEDS)
def test_joined_deltas_fold_as_single_ones_do(seed):
    rng = Random(seed)
    events = [one for event in random_run(rng) for one in ChunkExpander().expand(event)]
    joined = []
    for event in events:
        key = DELTA_TARGETS.get(event["type"])
        last = joined[-1] if joined else {}
        is_plain = key is not None and event.keys() == {"type", key, "delta"} == last.keys()
        if is_plain and (last["type"], last[key]) == (event["type"], event[key]):
            joined[-1] = {**last, "delta": last["delta"] + event["delta"]}
        else:
            joined.append(event)
    single, _ = fold(events)
    merged, _ = fold(joined)
    assert same_view(merged, {"messages": single.messages, "state": single.state})


@given(SEEDS)
def test_traces_name_what_stands_in_the_view(seed):
    rng = Random(seed)
    view, folding = fold([event for run in random_thread(rng) for event in run], random_view(rng))
    messages = {id(message): message for message in view.messages}
    calls = {
        id(one)
        for message in view.messages
        if isinstance(message.get("toolCalls"), list)
        for one in message["toolCalls"]
    }
    assert folding.traces.keys() <= messages.keys()
    assert folding.call_traces.keys() <= calls
    for key, trace in folding.traces.items():
        if trace.pieces is not None:
            assert sum(length for _, length in trace.pieces) == len(messages[key]["content"])
    assert folding.violations.keys() <= VIOLATIONS.keys()


def test_no_malformed_event_raises():
    for seed in range(2_000):
        rng = Random(seed)
        events = [spoil(rng, spoil(rng, random_event(rng))) for _ in range(30)]
        odd = snapshot(
            *(
                rng.choice((1, "x", [], {"toolCalls": 1}, {"toolCalls": [1, {}]}, {"id": "m1", "content": 5}))
                for _ in range(3)
            )
        )
        view, _ = fold([odd, *events[:15], odd, *events[15:]])
        json.dumps([view.messages, view.state])


def test_many_deltas_interleaved_are_joined_once():
    events = [text("START", str(index)) for index in range(20)]
    events += [text("CONTENT", str(index % 20), delta="x" * 50) for index in range(100_000)]
    view, _ = fold(events)
    assert {len(message["content"]) for message in view.messages} == {250_000}


def test_the_shared_cases_fold_as_in_the_live_reference(shared, reference):
    names = ("event-cases.ndjson", "json-patch-probes.ndjson")
    cases = [json.loads(line) for name in names for line in (shared / "cases" / name).read_text("utf-8").splitlines()]
    found = reference.fold(cases)
    assert len(found) == 72
    for case in cases:
        view, _ = fold(case["events"], View(case.get("messages", []), case.get("state", {})))
        assert same_view(view, found[case["id"]]), case["id"]


@pytest.mark.parametrize(
    ("count", "likelihood"), [(RANDOM_STREAMS, 0.0), (SPOILED_STREAMS, 0.1)], ids=["as sent", "spoiled"]
)
def test_random_threads_fold_as_in_the_live_reference(reference, count, likelihood):
    cases = []
    for seed in range(count):
        rng = Random(seed)
        events = [event for run in random_thread(rng) for event in run]
        events = [spoil(rng, event) if rng.random() < likelihood else event for event in events]
        cases.append({"id": seed, "events": events})
    found = reference.fold(cases)
    wrong = [case["id"] for case in cases if not same_view(fold(case["events"])[0], found[case["id"]])]
    assert not wrong

"""The conversations: what a client sends is what it shows, on the branch where it is."""

import copy
import re
from collections import Counter
from itertools import pairwise

import msgspec
import pytest

from transforms.sample.log import sample_log
from transforms.sample.patch import apply_patch

DELTAS = {"TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"}


@pytest.fixture(scope="module")
def threads():
    """Thread id to its runs in order: run id, parent, events; each event once."""
    found, seen = {}, set()
    for made in sample_log(60, 7, raw_share=0):
        for line in made.data.split(b"\n")[:-1]:
            record = msgspec.json.decode(line)
            key = record["threadId"], record["seq"]
            if key in seen:
                continue
            seen.add(key)
            runs = found.setdefault(record["threadId"], [])
            if record["event"]["type"] == "RUN_STARTED":
                parent = record["event"].get("parentRunId") or (runs[-1]["id"] if runs else None)
                runs.append({"id": record["runId"], "parent": parent, "events": []})
            assert runs[-1]["id"] == record["runId"]
            runs[-1]["events"].append(record["event"])
    return found


def insert_result(messages, event):
    owners = [any(call["id"] == event["toolCallId"] for call in message.get("toolCalls", ())) for message in messages]
    place = owners.index(True) + 1
    while place < len(messages) and messages[place]["role"] == "tool":
        place += 1
    result = {"id": event["messageId"], "toolCallId": event["toolCallId"], "role": "tool", "content": event["content"]}
    messages.insert(place, result)


def start_call(messages, event):
    owner_id = event.get("parentMessageId", event["toolCallId"])
    owner = next((message for message in messages if message["id"] == owner_id), None)
    if owner is None:
        owner = {"id": owner_id, "role": "assistant"}
        messages.append(owner)
    function = {"name": event["toolCallName"], "arguments": ""}
    owner.setdefault("toolCalls", []).append({"id": event["toolCallId"], "type": "function", "function": function})


def fold_message(messages, event):
    kind = event["type"]
    if kind in {"TEXT_MESSAGE_START", "REASONING_MESSAGE_START"}:
        messages.append({"id": event["messageId"], "role": event["role"], "content": ""})
    elif kind in DELTAS:
        next(message for message in messages if message["id"] == event["messageId"])["content"] += event["delta"]
    elif kind == "ACTIVITY_SNAPSHOT":
        messages.append({"id": event["messageId"], "role": "activity", "content": event["content"]})
    elif kind == "TOOL_CALL_START":
        start_call(messages, event)
    elif kind == "TOOL_CALL_ARGS":
        calls = [call for message in messages for call in message.get("toolCalls", ())]
        next(call for call in calls if call["id"] == event["toolCallId"])["function"]["arguments"] += event["delta"]
    elif kind == "TOOL_CALL_RESULT":
        insert_result(messages, event)


def fold(base, events):
    """The protocol's reducer, as far as the sample needs it."""
    messages, state = copy.deepcopy(base)
    known = {message["id"] for message in messages}
    messages += [message for message in events[0]["input"]["messages"] if message["id"] not in known]
    for event in events:
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
        elif event["type"] == "STATE_DELTA":
            state = apply_patch(state, event["delta"])
        else:
            fold_message(messages, event)
    return messages, state


def test_an_input_holds_the_history_of_its_branch_and_what_is_new(threads):
    checked = 0
    for runs in threads.values():
        views = {None: ([], {})}
        for run in runs:
            base = views[run["parent"]]
            sent = run["events"][0]["input"]
            history = [message for message in base[0] if message["role"] != "activity"]
            assert sent["messages"][: len(history)] == history
            new = [message["role"] for message in sent["messages"][len(history) :]]
            assert new in (["user"], ["system", "user"], ["tool"], [])
            assert sent["state"] == base[1]
            views[run["id"]] = fold(base, run["events"])
            checked += len(history)
    assert checked > 2_000


def test_nothing_is_left_open_by_a_finished_run(threads):
    for run in (run for runs in threads.values() for run in runs):
        kinds = Counter(event["type"] for event in run["events"])
        assert [event["type"] for event in run["events"]].index("RUN_STARTED") == 0
        if run["events"][-1]["type"] == "RUN_FINISHED":
            for kind in ("TEXT_MESSAGE", "TOOL_CALL", "REASONING", "REASONING_MESSAGE"):
                assert kinds[f"{kind}_START"] == kinds[f"{kind}_END"]
            assert kinds["STEP_STARTED"] == kinds["STEP_FINISHED"]
            assert run["events"][-1]["usage"][0]["outputTokens"] > 0


def test_a_few_threads_have_branches(threads):
    branchings = {
        thread: sum(count - 1 for count in Counter(run["parent"] for run in runs).values() if count > 1)
        for thread, runs in threads.items()
    }
    assert 3 <= sum(count > 0 for count in branchings.values()) <= 12
    assert max(branchings.values()) <= 6


def test_every_interrupt_that_is_followed_is_resumed(threads):
    resumed = 0
    for runs in threads.values():
        for run, follower in pairwise(runs):
            outcome = run["events"][-1].get("outcome", {})
            if outcome.get("type") == "interrupt":
                asked = [interrupt["id"] for interrupt in outcome["interrupts"]]
                assert [answer["interruptId"] for answer in follower["events"][0]["input"]["resume"]] == asked
                resumed += 1
    assert resumed >= 4


def test_a_client_tool_is_answered_by_the_input_of_the_next_run(threads):
    answered = 0
    for runs in threads.values():
        for run, follower in pairwise(runs):
            pending = run["events"][-1].get("outcome", {}).get("pendingToolCallIds")
            if pending:
                assert follower["events"][0]["input"]["messages"][-1]["toolCallId"] == pending[0]
                answered += 1
    assert answered >= 4


def test_texts_vary_and_hold_invented_personal_data_only(threads):
    texts = Counter()
    for run in (run for runs in threads.values() for run in runs):
        texts.update(
            str(message["content"])
            for message in run["events"][0]["input"]["messages"][-1:]
            if message["role"] == "user"
        )
    assert len(texts) > 0.8 * texts.total()
    joined = " ".join(texts)
    assert set(re.findall(r"@([a-z]+[.][a-z]+)", joined)) == {"example.com"}
    assert "+1-555-" in joined
    assert re.search("[가-힣]", joined)
    assert re.search("[ぁ-ん]", joined)


def test_deltas_are_token_sized(threads):
    sizes = [
        len(event["delta"])
        for runs in threads.values()
        for run in runs
        for event in run["events"]
        if event["type"] == "TEXT_MESSAGE_CONTENT"
    ]
    assert 4 <= sum(sizes) / len(sizes) <= 14
    assert max(sizes) <= 50


def test_the_tour_shows_three_branches(threads):
    runs = {run["id"]: run for run in threads["thread-tour"]}
    parents = {name: run["parent"] for name, run in runs.items()}
    assert parents == {
        "run-1": None, "run-2": "run-1", "run-3": "run-1", "run-4": "run-1",
        "run-5": "run-4", "run-6": "run-5", "run-7": "run-6", "run-8": "run-7",
    }  # fmt: skip
    inputs = {name: run["events"][0]["input"] for name, run in runs.items()}
    assert inputs["run-2"]["messages"] == inputs["run-3"]["messages"]
    assert inputs["run-4"]["messages"][:-1] == inputs["run-3"]["messages"][:-1]
    assert inputs["run-6"]["messages"][-1]["role"] == "tool"
    assert inputs["run-8"]["resume"][0]["interruptId"] == "interrupt-1"


def test_the_tour_is_the_same_for_every_seed():
    def tour(seed):
        found = [msgspec.json.decode(line) for made in sample_log(1, seed) for line in made.data.split(b"\n")[:-1]]
        return [record["event"] for record in {record["seq"]: record for record in found}.values()]

    assert tour(1) == tour(2)

import json
from random import Random

from tests.strategies import random_thread
from transforms import jsontext
from transforms.decode.normalise import event_of
from transforms.decode.spelling import EVENTS, MESSAGES, PARTS, respell

STARTED = EVENTS.shapes["RUN_STARTED"]


def test_an_object_in_the_protocols_spelling_is_itself():
    value = {"messageId": "m", "x_y": 1}
    assert respell(value, STARTED) is value


def test_snake_case_of_a_key_is_derived():
    assert STARTED.camel["parent_subagent_run_id"] == "parentSubagentRunId"
    assert "timestamp" not in STARTED.camel
    assert MESSAGES.other.camel == {
        "tool_calls": "toolCalls",
        "tool_call_id": "toolCallId",
        "activity_type": "activityType",
        "encrypted_value": "encryptedValue",
        "subagent_run_id": "subagentRunId",
    }


def test_null_is_a_value_where_the_protocol_needs_one():
    snapshot = EVENTS.shapes["STATE_SNAPSHOT"]
    assert respell({"snapshot": None, "metadata": None}, snapshot) == {"snapshot": None}
    assert respell({"content": None}, MESSAGES.of({"role": "assistant"})) == {}
    assert respell({"content": None}, MESSAGES.of({"role": "user"})) == {"content": None}


def test_an_unknown_variant_keeps_its_nulls():
    for tag in (None, 7, ["text"], "hologram"):
        part = {"type": tag, "id": None}
        assert PARTS.of(part) is PARTS.other
        assert respell(part, PARTS.of(part)) is not None
        assert respell(part, PARTS.of(part)) == part


def test_the_order_of_keys_stays():
    assert list(respell({"run_id": "r", "a": 1, "threadId": "t"}, STARTED)) == ["runId", "a", "threadId"]


def test_of_two_spellings_the_one_that_says_something_wins():
    for value in ({"run_id": "r", "runId": None}, {"runId": None, "run_id": "r"}, {"runId": "r", "run_id": "s"}):
        assert respell(value, STARTED) == {"runId": "r"}


def with_nulls(rng, value):
    if isinstance(value, dict):
        return {
            key: None if key != "type" and rng.random() < 0.15 else with_nulls(rng, one) for key, one in value.items()
        }
    return [with_nulls(rng, one) for one in value] if isinstance(value, list) else value


def test_nulls_go_where_the_live_reference_leaves_them_out(reference):
    cases = []
    for seed in range(400):
        rng = Random(seed)
        events = [with_nulls(rng, event) for run in random_thread(rng) for event in run]
        is_today = (event for event in events if not event["type"].startswith("THINKING"))
        cases.append({"id": seed, "events": [event for event in is_today if event.get("delta", 0) is not None]})
    found = reference.without_nulls(cases)
    for case in cases:
        ours = [json.loads(jsontext.dumps(event_of(jsontext.dumps(event))[0])) for event in case["events"]]
        assert ours == found[case["id"]]["events"], case["id"]

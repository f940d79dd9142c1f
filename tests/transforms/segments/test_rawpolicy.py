import json

import pytest

from transforms.segments.rawpolicy import RawChoice, RawPolicy

USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
CALL_END = {
    "event": "on_chat_model_end",
    "run_id": "c",
    "data": {"output": {"usage_metadata": USAGE, "response_metadata": {"model_name": "m"}}},
}


def apply(choice, event):
    return RawPolicy(choice).apply(event["type"], json.dumps(event).encode())


def test_a_raw_event_is_dropped_after_its_usage_is_taken():
    event = {"type": "RAW", "event": CALL_END}
    taken = apply(RawChoice.DROP, event)
    assert (taken.event, taken.raw_events, taken.raw_bytes) == (None, 1, len(json.dumps(event)))
    [usage] = json.loads(taken.usage)
    assert (usage["model"], usage["total_tokens"]) == ("m", 7)


@pytest.mark.parametrize("choice", list(RawChoice))
def test_a_key_with_a_raw_payload_follows_the_choice(choice):
    event = {"type": "STEP_STARTED", "stepName": "s", "rawEvent": {"prompt": "secret"}}
    taken = apply(choice, event)
    left = json.loads(taken.event)
    assert ("secret" in json.dumps(left)) == (choice is RawChoice.KEEP)
    assert ("rawEvent" in left) == (choice is not RawChoice.DROP)
    assert (taken.raw_events, taken.raw_bytes) == (1, len('{"prompt":"secret"}'))


def test_a_delta_is_plain_again_without_its_raw_payload():
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "d", "rawEvent": {}}
    taken = apply(RawChoice.DROP, event)
    assert (taken.target, taken.delta) == ("m", "d")
    assert apply(RawChoice.KEEP, event).delta is None


def test_a_hash_tells_equal_payloads_and_nothing_else():
    events = [{"type": "RAW", "event": {"prompt": text}} for text in ("a", "a", "b")]
    one, two, three = (apply(RawChoice.HASH, event).event for event in events)
    assert one == two != three
    assert b"prompt" not in one


def test_the_word_in_a_text_is_no_key():
    event = {"type": "CUSTOM", "name": "n", "value": "rawEvent"}
    assert apply(RawChoice.DROP, event).event == json.dumps(event).encode()


def test_a_delta_keeps_its_event_where_usage_came_with_it():
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "d", "rawEvent": CALL_END}
    taken = apply(RawChoice.DROP, event)
    assert (taken.delta, "rawEvent" in json.loads(taken.event)) == (None, False)
    assert json.loads(taken.usage)[0]["total_tokens"] == 7


@pytest.mark.parametrize("choice", list(RawChoice))
def test_usage_is_taken_whatever_the_choice_and_half_a_character_in_it(choice):
    payload = {"model": "\ud83d", "id": "x", "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}
    [usage] = json.loads(apply(choice, {"type": "RAW", "event": payload}).usage)
    assert (usage["model"], usage["total_tokens"]) == ("\ud83d", 7)


def test_a_null_payload_is_nothing():
    taken = apply(RawChoice.HASH, {"type": "STEP_STARTED", "stepName": "s", "raw_event": None})
    assert (json.loads(taken.event), taken.raw_events, taken.raw_bytes) == (
        {"type": "STEP_STARTED", "stepName": "s"},
        0,
        0,
    )

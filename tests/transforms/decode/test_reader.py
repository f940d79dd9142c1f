import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Owner, Record, Source
from transforms.decode.reader import Reader
from transforms.decode.rows import read_object

DELTA = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hi", "timestamp": 1_790_000_000_000}
AT_US = 1_790_000_000_000_000


def read(*values):
    lines = [value if isinstance(value, bytes) else json.dumps(value).encode() for value in values]
    return Reader(Source("log", 0)).lines(lines, 0)


def test_a_delta_in_an_envelope():
    line = {"threadId": "t", "runId": "r", "seq": 4, "ts": 1, "userId": "u", "tenantId": "acme", "event": DELTA}
    [record] = read(line)
    size = len(json.dumps(line))
    assert record == Record(
        "t", "r", "TEXT_MESSAGE_CONTENT", 0, size, Owner("acme", "u"), "m", "hi", None, 4, None, AT_US, "event"
    )


def test_spelling_makes_no_difference():
    snake = {"type": "TEXT_MESSAGE_CONTENT", "message_id": "m", "delta": "hi", "timestamp": 1_790_000_000_000}
    camel_line = {"threadId": "t", "runId": "r", "userId": "u", "tenantId": "a", "agentId": "g", "eventId": "e"}
    snake_line = {"thread_id": "t", "run_id": "r", "user_id": "u", "tenant_id": "a", "agent_id": "g", "event_id": "e"}
    [one], [two] = read({**camel_line, "event": DELTA}), read({**snake_line, "event": snake})
    two.size = one.size
    assert one == two


@pytest.mark.parametrize("kind", ["TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT", "TOOL_CALL_ARGS"])
@pytest.mark.parametrize("key", ["messageId", "toolCallId"])
def test_the_target_is_what_the_type_appends_to(kind, key):
    [record] = read({"type": kind, "threadId": "t", key: "x", "delta": "d"})
    is_plain = (kind == "TOOL_CALL_ARGS") == (key == "toolCallId")
    assert record.target == ("x" if is_plain else None)
    assert (record.event is None) == is_plain


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"a": 1}},
        {"rawEvent": {"a": 1}},
        {"raw_event": "x"},
        {"usage": []},
        {"subagentRunId": "s"},
        {"subagent_run_id": "s"},
        {"delta": None},
        {"delta": ["x"]},
        {"delta": {"x": 1}},
        {"messageId": 7},
        {"messageId": ""},
        {"messageId": None},
    ],
)
def test_what_counts_beside_a_delta_keeps_the_event(more):
    event = {**DELTA, "threadId": "t", **more}
    [record] = read(event)
    assert (record.target, record.delta) == (None, None)
    assert json.loads(record.event) == event


def test_nulls_and_unknown_keys_leave_a_delta_plain():
    [record] = read({**DELTA, "threadId": "t", "runId": None, "metadata": None, "raw_event": None, "unknown": "s"})
    assert (record.target, record.delta, record.run_id) == ("m", "hi", None)


def test_an_event_is_kept_as_it_lay():
    text = b'{ "type":"CUSTOM" , "name":"n", "value": 123456789012345678901234567890, "x":1.0 }'
    enveloped = b'{"threadId":"t","event":' + text + b',"seq":1}'
    [bare, inside] = read(text.replace(b"{ ", b'{ "threadId":"t", '), enveloped)
    assert inside.event == text
    assert inside.size == len(enveloped)
    assert bare.event.endswith(b'"x":1.0 }')


def test_a_lone_surrogate_stays():
    [bare, inside, event] = read(
        rb'{"type":"TEXT_MESSAGE_CONTENT","threadId":"t","messageId":"m","delta":"\ud83d"}',
        rb'{"threadId":"t","event":{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ude00"}}',
        rb'{"threadId":"t","event":{"type":"CUSTOM","name":"n","value": "\ude00"}}',
    )
    assert (bare.delta, inside.delta) == ("\ud83d", "\ude00")
    assert event.event == rb'{"type":"CUSTOM","name":"n","value": "\ude00"}'


def test_forms_may_alternate():
    envelope, bare = {"threadId": "t", "event": DELTA}, {"threadId": "t", **DELTA}
    found = read(envelope, bare, bare, envelope, envelope, bare)
    assert {(record.thread_id, record.target, record.delta) for record in found} == {("t", "m", "hi")}
    assert len(found) == 6


def test_a_raw_event_is_no_envelope():
    raw = {"type": "RAW", "threadId": "t", "event": {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}}
    found = read({"threadId": "t", "event": DELTA}, raw, raw)
    assert [record.type for record in found] == ["TEXT_MESSAGE_CONTENT", "RAW", "RAW"]


def test_owners_are_shared():
    line = {"threadId": "t", "userId": "u", "event": DELTA}
    other = {**line, "userId": "v"}
    found = read(line, line, other, line)
    assert found[0].owner is found[1].owner is found[3].owner
    assert found[2].owner == Owner("", "v")


ID: st.SearchStrategy[object] = st.none() | st.sampled_from(["", "t", "u"]) | st.integers(0, 3)
EVENTS: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"type": st.sampled_from(["RUN_STARTED", "TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "STATE_DELTA", "RUN_FINISHED"])},
    optional={
        "threadId": ID,
        "thread_id": ID,
        "runId": ID,
        "messageId": ID,
        "message_id": ID,
        "toolCallId": ID,
        "delta": st.none() | st.sampled_from(["", "x", "\ud83d", "é"]) | st.just([{"op": "remove", "path": "/a"}]),
        "timestamp": st.sampled_from(
            [None, None, 1_790_000_000, 1_790_000_000_000, 12, "2026-09-21T14:13:20Z", True, {}]
        ),
        "metadata": st.sampled_from([None, {}, {"cpki_event_seq": 3, "cpki_event_id": "e"}, "odd"]),
        "rawEvent": st.sampled_from([None, {"a": 1}]),
        "zzz": st.sampled_from([1, None]),
    },
)
ENVELOPES: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"event": EVENTS | EVENTS.map(json.dumps)},
    optional={
        "threadId": ID,
        "thread_id": ID,
        "runId": ID,
        "run_id": ID,
        "seq": st.sampled_from([None, 1, "2", "x", 3.0, 2**70, -5, True]),
        "ts": st.sampled_from([None, 1_790_000_001_000, "junk"]),
        "created_at": st.sampled_from([None, 1_790_000_002, "2026-09-21T14:13:20Z"]),
        "userId": ID,
        "tenant_id": ID,
        "input": st.sampled_from([None, {"messages": []}, '{"messages":[]}']),
        "eventId": ID,
    },
)


@given(st.lists(EVENTS | ENVELOPES, max_size=6), st.booleans())
def test_the_short_way_agrees_with_the_general_way(values, ascii_only):
    texts = [json.dumps(value, ensure_ascii=True if ascii_only else "\\ud83d" in json.dumps(value)) for value in values]
    lines = [text.encode("utf-8", "surrogatepass") for text in texts]
    quick = Reader(Source("log", 0)).lines(lines, 0)
    slow, general, offset = [], Reader(Source("log", 0)).general, 0
    for line in lines:
        slow.extend(read_object(general, line, offset))
        offset += len(line) + 1
    assert quick == slow


@given(st.text(), st.text(min_size=1), st.integers(0, 2**63 - 1))
def test_what_was_written_is_read(delta, target, seq):
    event = {"type": "TOOL_CALL_ARGS", "toolCallId": target, "delta": delta}
    line = msgspec.json.encode({"threadId": "t", "runId": "r", "seq": seq, "event": event})
    [record] = read(line)
    assert (record.target, record.delta, record.seq, record.size) == (
        target,
        delta,
        seq,
        len(line),
    )


def test_types_of_deltas_are_one_string():
    first, second = read({"threadId": "t", "event": DELTA}, {"threadId": "t", "event": DELTA})
    assert first.type is second.type
    assert first.thread_id is second.thread_id

import json

from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Source
from transforms.decode.reader import Reader
from transforms.decode.rows import read_object

MOMENT = 1_790_000_000_000


def line(thread="t", seq=0, delta="x", target="m", *, run="r", event=None, **more):
    event = event or {"type": "TEXT_MESSAGE_CONTENT", "messageId": target, "delta": delta}
    return {"threadId": thread, "runId": run, "seq": seq, "ts": MOMENT + (seq or 0), "event": event, **more}


def read(values):
    return Reader(Source("log", 0)).lines([json.dumps(value).encode() for value in values], 0)


def one_by_one(values):
    general, offset, found = Reader(Source("log", 0)).general, 0, []
    for value in values:
        text = json.dumps(value).encode()
        found.extend(read_object(general, text, offset))
        offset += len(text) + 1
    return found


def pieces(records):
    """The deltas of each thread in order, joined ones taken apart."""
    apart = {}
    for record in records:
        text, start = record.delta or "", 0
        for index, length in enumerate(record.cuts or [len(text)]):
            seq = None if record.seq is None else record.seq + index
            key = (record.run_id, record.type, record.target, seq, text[start : start + length], record.event)
            apart.setdefault((record.owner, record.thread_id), []).append(key)
            start += length
    return apart


def test_neighbours_are_joined():
    records = read([line(seq=0, delta="a"), line(seq=1, delta="hel"), line(seq=2, delta="lo"), line(seq=3, delta="!")])
    last = records[-1]
    assert (last.delta, last.count, last.cuts) == ("ahello!", 4, [1, 3, 2, 1])
    assert (last.seq, last.at_us, last.last_us) == (0, MOMENT * 1000, (MOMENT + 3) * 1000)


def test_a_gap_in_seq_is_no_neighbour():
    assert [record.count for record in read([line(seq=0), line(seq=1), line(seq=3), line(seq=4)])] == [2, 2]


def test_another_event_of_the_thread_ends_what_was_joined():
    end = {"type": "TEXT_MESSAGE_END", "messageId": "m"}
    records = read([line(seq=0), line(seq=None), {**line(), "event": end, "seq": None}, line(seq=None), line(seq=None)])
    assert [record.type.rpartition("_")[2] for record in records] == ["CONTENT", "CONTENT", "END", "CONTENT"]
    assert records[-1].count == 2


def test_another_thread_does_not_end_it():
    values = [line("a", 0), line("b", 0), *(line(thread, seq) for seq in range(1, 9) for thread in "ab")]
    assert sorted(record.count for record in read(values)) == [9, 9]


EVENTS = [
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "RUN_STARTED", "threadId": "a", "runId": "r"},
    {"type": "RUN_FINISHED", "threadId": "b", "runId": "other", "timestamp": MOMENT},
    {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/x", "value": {"event": {}}}]},
    {"type": "CUSTOM", "name": "n", "value": 'é "event":{', "metadata": {"k": 1}},
    {"type": "CUSTOM", "name": "n", "value": {"é": '"event":{'}},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": None},
    {"type": "TEXT_MESSAGE_CONTENT", "message_id": "m", "delta": "x"},
]
CHOICES = st.fixed_dictionaries(
    {
        "thread": st.sampled_from("ab"),
        "seq": st.none() | st.integers(0, 6),
        "delta": st.text(max_size=3),
        "target": st.sampled_from("mn"),
        "run": st.sampled_from("rs"),
    },
    optional={
        "userId": st.sampled_from("uv"),
        "tenantId": st.sampled_from("xy"),
        "input": st.just({"messages": []}),
        "unknown": st.just({"a": 1}),
        "event": st.sampled_from(EVENTS),
        "eventId": st.sampled_from("ef"),
        "type": st.none(),
    },
)


@given(st.lists(CHOICES, max_size=20))
def test_joined_or_not_the_deltas_are_the_same(choices):
    values = [line(**choice) for choice in choices]
    hot, slow = read(values), one_by_one(values)
    assert pieces(hot) == pieces(slow)
    assert sum(record.count for record in hot) == len(slow)
    assert sum(record.size for record in hot) == sum(record.size for record in slow)

import io
import json

import pytest

from schemas.records import Attachment, DeadLetter, Owner, Record, Source
from schemas.shipments import ReadCounts
from transforms.decode.objects import decode_batches
from transforms.segments import builder as module
from transforms.segments.builder import SegmentBuilder
from transforms.segments.ordering import Placed, order_items
from transforms.segments.parsing import ParsedItems
from transforms.segments.rawpolicy import RawChoice, RawPolicy
from transforms.segments.shipping import Shipper, segment_of, unpack


def delta(text, seq=None, run="r", target="m", thread="t", **around):
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": target, "delta": text}
    return {"threadId": thread, "runId": run, **({} if seq is None else {"seq": seq}), **around, "event": event}


def segments(*values):
    source = Source("log", 0)
    builder = SegmentBuilder(source, RawPolicy(RawChoice.DROP), (5, "path"))
    data = "".join(json.dumps(value) + "\n" for value in values).encode()
    found = []
    for batch in decode_batches(io.BytesIO(data), source):
        found += builder.add_all(batch)[0]
    return [*found, *builder.finish()]


def items(*values):
    [segment] = segments(*values)
    return [(item.text, item.count, item.cuts) for item in segment.items]


def test_neighbours_are_joined():
    assert items(delta("a", 0), delta("bc", 1), delta("d", 2)) == [("abcd", 3, [1, 2, 1])]


@pytest.mark.parametrize("other", [{"seq": 2}, {"run": "s"}, {"target": "n"}, {"eventId": "e"}])
def test_what_is_no_neighbour_is_not_joined(other):
    assert [count for _, count, _ in items(delta("a", 0), delta("b", **({"seq": 1} | other)))] == [1, 1]


def test_what_came_with_a_record_parts_it_from_the_one_before():
    owner, held = Owner(), Attachment(created_us=1)
    records = [
        Record(
            "t", "r", "TEXT_MESSAGE_CONTENT", place, 9, owner, "m", "a", seq=place, attachment=held if place else None
        )
        for place in range(2)
    ]
    builder = SegmentBuilder(Source("log", 0), RawPolicy(RawChoice.DROP), (5, "path"))
    builder.add_all(records)
    [segment] = builder.finish()
    assert [(item.count, item.attachment) for item in segment.items] == [(1, None), (1, held)]


def test_an_event_between_parts_what_has_no_seq():
    end = {"threadId": "t", "runId": "r", "event": {"type": "TEXT_MESSAGE_END", "messageId": "m"}}
    assert [text for text, _, _ in items(delta("a"), end, delta("b"))] == ["a", None, "b"]


def test_owners_are_kept_apart():
    found = segments(delta("a", 0, userId="u"), delta("b", 1, userId="v"), delta("c", 2, userId="u"))
    assert [(part.owner.user_id, [item.text for item in part.items]) for part in found] == [
        ("u", ["a", "c"]),
        ("v", ["b"]),
    ]


def test_a_thread_that_grows_is_cut(monkeypatch):
    monkeypatch.setattr(module, "MAX_SEGMENT_BYTES", 150)
    found = segments(*(delta("x" * 60, seq, target=f"m{seq}") for seq in range(5)))
    assert len(found) > 1
    assert [item.seq for part in found for item in part.items] == list(range(5))


def test_one_message_that_grows_is_cut_too(monkeypatch):
    monkeypatch.setattr(module, "MAX_SEGMENT_BYTES", 1000)
    found = segments(*(delta("x" * 90, seq) for seq in range(30)))
    assert max(len(item.text) for part in found for item in part.items) <= 1000
    [whole] = order_items(found).items
    assert (whole.item.text, whole.item.count) == ("x" * 2700, 30)


@pytest.mark.parametrize("place", ["event", "envelope"])
def test_messages_count_towards_the_cut(monkeypatch, place):
    monkeypatch.setattr(module, "MAX_SEGMENT_BYTES", 1000)
    values = []
    for number in range(9):
        given = {"messages": [{"id": f"u{number}", "role": "user", "content": "x" * 700}]}
        start = {"type": "RUN_STARTED", "threadId": "t", "runId": f"r{number}"}
        holder = start if place == "event" else {}
        holder["input"] = given
        around = {} if place == "event" else holder
        values.append({"threadId": "t", "runId": f"r{number}", "seq": number, **around, "event": start})
    assert all(sum(map(len, part.messages)) < 2000 for part in segments(*values))


def test_messages_that_inputs_repeat_are_held_once():
    user = {"id": "u", "role": "user", "content": "hi"}
    start = {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": {"messages": [user, user], "state": 1}}
    [segment] = segments(*({"threadId": "t", "runId": "r", "event": start} for _ in range(3)))
    assert segment.messages == [json.dumps(user).encode()]
    assert [item.refs for item in segment.items] == [[0, 0]] * 3


@pytest.mark.parametrize("target", ["m", "\ud83d"])
def test_half_a_surrogate_pair_travels(target):
    [segment] = segments(*(delta(text, seq, target=target) for seq, text in enumerate(("\ud83d", "\ude00", "!"))))
    events = [ParsedItems().event(Placed(item, segment)) for item in segment.items]
    assert [(event["messageId"], event["delta"]) for event in events] == [(target, text) for text in "\ud83d\ude00!"]
    shipper = Shipper("log", 0, "2026-01-01")
    sent = [*shipper.ship(segment), *shipper.ship_letter(DeadLetter("log", 0, 1, "torn", "", "decode"))]
    sent += shipper.finish(ReadCounts(1, 4, 99))
    shipments = [unpack(packed) for _, packed in sent]
    assert [segment_of(parcel) for one in shipments for parcel in one.parcels] == [segment]
    assert [dated.letter.reason for one in shipments for dated in one.letters] == ["torn"]
    assert [one.counts.records for one in shipments] == [4]

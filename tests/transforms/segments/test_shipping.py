import random

import pytest

from schemas.records import Attachment, DeadLetter, Owner
from schemas.segments import Item, Segment
from schemas.shipments import ReadCounts
from transforms.bucket import bucket_of
from transforms.segments import shipping as module
from transforms.segments.shipping import Shipper, segment_of, unpack

LETTER = DeadLetter("log", 3, 9, "torn", "in a string", "decode", "t", None)


def segment(thread, text="x", tenant=""):
    items = [
        Item("TEXT_MESSAGE_CONTENT", "r", 0, 9, 4, target="m", text=text, count=2, cuts=[0, len(text)]),
        Item("RUN_STARTED", None, 9, 9, event=b"{}", refs=[0, 0], usage=b"[]", attachment=Attachment(input=b"{}")),
    ]
    return Segment(thread, Owner(tenant, "u", None), "log", 2, 0, 9, items, [b'"\\ud83d"'], 5, "path")


def shipped(segments, letters=(), bits=3):
    shipper = Shipper("log", bits, "2026-01-01")
    sent = [one for part in segments for one in shipper.ship(part)]
    sent += [one for letter in letters for one in shipper.ship_letter(letter)]
    sent += shipper.finish(ReadCounts(1, 2, 3))
    return [(bucket, unpack(packed)) for bucket, packed in sent]


def test_every_segment_arrives_whole_in_the_bucket_of_its_thread():
    segments = [segment(f"t{number}", tenant=tenant) for number in range(20) for tenant in ("", "acme")]
    arrived = [(bucket, segment_of(parcel)) for bucket, one in shipped(segments) for parcel in one.parcels]
    assert all(bucket == bucket_of(part.owner.tenant_id, part.thread_id, 3) for bucket, part in arrived)
    key = lambda part: (part.thread_id, part.owner.tenant_id)  # noqa: E731 - short
    assert sorted((part for _, part in arrived), key=key) == sorted(segments, key=key)


def test_a_parcel_names_its_thread():
    [(_, one)] = shipped([segment("t", tenant="acme")], bits=0)
    assert [(parcel.tenant_id, parcel.thread_id) for parcel in one.parcels] == [("acme", "t")]


def test_letters_and_counts_go_to_the_bucket_of_the_object():
    sent = shipped([segment(f"t{number}") for number in range(20)], [LETTER])
    home = bucket_of("", "log", 3)
    assert {bucket: one.letters[0].letter for bucket, one in sent if one.letters} == {home: LETTER}
    assert [(bucket, one.counts) for bucket, one in sent if one.counts.records] == [(home, ReadCounts(1, 2, 3))]


@pytest.mark.parametrize("limit", [1, 500, 1 << 20])
def test_a_full_shipment_goes_at_once_and_counts_come_once(monkeypatch, limit):
    monkeypatch.setattr(module, "MAX_SHIPMENT_BYTES", limit)
    rng = random.Random(1)
    segments = [segment(f"t{number}", "x" * rng.randrange(200)) for number in range(10)]
    sent = shipped(segments, bits=0)
    arrived = [segment_of(parcel) for _, one in sent for parcel in one.parcels]
    assert arrived == segments
    assert sum(one.counts.records for _, one in sent) == 2
    assert (len(sent) == 1) == (limit == 1 << 20)

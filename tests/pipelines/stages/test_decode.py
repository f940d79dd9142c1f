"""Objects become shipments: every record in one, every dead letter in one, the counts of an object once."""

import gc

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, is_not_empty

from pipelines.stages import decode
from pipelines.stages.collector import collector_paused
from pipelines.stages.decode import DecodeObjects
from schemas.errors import InputError
from schemas.lake import Plan
from schemas.records import Source
from transforms.bucket import bucket_of
from transforms.segments.shipping import segment_of, unpack


def check(shipments):
    """Fail unless these are the shipments of the plan's two objects."""
    opened = [(bucket, unpack(packed)) for bucket, packed in shipments]
    parcels = sorted((parcel.thread_id, bucket) for bucket, one in opened for parcel in one.parcels)
    assert parcels == sorted((thread, bucket_of("", thread, 1)) for thread in ("a", "a", "b"))
    segments = [segment_of(parcel) for _, one in opened for parcel in one.parcels]
    assert {segment.fallback_source for segment in segments} == {"object"}
    letters = [dated for _, one in opened for dated in one.letters]
    assert sorted((dated.letter.reason, dated.day) for dated in letters) == [
        ("not_json", "2025-12-01"),
        ("torn", "2025-12-01"),
    ]
    assert sum(one.counts.records for _, one in opened) == 5
    assert sum(one.counts.objects for _, one in opened) == 2


def test_every_record_is_shipped_or_a_dead_letter(pipeline, counted, plan):
    shipments = pipeline | beam.Create(plan.sources) | DecodeObjects(plan)
    assert_that(shipments, check)
    assert counted(pipeline) == {
        ("decode", "ok"): 3,
        ("decode", "dead"): 2,
        ("decode", "bytes"): sum(source.size for source in plan.sources),
    }


def test_an_empty_object_is_an_object(pipeline, counted, tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    plan = Plan("n", 1, 0, [Source(str(empty), 0, 0, empty.stat().st_mtime_ns // 1000)], "drop", "off", "0")
    shipments = pipeline | beam.Create(plan.sources) | DecodeObjects(plan)
    assert_that(shipments, is_not_empty())
    assert counted(pipeline) == {}


def test_an_object_that_went_away_is_named(pipeline, tmp_path):
    plan = Plan("n", 1, 0, [Source(f"{tmp_path}/gone", 0)], "drop", "off", "0")
    _ = pipeline | beam.Create(plan.sources) | DecodeObjects(plan)
    with pytest.raises(InputError, match=r"gone: not found"):
        pipeline.run()


def test_the_collector_rests_while_reading_and_not_after(plan, monkeypatch):
    was_on = []
    monkeypatch.setattr(decode, "object_rows", lambda _: was_on.append(gc.isenabled()) or [])
    assert list(decode._Decode(plan).process(plan.sources[0]))
    assert was_on == [False]
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    with collector_paused(), pytest.raises(KeyError), collector_paused():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()

"""Shipments become the rows of their bucket, in whichever order they come."""

from itertools import permutations

import apache_beam as beam
from apache_beam.testing.util import assert_that
from msgspec.structs import replace

from pipelines.io.parquet import read_parquet
from pipelines.stages.compact import CompactThreads, _Compact
from pipelines.stages.decode import DecodeObjects, _Decode


def check(buckets):
    """Fail unless these are the rows of the plan's threads."""
    totals = [made.totals for _, made in buckets]
    assert sum(one.threads for one in totals) == 2
    assert sum(one.runs for one in totals) == 2
    assert sum(one.records for one in totals) == 5
    assert sum(one.events_in for one in totals) == 3
    files = [file for _, made in buckets for file in made.files]
    assert all(file.rows for file in files)
    runs = [row for file in files if file.table == "runs" for row in read_parquet(file.payload).to_pylist()]
    assert sorted((row["thread_id"], row["status"]) for row in runs) == [("a", "finished"), ("b", "abandoned")]
    assert sum(file.rows for file in files if file.table == "dead_letters") == 2


def test_threads_meet_across_objects(pipeline, counted, plan, tmp_path):
    rows = pipeline | beam.Create(plan.sources) | DecodeObjects(plan) | CompactThreads(str(tmp_path), plan)
    assert_that(rows, check)
    found = counted(pipeline)
    assert {key: count for key, count in found.items() if key[0] == "compact"} == {("compact", "ok"): 2}


def test_the_order_of_shipments_does_not_matter(plan, tmp_path):
    plan = replace(plan, bucket_bits=0)
    shipments = [packed for source in plan.sources for _, packed in _Decode(plan).process(source)]
    compact = _Compact(str(tmp_path), plan)
    found = []
    for order in permutations(shipments):
        [(_, made)] = compact.process((0, order))
        found.append(made.files)
    assert len(found) == 2
    assert found[0] == found[1]

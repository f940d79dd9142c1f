from random import Random

import pytest

from pipelines.io.parquet import ParquetBuilder, read_parquet
from schemas.records import DeadLetter
from schemas.shipments import DatedLetter, ReadCounts
from schemas.tables import TABLES
from tests.threads import MOMENT_MS, lines_of, random_log, segments_of
from transforms.decode.times import day_of
from transforms.runs.bucket_rows import BucketRows
from transforms.runs.thread import Compaction, CompactOptions

DAY_US = 86_400_000_000


def bucket_rows(night="n"):
    return BucketRows((night, 0), ParquetBuilder)


def compaction(*objects):
    return Compaction(segments_of(objects), CompactOptions())


def letter(offset, uri="log", reason="torn"):
    return DeadLetter(uri, offset, 9, reason, "", "decode")


def tables_of(bucket):
    return {(one.table, one.day): read_parquet(one.payload) for one in bucket.files().files}


@pytest.mark.parametrize("seed", range(40))
def test_events_dead_letters_and_duplicates_are_all_records(seed):
    rng, lines = Random(seed), lines_of(random_log(seed))
    again = [rng.choice(lines) for _ in range(rng.randrange(5))] if lines else []
    other = [line.replace(b'"delta":"a"', b'"delta":"Z"') for line in lines[:4]]
    objects = [part for part in (lines, sorted(set(again)), other) if part]
    bucket = bucket_rows()
    for part in objects:
        bucket.add_counts(ReadCounts(1, len(part), 7))
    bucket.add_letters([DatedLetter("2026-01-01", letter(0))])
    bucket.add_counts(ReadCounts(0, 1, 0))
    if objects:
        bucket.add_thread(compaction(*objects), {})
    totals = bucket.totals
    assert totals.events_in + sum(totals.dead_letters.values()) + totals.duplicates == totals.records
    assert (totals.objects, totals.bytes_in) == (len(objects), 7 * len(objects))


def test_rows_lie_under_the_day_that_their_run_ended():
    lines = lines_of([("r", {"type": "STATE_SNAPSHOT", "snapshot": 1}), ("r", {"type": "CUSTOM"})])
    bucket, day = bucket_rows(), day_of(MOMENT_MS * 1_000)
    assert bucket.add_thread(compaction(lines), {}) == 1
    assert [*tables_of(bucket)] == [("events", day), ("runs", day), ("states", day)]


def test_dead_letters_lie_under_the_day_of_their_object_in_order():
    bucket = bucket_rows("night-1")
    found = [
        ("2026-01-02", letter(5)),
        ("2026-01-01", letter(9)),
        ("2026-01-01", letter(2)),
        ("2026-01-01", letter(0, "a")),
    ]
    bucket.add_letters(DatedLetter(day, one) for day, one in found)
    tables = tables_of(bucket)
    assert [*tables] == [("dead_letters", "2026-01-01"), ("dead_letters", "2026-01-02")]
    rows = tables["dead_letters", "2026-01-01"].to_pylist()
    assert [(row["uri"], row["offset"], row["night"]) for row in rows] == [
        ("a", 0, "night-1"),
        ("log", 2, "night-1"),
        ("log", 9, "night-1"),
    ]


def test_a_threads_dead_letters_get_the_day_of_their_object():
    lines = lines_of([("r", {"type": "CUSTOM", "name": "a"})])
    thread = compaction(lines, [lines[0].replace(b'"a"', b'"b"')])
    bucket = bucket_rows()
    bucket.add_thread(thread, {"object-1": "2026-05-05"})
    assert ("dead_letters", "2026-05-05") in tables_of(bucket)
    assert bucket.totals.dead_letters == {"seq_conflict": 1}


def test_branches_are_the_runs_without_a_child():
    def run(name, **more):
        keys = {"threadId": "t", "runId": name}
        return [(name, {"type": "RUN_STARTED", **keys, **more}), (name, {"type": "RUN_FINISHED", **keys})]

    bucket = bucket_rows()
    lines = lines_of([*run("a"), *run("b", parentRunId="a"), *run("c", parentRunId="a")])
    bucket.add_thread(compaction(lines), {})
    assert (bucket.totals.threads, bucket.totals.runs, bucket.totals.branches) == (1, 3, 2)
    assert bucket.totals.runs_without_user_message == 3


def test_every_table_has_its_schema_and_none_is_empty():
    bucket = bucket_rows()
    for seed in range(10):
        bucket.add_thread(compaction(lines_of(random_log(seed))), {})
    made = bucket.files()
    assert made.totals.bytes_out == sum(len(one.payload) for one in made.files)
    for one in made.files:
        table = read_parquet(one.payload)
        assert table.schema.equals(TABLES[one.table].schema())
        assert table.schema.metadata == TABLES[one.table].schema().metadata
        assert table.num_rows == one.rows > 0


@pytest.mark.parametrize(("moment", "day"), [(None, "1970-01-01"), (-1, "1969-12-31"), (DAY_US, "1970-01-02")])
def test_a_day_is_utc(moment, day):
    assert day_of(moment) == day

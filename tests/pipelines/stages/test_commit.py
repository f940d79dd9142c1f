"""Reports become one commit, whatever order they come in, even none."""

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from pipelines.io.lake import Lake
from pipelines.stages.commit import CommitNight, _Commit
from pipelines.stages.write import BucketReport
from schemas.lake import FileEntry, Totals


@pytest.fixture
def lake(tmp_path):
    return Lake.create_or_open(str(tmp_path / "lake"))


def report(bucket, **totals):
    path = Lake.path_of("runs", "2026-12-01", "n", bucket)
    return BucketReport([FileEntry(path, "runs", "2026-12-01", bucket, 1, 2, "00")], [], [], Totals(**totals))


def test_the_night_is_seen_when_all_reports_are_in(pipeline, counted, plan, lake):
    reports = [report(1, runs=2, violations={"b": 1}), report(0, runs=3, violations={"a": 1, "b": 2})]
    assert_that(pipeline | beam.Create(reports) | CommitNight(lake.place, plan), equal_to(["n"]))
    assert counted(pipeline) == {("commit", "ok"): 1}
    [commit] = lake.commits()
    assert [file.bucket for file in commit.files] == [0, 1]
    assert (commit.totals.runs, list(commit.totals.violations.items())) == (5, [("a", 1), ("b", 3)])


def test_a_night_without_a_record_is_a_night(pipeline, counted, plan, lake):
    none = pipeline | beam.Create([]).with_output_types(BucketReport)
    assert_that(none | CommitNight(lake.place, plan), equal_to(["n"]))
    counted(pipeline)
    assert [commit.files for commit in lake.commits()] == [[]]


def test_the_order_of_reports_does_not_show(plan, lake):
    reports = [report(0, dead_letters={"torn": 1}), report(1, dead_letters={"no_type": 2})]
    written = []
    for order in (reports, reports[::-1]):
        assert list(_Commit(lake.place, plan).process(order)) == ["n"]
        written.append(lake.store.read("_commits/n.json"))
    assert written[0] == written[1]

"""A request becomes a plan: the same for the same objects, absolute, and apart from its lake."""

import argparse
import os

import pytest

from pipelines.io.lake import Lake
from pipelines.planning import CompactRequest, is_written, make_plan, request_of
from schemas.errors import ConfigError, InputError, LakeError
from schemas.lake import Commit, Totals
from schemas.tables import FORMAT


@pytest.fixture
def logs(tmp_path):
    for name in ("acme/support/part-10.jsonl", "acme/support/part-2.jsonl", "beta/sales/2026/t-1.jsonl.gz"):
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
        os.utime(path, (1, 1))
    return tmp_path / "logs"


def request(*inputs, lake="/lakes/l", **options):
    return CompactRequest(tuple(map(str, inputs)), lake, **options)


def test_the_same_objects_give_the_same_plan(logs):
    assert make_plan(request(logs)) == make_plan(request(logs / "beta", logs / "acme"))


def test_objects_are_in_natural_order(logs):
    names = [source.uri.rpartition("/")[2] for source in make_plan(request(logs)).sources]
    assert names == ["part-2.jsonl", "part-10.jsonl", "t-1.jsonl.gz"]


def test_whatever_changes_the_lake_changes_the_night(logs):
    nights = {make_plan(request(logs, **options)).night for options in ({}, {"raw_policy": "keep"}, {"bucket_bits": 2})}
    os.utime(logs / "acme/support/part-2.jsonl", (2, 2))
    nights.add(make_plan(request(logs)).night)
    assert len(nights) == 4


def test_places_are_absolute(logs, monkeypatch):
    monkeypatch.chdir(logs.parent)
    args = argparse.Namespace(
        inputs=["logs"],
        lake="lake",
        path_pattern=None,
        raw="drop",
        redact="off",
        bucket_bits=None,
        lookback=14,
        allow_gap=False,
    )
    made = request_of(args)
    assert made.lake == str(logs.parent / "lake")
    assert all(os.path.isabs(source.uri) for source in make_plan(made).sources)  # noqa: PTH117 - a key, no path


@pytest.mark.parametrize("start", ["", "*", "**/*.jsonl*"])
def test_a_pattern_that_can_begin_anywhere_begins_at_the_searched_folder(logs, start):
    plan = make_plan(request(logs / start, path_pattern="{tenant_id}/{agent_id}/…/{thread_id}.jsonl"))
    assert [source.fields for source in plan.sources] == [
        {"tenant_id": "acme", "agent_id": "support", "thread_id": "part-2"},
        {"tenant_id": "acme", "agent_id": "support", "thread_id": "part-10"},
        {"tenant_id": "beta", "agent_id": "sales", "thread_id": "t-1"},
    ]


def test_files_that_the_shell_named_tell_no_beginning(logs):
    with pytest.raises(InputError, match="begins at the searched folder"):
        make_plan(request(logs / "acme/support/part-2.jsonl", path_pattern="{tenant_id}/…/{thread_id}.jsonl"))


def test_a_pattern_of_the_end_needs_no_beginning(logs):
    plan = make_plan(request(logs / "acme/support", path_pattern="{tenant_id}/{agent_id}/{thread_id}.jsonl"))
    assert {source.fields["tenant_id"] for source in plan.sources} == {"acme"}


def test_buckets_grow_with_the_inputs(logs):
    assert make_plan(request(logs)).bucket_bits == 0
    with (logs / "large.jsonl").open("wb") as file:
        file.truncate(20 << 30)
    assert make_plan(request(logs)).bucket_bits == 4


@pytest.mark.parametrize(
    ("start", "lake"), [("", "lake"), ("", ""), ("**", "a/lake"), ("*", "lake"), ("acme", "acme/deep/er/lake")]
)
def test_a_lake_that_an_input_takes_in_is_refused(logs, start, lake):
    with pytest.raises(InputError, match="inside of this input"):
        make_plan(request(logs / start, lake=str(logs / lake).rstrip("/")))


@pytest.mark.parametrize(("start", "lake"), [("*/*/*.jsonl", "lake"), ("acme", "lake"), ("acme", "acme-lake")])
def test_a_lake_beside_the_inputs_is_none_of_them(logs, start, lake):
    assert make_plan(request(logs / start, lake=str(logs / lake))).sources


def test_a_file_of_the_lake_is_no_input(logs):
    Lake.create_or_open(str(logs / "lake"))
    with pytest.raises(InputError, match="inside of this input"):
        make_plan(request(logs / "lake" / "_lake.json", lake=str(logs / "lake")))


def test_an_empty_lake_s_name_is_refused():
    with pytest.raises(ConfigError, match="--lake is empty"):
        request_of(argparse.Namespace(inputs=["x"], lake=""))


def test_a_lake_is_looked_at_and_not_touched(logs, tmp_path):
    plan = make_plan(request(logs))
    place = str(tmp_path / "lake")
    assert not is_written(place, plan)
    assert not (tmp_path / "lake").exists()
    lake = Lake.create_or_open(place)
    assert not is_written(place, plan)
    lake.write_commit(Commit(plan.night, FORMAT, 0, [], Totals(), "0"))
    assert is_written(place, plan)
    with pytest.raises(LakeError, match="of other inputs"):
        is_written(place, make_plan(request(logs / "acme")))

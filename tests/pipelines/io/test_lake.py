import pickle

import msgspec
import pytest

from pipelines.io.lake import Lake
from schemas.errors import LakeError
from schemas.lake import Commit, FileEntry, Plan, Totals
from schemas.records import Source
from schemas.tables import FORMAT


def commit(night: str, *files: FileEntry, version: int = FORMAT) -> Commit:
    return Commit(night, version, 2, list(files), Totals(runs=1, violations={"x": 1}), "0.1")


def entry(table: str, day: str, night: str) -> FileEntry:
    return FileEntry(Lake.path_of(table, day, night, 1), table, day, 1, 3, 100, "00")


@pytest.fixture(params=["disk", "s3"])
def place(request, tmp_path) -> str:
    return f"{tmp_path}/new/la[k]e #1?" if request.param == "disk" else f"{request.getfixturevalue('s3')}/a b/lake"


def test_a_lake_is_made_once_and_opened_after(place):
    with pytest.raises(LakeError, match="no lake there"):
        Lake.open(place)
    lake = Lake.create_or_open(place)
    assert lake == Lake.create_or_open(place) == Lake.open(place)
    assert lake.store.list() == ["_lake.json"]
    assert lake.commits() == []
    assert lake.files("runs") == []


def test_plans_and_commits_come_back_as_they_were(place):
    lake = Lake.create_or_open(place)
    plan = Plan("2026-11-30", FORMAT, 2, [Source("s3://b/ü.jsonl", 0, 3, 4, {"tenant_id": "a"})], "drop", "off", "0.1")
    assert not lake.has_plan("2026-11-30")
    lake.write_plan(plan)
    assert lake.has_plan("2026-11-30")
    assert lake.read_plan("2026-11-30") == plan
    assert lake.commits() == []
    commits = [commit("2026-11-30"), commit("2026-12-01")]
    for each in reversed(commits):
        lake.write_commit(each)
    assert lake.commits() == commits
    assert lake.nights() == ["2026-11-30", "2026-12-01"]


def test_files_are_those_of_the_commits(place):
    lake = Lake.create_or_open(place)
    files = [entry("runs", "2026-11-29", "n1"), entry("runs", "2026-11-28", "n1"), entry("usage", "2026-11-29", "n1")]
    lake.store.write(Lake.path_of("runs", "2026-11-29", "uncommitted", 0), b"x")
    lake.write_commit(commit("n1", *files))
    lake.write_commit(commit("n2", entry("runs", "2026-11-29", "n2")))
    assert [file.path for file in lake.files("runs")] == [
        "runs/dt=2026-11-28/n1-bucket-001.parquet",
        "runs/dt=2026-11-29/n1-bucket-001.parquet",
        "runs/dt=2026-11-29/n2-bucket-001.parquet",
    ]
    assert [file.day for file in lake.files("runs", {"2026-11-28"})] == ["2026-11-28"]


def test_a_lake_travels_to_a_worker(tmp_path):
    lake = Lake.create_or_open(str(tmp_path))
    assert pickle.loads(pickle.dumps(lake)) == lake  # noqa: S301 - our own bytes


@pytest.mark.parametrize("opening", [Lake.open, Lake.create_or_open])
def test_a_newer_format_is_refused_and_nothing_written(tmp_path, opening):
    mark = b'{"format":%d,"of":"tomorrow"}' % (FORMAT + 1)
    (tmp_path / "_lake.json").write_bytes(mark)
    with pytest.raises(LakeError, match=f"format {FORMAT + 1}, this version reads up to {FORMAT}; upgrade"):
        opening(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["_lake.json"]
    assert (tmp_path / "_lake.json").read_bytes() == mark


def test_a_commit_of_a_newer_format_is_refused(tmp_path):
    lake = Lake.create_or_open(str(tmp_path))
    lake.write_commit(commit("n", version=FORMAT + 1))
    with pytest.raises(LakeError, match="upgrade"):
        lake.commits()


def test_a_key_that_a_later_version_adds_is_read_over(tmp_path):
    lake = Lake.create_or_open(str(tmp_path))
    stored = msgspec.to_builtins(commit("n")) | {"later": 1}
    lake.store.write("_commits/n.json", msgspec.json.encode(stored))
    assert lake.commits() == [commit("n")]


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(LakeError, match="is no lake"):
        Lake.create_or_open(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_prefix_of_something_else_is_refused(s3):
    import s3fs

    s3fs.S3FileSystem().pipe_file(f"{s3}/x/thesis.txt", b"x")
    with pytest.raises(LakeError, match="is no lake"):
        Lake.create_or_open(f"{s3}/x")
    Lake.create_or_open(f"{s3}/xy")


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(LakeError, match="file/lake"):
        Lake.create_or_open(f"{tmp_path}/file/lake")


@pytest.mark.parametrize("damage", [b"", b"{", b'{"format":"x"}', b"[]"])
def test_a_damaged_mark_is_named(tmp_path, damage):
    (tmp_path / "_lake.json").write_bytes(damage)
    with pytest.raises(LakeError, match=r"_lake\.json: damaged"):
        Lake.open(str(tmp_path))


@pytest.mark.parametrize("night", ["", "../x", "a/b", ".n", "n.plan", "a b"])
def test_a_night_s_name_is_no_path(tmp_path, night):
    lake = Lake.create_or_open(str(tmp_path))
    with pytest.raises(LakeError, match="no name for a night"):
        lake.write_commit(commit(night))

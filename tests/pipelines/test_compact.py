"""The job, from raw objects on a disk to rows that answer and replay."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import zstandard

from pipelines.io.lake import Lake
from pipelines.io.parquet import read_parquet
from schemas.tables import TABLES
from tests.lakes import VIEW_TABLES, payloads

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "raw"
    command = [sys.executable, "-m", "pipelines", "sample", "--threads", "8", "--seed", "3", "--out", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def summary_of(threadlake, *words):
    status, out, err = threadlake("compact", *words, "--json")
    assert status in (0, 1), err
    return json.loads(out)


def rows(lake, table):
    found = [read_parquet(lake.store.read(file.path)) for file in lake.files(table)]
    return sorted(str(row) for one in found for row in one.to_pylist())


def lines_of(folder):
    return [line for path in sorted(folder.rglob("*.ndjson")) for line in path.read_bytes().splitlines(keepends=True)]


def test_every_record_is_accounted_for(threadlake, raw, tmp_path):
    found = summary_of(threadlake, raw, "--lake", tmp_path / "lake")
    assert found["records"] == found["events_in"] + found["duplicates"] + sum(found["dead_letters"].values())
    assert found["records"] == len(lines_of(raw))
    assert (found["dead_letters"], found["verbatim_runs"]) == ({"torn": 1}, 0)
    assert found["duplicates"] > 0


def test_the_same_plan_gives_the_same_lake(threadlake, raw, tmp_path):
    lake = tmp_path / "lake"
    first = summary_of(threadlake, raw, "--lake", lake)
    before = {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()}
    known = summary_of(threadlake, raw, "--lake", lake)
    assert {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()} == before
    assert known == first | {"was_written": True, "seconds": known["seconds"]}
    again = summary_of(threadlake, raw, "--lake", lake, "--again")
    for path, payload in before.items():
        assert path.parent.name == "_lease" or path.read_bytes() == payload
    assert again == first | {"seconds": again["seconds"]}


@pytest.mark.parametrize("pieces", [1, 16])
def test_the_cut_into_files_does_not_show(threadlake, raw, tmp_path, pieces):
    lines = [line for line in lines_of(raw) if line.endswith(b"}\n")]
    random.Random(1).shuffle(lines)
    cut = tmp_path / "cut"
    cut.mkdir()
    for piece in range(pieces):
        (cut / f"part-{piece}.ndjson").write_bytes(b"".join(lines[piece::pieces]))
    summary_of(threadlake, raw, "--lake", tmp_path / "one")
    summary_of(threadlake, cut, "--lake", tmp_path / "two")
    assert payloads(Lake.open(str(tmp_path / "two"))) == payloads(Lake.open(str(tmp_path / "one")))


def test_buckets_hold_the_same_rows(threadlake, raw, tmp_path):
    summary_of(threadlake, raw, "--lake", tmp_path / "one")
    summary_of(threadlake, raw, "--lake", tmp_path / "eight", "--bucket-bits", "3")
    one, eight = Lake.open(str(tmp_path / "one")), Lake.open(str(tmp_path / "eight"))
    assert {file.bucket for file in eight.files("runs")} > {0}
    assert all(rows(one, table) == rows(eight, table) for table in VIEW_TABLES)


def test_two_workers_give_the_same_bytes(threadlake, raw, tmp_path):
    summary_of(threadlake, raw, "--lake", tmp_path / "one")
    several = ["--direct_num_workers", "2", "--direct_running_mode", "multi_processing"]
    command = [sys.executable, "-m", "pipelines", "compact", raw, "--lake", tmp_path / "two", "--json", *several]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done.stderr
    assert payloads(Lake.open(str(tmp_path / "two"))) == payloads(Lake.open(str(tmp_path / "one")))


def test_compressed_objects_are_read(threadlake, raw, tmp_path):
    packed = tmp_path / "packed"
    packed.mkdir()
    for number, path in enumerate(sorted(raw.rglob("*.ndjson"))):
        data = path.read_bytes()
        squeezed = gzip.compress(data) if number % 2 else zstandard.compress(data)
        (packed / f"{number}-no-ending").write_bytes(squeezed)
    summary_of(threadlake, raw, "--lake", tmp_path / "one")
    summary_of(threadlake, packed, "--lake", tmp_path / "two")
    assert payloads(Lake.open(str(tmp_path / "two"))) == payloads(Lake.open(str(tmp_path / "one")))


def test_a_plain_glob_reads_each_run_once(threadlake, raw, tmp_path):
    found = summary_of(threadlake, raw, "--lake", tmp_path / "lake", "--bucket-bits", "1")
    query = "SELECT count(*), count(DISTINCT (tenant_id, thread_id, run)) FROM read_parquet(?, union_by_name = true)"
    assert duckdb.execute(query, [f"{tmp_path}/lake/runs/*/*.parquet"]).fetchall() == [(found["runs"],) * 2]
    assert all(file.rows > 0 for table in TABLES for file in Lake.open(str(tmp_path / "lake")).files(table))


def test_what_a_crashed_attempt_left_is_swept(threadlake, raw, envelopes, tmp_path):
    lake = tmp_path / "lake"
    other = envelopes("other/log.ndjson", [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})])
    summary_of(threadlake, other, "--lake", lake)
    [commit] = [path for path in (lake / "_commits").iterdir() if not path.name.endswith(".plan.json")]
    commit.unlink()
    summary_of(threadlake, raw, "--lake", lake)
    listed = {file.path for table in TABLES for file in Lake.open(str(lake)).files(table)}
    assert {str(path.relative_to(lake)) for path in lake.rglob("*.parquet")} == listed


def test_other_inputs_are_refused(threadlake, raw, envelopes, tmp_path):
    other = envelopes("other/log.ndjson", [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})])
    summary_of(threadlake, raw, "--lake", tmp_path / "lake")
    before = sorted(path for path in (tmp_path / "lake").rglob("*"))
    status, out, err = threadlake("compact", other, "--lake", tmp_path / "lake")
    assert (status, out) == (2, "")
    assert "other inputs" in err
    assert sorted(path for path in (tmp_path / "lake").rglob("*")) == before


def test_a_day_comes_from_the_path_before_the_clock(threadlake, envelopes, tmp_path):
    path = envelopes("dt=2025-03-04/log.ndjson", [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})])
    path.write_text('{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n{"type":"RUN_FINISHED"}\nnot json\n')
    summary_of(threadlake, path, "--lake", tmp_path / "lake")
    lake = Lake.open(str(tmp_path / "lake"))
    assert {file.day for table in TABLES for file in lake.files(table)} == {"2025-03-04"}


def test_python_m_is_the_same_command(raw, tmp_path):
    command = [sys.executable, "-m", "pipelines", "compact", str(raw), "--lake", "lake", "--json"]
    lean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=lean, capture_output=True, text=True, check=False, timeout=120)
    assert json.loads(done.stdout)["threads"] >= 8
    assert (done.returncode, done.stderr) == (1, "")


def test_object_storage_is_a_place_like_any_other(threadlake, raw, s3, tmp_path):
    import fsspec

    fs, key = fsspec.url_to_fs(s3)
    for path in raw.rglob("*.ndjson"):
        fs.put_file(str(path), f"{key}/raw/{path.relative_to(raw)}")
    summary_of(threadlake, raw, "--lake", tmp_path / "lake")
    summary_of(threadlake, f"{s3}/raw", "--lake", f"{s3}/lake")
    assert payloads(Lake.open(f"{s3}/lake")) == payloads(Lake.open(str(tmp_path / "lake")))
    status, out, _ = threadlake("replay", "--lake", f"{s3}/lake", "--thread", "thread-tour")
    assert (status, out) == threadlake("replay", "--lake", tmp_path / "lake", "--thread", "thread-tour")[:2]


def test_a_real_log_of_many_agents_is_read(threadlake, shared, tmp_path):
    found = summary_of(threadlake, shared / "data" / "captures", "--lake", tmp_path / "lake")
    assert found["records"] == found["events_in"] + found["duplicates"] + sum(found["dead_letters"].values())
    assert found["verbatim_runs"] == 0
    shutil.rmtree(tmp_path / "lake")

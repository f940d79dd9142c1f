"""The laws of compaction, through the whole job: random threads, however they are cut, delivered and worked."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from pipelines.io.history import all_histories
from pipelines.io.lake import Lake
from tests.conformance.cases import Judged, case
from tests.conformance.judge import is_view
from tests.lakes import payloads
from tests.laws import named_streams, view_columns, without_counters
from tests.threads import events_by_run, lines_of, random_log, write_objects
from transforms.replay.forms import History
from transforms.sameness import same_json

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(600_000, 600_040)
BITS = ("--bucket-bits", "2")


def log_of(seed):
    return random_log(seed, seed % 4 / 30, f"t{seed}")


def log_lines():
    """The lines of many threads, one thread after the other."""
    return [line for seed in SEEDS for line in lines_of(log_of(seed), f"t{seed}")]


def cut(rng, lines, pieces):
    """Deal the lines out at random, each object's in their order or not."""
    objects = [[] for _ in range(pieces)]
    for line in rng.sample(lines, len(lines)):
        rng.choice(objects).append(line)
    return objects


def bytes_of(place):
    return payloads(Lake.open(str(place)))


def histories(place):
    lake = Lake.open(str(place))
    return {runs[0].run.thread_id: runs for runs in all_histories(lake, lake.commits())}


@pytest.fixture
def compact(threadlake):
    def run(raw, lake, *words):
        status, out, err = threadlake("compact", raw, "--lake", lake, "--json", *words)
        assert status in (0, 1), err
        found = json.loads(out)
        assert found["records"] == found["events_in"] + found["duplicates"] + sum(found["dead_letters"].values())
        return found

    return run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The lake of the log as one object."""
    folder = tmp_path_factory.mktemp("whole")
    write_objects(folder / "raw", [log_lines()])
    command = [sys.executable, "-m", "pipelines", "compact", folder / "raw", "--lake", folder / "lake", "--json", *BITS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return folder / "lake", json.loads(done.stdout)


@pytest.fixture(params=[1, 700, 1 << 22])
def segment_bytes(request, monkeypatch):
    monkeypatch.setattr("transforms.segments.builder.MAX_SEGMENT_BYTES", request.param)
    return request.param


@pytest.mark.parametrize("pieces", [1, 16, 200])
def test_law_3_the_cut_into_files_and_segments_does_not_show(compact, whole, tmp_path, segment_bytes, pieces):
    raw = write_objects(tmp_path / "raw", cut(Random(f"{pieces} {segment_bytes}"), log_lines(), pieces))
    found = compact(raw, tmp_path / "lake", *BITS)
    assert found["dead_letters"] == whole[1]["dead_letters"]
    assert bytes_of(tmp_path / "lake") == bytes_of(whole[0])


@pytest.mark.parametrize("mode", ["multi_threading", "multi_processing"])
def test_law_3_workers_do_not_show(whole, tmp_path, mode):
    raw = write_objects(tmp_path / "raw", cut(Random(mode), log_lines(), 16))
    several = ["--direct_num_workers", "2", "--direct_running_mode", mode]
    command = [
        sys.executable,
        "-m",
        "pipelines",
        "compact",
        raw,
        "--lake",
        tmp_path / "lake",
        "--json",
        *BITS,
        *several,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    assert bytes_of(tmp_path / "lake") == bytes_of(whole[0])


def test_law_3_buckets_do_not_show(compact, whole, tmp_path):
    compact(write_objects(tmp_path / "raw", [log_lines()]), tmp_path / "lake", "--bucket-bits", "5")
    assert histories(tmp_path / "lake") == histories(whole[0])


def test_law_4_redeliveries_change_only_counters(compact, whole, tmp_path):
    rng, lines = Random(4), log_lines()
    delivered = lines + rng.choices(lines, k=len(lines) // 3)
    found = [
        compact(write_objects(tmp_path / f"raw-{n}", cut(rng, delivered, 9)), tmp_path / f"lake-{n}", *BITS)
        for n in "ab"
    ]
    assert bytes_of(tmp_path / "lake-a") == bytes_of(tmp_path / "lake-b")
    assert {one["duplicates"] for one in found} == {len(delivered) - len(lines)}
    ours, theirs = histories(tmp_path / "lake-a"), histories(whole[0])
    assert ours.keys() == theirs.keys()
    for thread, runs in ours.items():
        assert list(map(without_counters, runs)) == list(map(without_counters, theirs[thread]))


def test_law_4_objects_may_overlap(compact, whole, tmp_path):
    lines = log_lines()
    third = len(lines) // 3
    objects = [lines[: 2 * third], lines[third:], lines[third // 2 : third]]
    found = compact(write_objects(tmp_path / "raw", objects), tmp_path / "lake", *BITS)
    assert found["duplicates"] == sum(map(len, objects)) - len(lines)
    ours, theirs = histories(tmp_path / "lake"), histories(whole[0])
    for thread, runs in ours.items():
        assert list(map(without_counters, runs)) == list(map(without_counters, theirs[thread]))


def test_law_2_what_a_replay_gives_compacts_to_the_same(compact, whole, tmp_path):
    before = {thread: History(runs) for thread, runs in histories(whole[0]).items()}
    lines = [line for thread, history in before.items() for line in lines_of(named_streams(history), thread)]
    found = compact(write_objects(tmp_path / "raw", cut(Random(2), lines, 5)), tmp_path / "lake", *BITS)
    after = {thread: History(runs) for thread, runs in histories(tmp_path / "lake").items()}
    assert found["verbatim_runs"] == found["duplicates"] == sum(found["dead_letters"].values()) == 0
    assert after.keys() == before.keys()
    for thread, history in before.items():
        assert len(after[thread].runs) == len(history.runs)
        for rows in history.runs:
            one, two = history.replayed(rows.run.run), after[thread].replayed(rows.run.run)
            assert same_json([one.final.messages, one.final.state], [two.final.messages, two.final.state])
            assert view_columns(one.rows) == view_columns(two.rows), (thread, rows.run.run)


def test_law_1_the_reference_sees_what_the_job_wrote(whole, reference):
    written, cases = histories(whole[0]), []
    for seed in SEEDS:
        thread_id, log = f"t{seed}", log_of(seed)
        events, history = events_by_run(log, lines_of(log, thread_id), thread_id), History(written[thread_id])
        for rows in history.runs:
            raw = [event for one in history.path(rows.run.run) for event in events[one.run.run]]
            cases.append(Judged(f"{seed}:{rows.run.run}", history.replayed(rows.run.run).final, {"raw": raw}, False))
    found = reference.fold(case(one, "raw") for one in cases)
    assert len(cases) == whole[1]["runs"] > 100
    assert not [one.name for one in cases if not is_view(found[f"{one.name}:raw"], one.view)]

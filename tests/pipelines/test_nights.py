"""Nights, through the whole job: however a log arrives, the lake is that of the log at once."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipelines.io.lake import Lake
from tests.nightly import Arrivals, contents, date, night_lines, runs_of

ROOT = Path(__file__).resolve().parents[2]
NIGHTS = 10


@pytest.fixture
def compact(threadlake):
    def run(raw, lake, *words):
        status, out, err = threadlake("compact", raw, "--lake", lake, "--json", *words)
        assert status in (0, 1), err
        found = json.loads(out)
        for one in found if isinstance(found, list) else [found]:
            assert one["records"] == one["events_in"] + one["duplicates"] + sum(one["dead_letters"].values())
        return found

    return run


@pytest.fixture
def places(request, tmp_path):
    """Where raw logs and lakes go: on the disk, or in the S3 server."""
    return request.getfixturevalue("s3") if request.param == "s3" else str(tmp_path)


both = pytest.mark.parametrize("places", ["disk", "s3"], indirect=True)


def nightly(compact, places, seeds, nights=NIGHTS, **delivery):
    """Compact a log in nights, then at once; return the two lakes."""
    raw = Arrivals(f"{places}/raw", 1)
    found = []
    for night, lines in enumerate(night_lines(seeds, nights)):
        raw.arrive(night, lines, **delivery)
        if lines or night:
            found.append(compact(raw.place, f"{places}/nights", "--date", date(night)))
    raw.arrive(nights, [])
    found += [compact(raw.place, f"{places}/nights", "--date", date(night)) for night in range(nights, nights + 3)]
    compact(raw.place, f"{places}/once", "--date", date(nights + 2), "--lookback", "30")
    return found, f"{places}/nights", f"{places}/once"


@both
def test_nights_are_the_log_at_once(compact, threadlake, places):
    count = 4 if places.startswith("s3:") else NIGHTS
    found, nights, once = nightly(compact, places, range(30, 50), count)
    assert sum(one["carried_out"] > 0 for one in found) > 2, "some runs go over midnight"
    late = {row["thread_id"] for row in letters(threadlake, nights) if row["reason"] == "late"}
    ours, theirs = runs_of(nights), runs_of(once)
    assert ours.keys() == theirs.keys()
    assert {thread for thread in ours if ours[thread] != theirs[thread]} <= late
    assert len(late) < 3
    assert threadlake("verify", "--lake", once)[0] == 0


def test_what_comes_late_and_again_is_the_log_at_once_after_a_rebuild(compact, threadlake, tmp_path):
    found, nights, once = nightly(compact, str(tmp_path), range(60, 90), again=0.1, late=0.2)
    assert sum(one["duplicates"] for one in found) > 20
    late = {row["thread_id"] for row in letters(threadlake, nights) if row["reason"] == "late"}
    ours, theirs = runs_of(nights), runs_of(once)
    assert {thread for thread in theirs if ours.get(thread) != theirs[thread]} <= late
    assert 0 < len(late) < 15
    status, out, err = threadlake("redrive", "--lake", nights, "--reason", "late", "--json")
    assert (status, json.loads(out)["threads"]) == (0, len(late)), err
    assert runs_of(nights) == theirs
    assert sorted(map(told, letters(threadlake, nights))) == sorted(map(told, letters(threadlake, once)))
    status, out, err = threadlake("verify", "--lake", nights, "--against-raw", "full")
    assert status == 0, out


def told(letter):
    return letter["uri"], letter["offset"], letter["reason"], letter["thread_id"], letter["run_id"]


def letters(threadlake, lake):
    status, out, err = threadlake("sql", "--lake", lake, "SELECT * FROM dead_letters", "--json")
    assert status == 0, err
    return json.loads(out)


@both
def test_a_night_that_is_written_is_not_written_again(compact, places):
    raw = Arrivals(f"{places}/raw", 2)
    raw.arrive(0, night_lines(range(4), 1)[0])
    first = compact(raw.place, f"{places}/lake", "--date", date(0))
    before = contents(f"{places}/lake")
    again = compact(raw.place, f"{places}/lake", "--date", date(0))
    assert again == first | {"was_written": True, "seconds": again["seconds"], "lag_seconds": again["lag_seconds"]}
    assert contents(f"{places}/lake") == before
    compact(raw.place, f"{places}/lake", "--date", date(0), "--again")
    assert contents(f"{places}/lake") == before


def test_a_backfill_is_its_nights(compact, tmp_path):
    raw = Arrivals(f"{tmp_path}/raw", 3)
    for night, lines in enumerate(night_lines(range(5), 3)):
        raw.arrive(night, lines)
    for night in range(3):
        compact(raw.place, tmp_path / "one", "--date", date(night))
    found = compact(raw.place, tmp_path / "two", "--since", date(0), "--until", date(3))
    assert [one["night"] for one in found] == [date(0), date(1), date(2)]
    assert contents(f"{tmp_path}/one") == contents(f"{tmp_path}/two")


@pytest.mark.parametrize(
    "turn",
    [
        ([0], 2, "night {1} is missing before {2}; run it first with `threadlake compact … --date {1}`"),
        ([1], 0, "night {0} comes before {1}, which is written"),
    ],
)
def test_a_night_out_of_turn_is_refused(compact, threadlake, tmp_path, turn):
    written, asked, message = turn
    raw = Arrivals(f"{tmp_path}/raw", 3)
    for night, lines in enumerate(night_lines(range(5), 3)):
        raw.arrive(night, lines)
    for night in written:
        compact(raw.place, tmp_path / "lake", "--date", date(night))
    status, out, err = threadlake("compact", raw.place, "--lake", tmp_path / "lake", "--date", date(asked))
    assert (status, out) == (2, "")
    assert message.format(*map(date, range(3))) in err
    if asked == 2:
        compact(raw.place, tmp_path / "lake", "--date", date(2), "--allow-gap")
        status, out, _ = threadlake("verify", "--lake", tmp_path / "lake")
        assert (status, "missing_night" in out) == (1, True)


def test_a_rewritten_object_is_told_and_taken_in_when_asked(compact, threadlake, tmp_path):
    raw = Arrivals(f"{tmp_path}/raw", 4)
    lines = night_lines([7], 1)[0]
    raw.arrive(0, lines)
    compact(raw.place, tmp_path / "lake", "--date", date(0))
    [path] = Path(raw.place).rglob("*.ndjson")
    path.write_bytes(b"".join(line.replace(b'"runId":"r', b'"runId":"q') + b"\n" for line in lines))
    found = compact(raw.place, tmp_path / "lake", "--date", date(1))
    assert (found["rewritten"], found["objects"]) == (1, 0)
    assert path.name in threadlake("plan", raw.place, "--lake", tmp_path / "lake", "--date", date(2))[1]
    status, _, err = threadlake("rebuild", "--lake", tmp_path / "lake", "--object", path)
    assert status == 0, err
    compact(raw.place, tmp_path / "once", "--date", date(1))
    assert runs_of(f"{tmp_path}/lake") == runs_of(f"{tmp_path}/once")
    assert compact(raw.place, tmp_path / "lake", "--date", date(2))["rewritten"] == 0


def test_an_object_that_vanishes_or_changes_fails_the_night_once(compact, threadlake, tmp_path, monkeypatch):
    from pipelines import nights

    raw = Arrivals(f"{tmp_path}/raw", 5)
    raw.arrive(0, night_lines(range(3), 1)[0])
    objects = sorted(Path(raw.place).rglob("*.ndjson"))
    planned = nights.night_plan
    for change in (objects[0].unlink, lambda: objects[1].write_bytes(objects[1].read_bytes()[:-20])):

        def plan_then_change(*words, change=change):
            plan = planned(*words)
            change()
            return plan

        with monkeypatch.context() as patch:
            patch.setattr(nights, "night_plan", plan_then_change)
            status, _, err = threadlake("compact", raw.place, "--lake", tmp_path / "lake", "--date", date(0))
        assert (status, err.count("\n")) == (2, 1), err
        assert Lake.open(f"{tmp_path}/lake").nights() == []
    compact(raw.place, tmp_path / "lake", "--date", date(0))
    compact(raw.place, tmp_path / "once", "--date", date(0))
    assert contents(f"{tmp_path}/lake") == contents(f"{tmp_path}/once")


def test_heads_can_be_made_anew(compact, threadlake, tmp_path):
    raw = Arrivals(f"{tmp_path}/raw", 6)
    for night, lines in enumerate(night_lines(range(100, 110), 6)):
        raw.arrive(night, lines)
        for lake in ("one", "two"):
            compact(raw.place, tmp_path / lake, "--date", date(night))
        if night == 3:
            for path in (tmp_path / "two" / "_heads").iterdir():
                path.unlink()
            status, _, err = threadlake("rebuild", "--lake", tmp_path / "two", "--heads")
            assert status == 0, err
    for lake in ("one", "two"):
        compact(raw.place, tmp_path / lake, "--since", date(6), "--until", date(9))
    assert runs_of(f"{tmp_path}/two") == runs_of(f"{tmp_path}/one")


def command(*words):
    return [sys.executable, "-m", "pipelines", *map(str, words)]


def test_of_two_jobs_at_once_one_works_and_the_other_says_who(tmp_path):
    raw = Arrivals(f"{tmp_path}/raw", 7)
    raw.arrive(0, night_lines(range(40), 1)[0])
    words = command("compact", raw.place, "--lake", tmp_path / "lake", "--date", date(0))
    jobs = [subprocess.Popen(words, cwd=ROOT, stdout=-1, stderr=-1, text=True) for _ in range(2)]
    ends = [(job.communicate(timeout=60), job.returncode) for job in jobs]
    refused = [err for (_, err), status in ends if status == 2]
    if not refused:  # the second came after the first had ended
        assert any("is written already" in out for (out, _), _ in ends)
        return
    [message] = refused
    assert f"night {date(0)} (process " in message or "was written by another job" in message


def test_a_job_that_slept_past_its_lease_cannot_commit(compact, tmp_path):
    raw = Arrivals(f"{tmp_path}/raw", 8)
    raw.arrive(0, night_lines(range(60), 1)[0])
    lake = tmp_path / "lake"
    words = command("compact", raw.place, "--lake", lake, "--date", date(0), "--lease-seconds", "2")
    job = subprocess.Popen(words, cwd=ROOT, stdout=-1, stderr=-1, text=True)
    deadline = time.monotonic() + 30
    while not list((lake / "_commits").glob("*.plan.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(job.pid, signal.SIGSTOP)
    time.sleep(2.5)
    taken = compact(raw.place, lake, "--date", date(0))
    before = contents(str(lake))
    os.kill(job.pid, signal.SIGCONT)
    out, err = job.communicate(timeout=60)
    assert (job.returncode, taken["was_written"]) == (2, False), out
    assert "lease" in err
    assert contents(str(lake)) == before

"""Threads compacted anew take the place of their rows, whole, even where the job dies over it."""

import json
import shutil

import pytest

from pipelines import rebuilding
from pipelines.cli import main
from pipelines.io import swap
from pipelines.io.lake import Lake
from tests.kills import Reader
from tests.nightly import Arrivals, contents, date, night_lines, runs_of

NIGHTS = 3


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A raw log of three nights, and the lake of it."""
    folder = tmp_path_factory.mktemp("made")
    raw = Arrivals(f"{folder}/raw", 1)
    for night, lines in enumerate(night_lines(range(700, 712), NIGHTS)):
        raw.arrive(night, lines)
    words = ["--since", date(0), "--until", date(NIGHTS)]
    assert main(["compact", raw.place, "--lake", f"{folder}/lake", *words]) in (0, 1)
    return folder


@pytest.fixture
def lake(made, tmp_path):
    """A lake of its own for each test."""
    return str(shutil.copytree(made / "lake", tmp_path / "lake"))


def rebuild(threadlake, lake, *words):
    status, out, err = threadlake("rebuild", "--lake", lake, "--json", *words)
    assert status == 0, err
    return json.loads(out)


def test_a_rebuild_of_what_is_right_changes_no_row(threadlake, lake, made):
    before = runs_of(lake)
    found = rebuild(threadlake, lake, "--thread", "t701", "--thread", "t703")
    assert (found["threads"], found["night"]) == (2, f"{date(NIGHTS - 1)}-rebuild-001")
    assert runs_of(lake) == before
    rebuild(threadlake, lake, "--since", date(0))
    assert runs_of(lake) == before
    assert threadlake("verify", "--lake", lake, "--against-raw", "full")[0] == 0
    status, _, err = threadlake("compact", made / "raw", "--lake", lake, "--date", date(NIGHTS))
    assert status in (0, 1), err
    assert threadlake("verify", "--lake", lake, "--against-raw", "full")[0] == 0


def test_a_dry_run_writes_nothing(threadlake, lake):
    before = contents(lake)
    assert rebuild(threadlake, lake, "--thread", "t701", "--dry-run")["threads"] == 1
    assert contents(lake) == before


@pytest.mark.parametrize("files", [1, 8, 20])
def test_a_swap_that_died_is_ended_by_the_next_job(threadlake, lake, made, monkeypatch, files):
    before, place = runs_of(lake), Lake.open(lake)
    with monkeypatch.context() as patch:
        _die_in_store(patch, files)
        assert threadlake("rebuild", "--lake", lake, "--since", date(0))[0] == 130
    assert place.store.list("_staged")
    reader = Reader(lake)
    reader.read()
    assert reader.faults == []
    status, _, err = threadlake("compact", made / "raw", "--lake", lake, "--date", date(NIGHTS))
    assert status in (0, 1), err
    assert not place.store.list("_staged")
    after = runs_of(lake)
    assert {thread: runs for thread, runs in after.items() if thread in before} == before | {
        thread: after[thread] for thread in after if len(after[thread]) > len(before.get(thread, []))
    }
    assert threadlake("verify", "--lake", lake, "--against-raw", "full")[0] == 0


def _die_in_store(patch, count):
    """Let the swap die once it has written so many files in their places."""
    carry_out = swap._carry_out

    def dying(lake, night, decided):
        done = [0]
        write = type(lake.store).write

        def counted(store, path, payload):
            done[0] += 1
            if done[0] > count:
                raise KeyboardInterrupt
            write(store, path, payload)

        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(type(lake.store), "write", counted)
            carry_out(lake, night, decided)

    patch.setattr(swap, "_carry_out", dying)


def test_what_was_staged_and_not_decided_is_dropped(threadlake, lake, monkeypatch):
    before = runs_of(lake)

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(rebuilding, "decide", die)
        assert threadlake("rebuild", "--lake", lake, "--thread", "t701")[0] == 130
    assert runs_of(lake) == before
    rebuild(threadlake, lake, "--thread", "t701")
    assert runs_of(lake) == before
    assert not Lake.open(lake).store.list("_staged")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give what to rebuild"),
        (["--thread", "t701", "--heads"], "give what to rebuild"),
        (["--thread", "nobody"], "no thread 'nobody'"),
    ],
)
def test_what_cannot_be_rebuilt_is_refused(threadlake, lake, words, message):
    status, out, err = threadlake("rebuild", "--lake", lake, *words)
    assert (status, out) == (2, "")
    assert message in err


def test_a_rebuild_without_its_raw_objects_is_refused(threadlake, lake, made):
    before = contents(lake)
    raw = next((made / "raw").rglob("*.ndjson"))
    moved = raw.rename(made / "moved")
    status, _, err = threadlake("rebuild", "--lake", lake, "--thread", "t701")
    moved.rename(raw)
    assert (status, "are gone or changed" in err) == (2, True)
    assert contents(lake) == before

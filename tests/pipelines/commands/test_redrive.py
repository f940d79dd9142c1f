"""Dead letters are read again after a fix: exactly what can be read now comes back, where it belongs."""

import json

import pytest

from tests.nightly import Arrivals, contents, date, night_lines, runs_of
from transforms.decode import reader

NIGHTS = 3
MARK = b'"threadId":"t50'
"""Lines of these threads are those that the broken reader cannot read, every third of them."""


@pytest.fixture
def broken_reader(monkeypatch):
    """A reader that takes some good lines for rubbish, and the words to mend it."""

    def spoiled(line):
        return line.startswith(b'{"' + MARK[1:]) and sum(line) % 3 == 0

    read = reader.Reader.lines

    def lines(self, found, offset):
        return read(self, [b"rubbish" + line[7:] if spoiled(line) else line for line in found], offset)

    monkeypatch.setattr(reader.Reader, "lines", lines)
    return monkeypatch


@pytest.fixture
def compact(threadlake):
    def run(raw, lake, night):
        status, out, err = threadlake("compact", raw, "--lake", lake, "--date", date(night), "--json")
        assert status in (0, 1), err
        return json.loads(out)

    return run


def letters(threadlake, lake):
    rows = json.loads(threadlake("sql", "--lake", lake, 'SELECT uri, "offset", reason FROM dead_letters', "--json")[1])
    return sorted((row["uri"], row["offset"], row["reason"]) for row in rows)


def test_after_a_fix_the_repaired_records_come_back_and_no_others(compact, threadlake, tmp_path, broken_reader):
    raw = Arrivals(f"{tmp_path}/raw", 1)
    for night, lines in enumerate(night_lines(range(500, 520), NIGHTS)):
        raw.arrive(night, [*lines, b"this is no JSON"])
        compact(raw.place, tmp_path / "lake", night)
    broken = letters(threadlake, tmp_path / "lake")
    broken_reader.undo()
    compact(raw.place, tmp_path / "right", NIGHTS - 1)
    right = letters(threadlake, tmp_path / "right")
    repaired = [one for one in broken if one not in right and one[2] == "not_json"]
    assert len(repaired) > 20
    before = contents(f"{tmp_path}/lake")
    status, out, _ = threadlake("redrive", "--lake", tmp_path / "lake", "--dry-run", "--json")
    assert (status, json.loads(out)["repaired"]) == (1, len(repaired))
    assert contents(f"{tmp_path}/lake") == before
    status, out, err = threadlake("redrive", "--lake", tmp_path / "lake", "--json")
    found = json.loads(out)
    assert (status, found["repaired"], found["left"]) == (1, len(repaired), {"not_json": NIGHTS}), err
    threadlake("redrive", "--lake", tmp_path / "lake", "--reason", "late")
    assert runs_of(f"{tmp_path}/lake") == runs_of(f"{tmp_path}/right")
    assert letters(threadlake, tmp_path / "lake") == right
    status, out, _ = threadlake("verify", "--lake", tmp_path / "lake", "--against-raw", "full")
    assert status == 0, out
    again = json.loads(threadlake("redrive", "--lake", tmp_path / "lake", "--json")[1])
    assert (again["repaired"], again["threads"], again["night"]) == (0, 0, None)


def test_what_is_no_longer_there_stays_a_letter(compact, threadlake, tmp_path, broken_reader):
    raw = Arrivals(f"{tmp_path}/raw", 1, pieces=1)
    raw.arrive(0, night_lines(range(500, 503), 1)[0])
    compact(raw.place, tmp_path / "lake", 0)
    broken_reader.undo()
    count = len(letters(threadlake, tmp_path / "lake"))
    for path in (tmp_path / "raw").rglob("*.ndjson"):
        path.unlink()
    found = json.loads(threadlake("redrive", "--lake", tmp_path / "lake", "--json")[1])
    assert (found["repaired"], found["objects_gone"]) == (0, 1)
    assert len(letters(threadlake, tmp_path / "lake")) == count > 0

"""Law 3 in nights: how a log is cut into nights shows in no row, and every record is accounted for once."""

from random import Random

import pytest

from schemas.segments import SILENCE_US
from tests.laws import without_counters
from tests.nights import FRONTIER_US, Nights, cut_at_random, cut_in_order, through_nights
from tests.threads import MOMENT_MS, compacted, lines_of, random_log, through_arrow
from transforms.runs import newhead

SEEDS = range(900_000, 900_150)


def lines_of_seed(seed):
    return lines_of(random_log(seed, seed % 4 / 30))


@pytest.fixture(params=[0, 4], ids=["views kept in the head", "views rebuilt from rows"])
def kept_nights(request, monkeypatch):
    monkeypatch.setattr(newhead, "KEPT_NIGHTS", request.param)


def is_late(done):
    return any(one.reason == "late" for one in done.letters)


def written(done):
    return through_arrow([done.rows[ordinal] for ordinal in sorted(done.rows)])


@pytest.mark.usefixtures("kept_nights")
def test_a_log_in_nights_is_the_log_at_once():
    late = 0
    for seed in SEEDS:
        rng, lines = Random(seed), lines_of_seed(seed)
        done = through_nights(cut_in_order(rng, lines, rng.randrange(2, 9)))
        assert done.is_balanced, seed
        late += is_late(done)
        assert is_late(done) or written(done) == through_arrow(compacted(lines).runs), seed
    assert late < len(SEEDS) / 20, "only what follows a terminal that was written can be late"


def test_what_comes_late_or_again_changes_no_row_unless_it_says_so():
    late = 0
    for seed in SEEDS:
        rng, lines = Random(seed), lines_of_seed(seed)
        done = through_nights(cut_at_random(rng, lines, rng.randrange(2, 9)))
        assert done.is_balanced, seed
        late += is_late(done)
        ours, whole = (list(map(without_counters, runs)) for runs in (written(done), compacted(lines).runs))
        assert is_late(done) or ours == through_arrow(whole), seed
    assert late < len(SEEDS) / 2


START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def message(name, text):
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": name, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": name, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": name},
    ]


def log(*events, run="r"):
    return lines_of([(run, event) for event in events])


def joined(lines):
    return b"".join(line + b"\n" for line in lines)


def test_an_open_run_is_written_by_the_night_that_sees_its_end():
    lines = log(START, *message("m", "hello"), FINISH)
    done = Nights()
    done.advance("a", {"x": joined(lines[:3])}, FRONTIER_US)
    assert (done.rows, done.carried) == ({}, 3)
    done.advance("b", {"x": joined(lines)}, FRONTIER_US)
    assert (done.rows[0].run.status, done.rows[0].run.events, done.carried) == ("finished", 5, 0)


def test_two_days_of_silence_end_a_run():
    lines = log(START, *message("m", "hello"))
    done = Nights()
    done.advance("a", {"x": joined(lines)}, FRONTIER_US)
    done.advance("b", {}, MOMENT_MS * 1000 + 3000 + SILENCE_US - 1)
    assert not done.rows
    done.advance("c", {}, MOMENT_MS * 1000 + 3000 + SILENCE_US)
    assert done.rows[0].run.status == "abandoned"


def test_events_ahead_of_their_night_count_when_they_are():
    lines = log(START, *message("m", "hello"))
    day_us = 86_400_000_000
    done = Nights()
    done.advance("a", {"x": joined(lines)}, MOMENT_MS * 1000 - day_us)
    done.advance("b", {}, MOMENT_MS * 1000 + 3000 + SILENCE_US - 1)
    assert not done.rows
    done.advance("c", {}, MOMENT_MS * 1000 + 3000 + SILENCE_US)
    assert done.rows[0].run.status == "abandoned"


def test_a_clock_far_ahead_does_not_keep_a_run_open():
    years_us = 20 * 365 * 86_400_000_000
    done = Nights()
    done.advance("a", {"x": joined(log(START, *message("m", "hello")))}, MOMENT_MS * 1000 - years_us)
    assert done.carried == 4
    done.advance("b", {}, MOMENT_MS * 1000 - years_us + 2 * SILENCE_US)
    assert done.rows[0].run.status == "abandoned"


def test_what_a_silent_run_says_afterwards_continues_it():
    lines = log(START, *message("m", "hello"), *message("n", "again"), FINISH)
    days = 2 * 86_400_000
    later = [
        line.replace(b'"ts":%d' % (MOMENT_MS + seq), b'"ts":%d' % (MOMENT_MS + seq + days))
        for seq, line in enumerate(lines[4:], 4)
    ]
    done = through_nights([{"x": joined(lines[:4])}, {"y": joined(later)}])
    runs = [rows.run for rows in written(done)]
    assert [(run.status, run.parent, run.parent_source, run.events) for run in runs] == [
        ("abandoned", None, "root", 4),
        ("finished", 0, "continuation", 4),
    ]
    assert written(done) == through_arrow(compacted([*lines[:4], *later]).runs)


@pytest.mark.parametrize("event", [{"type": "CUSTOM", "name": "n", "value": 1}])
def test_what_could_not_change_the_view_of_a_written_run_comes_late(event):
    lines = log(START, FINISH, event)
    without_seq = [line.replace(b'"seq"', b'"no"') for line in lines]
    done = through_nights([{"x": joined(without_seq[:2])}, {"y": joined(without_seq[2:])}])
    assert [(one.reason, one.run_id) for one in done.letters] == [("late", "r")]
    assert done.rows[0].run.events == 2


def test_a_written_record_is_known_again_by_its_seq_and_by_its_event_id():
    lines = log(START, *message("m", "hello"), FINISH)
    done = through_nights([{"x": joined(lines)}, {"y": joined(lines[1:4])}])
    assert (done.duplicates, done.letters, done.rows[0].run.events) == (3, [], 5)
    named = [line.replace(b'"seq":%d' % seq, b'"eventId":"e%d"' % seq) for seq, line in enumerate(lines)]
    done = through_nights([{"x": joined(named)}, {"y": joined(named[1:4])}])
    assert (done.duplicates, done.letters, done.rows[0].run.events) == (3, [], 5)


def test_the_ids_of_old_events_are_forgotten():
    events = [[START, FINISH], [START | {"runId": "s"}, FINISH | {"runId": "s"}]]
    nights = Nights()
    for number, (run, day) in enumerate([("r", "2026-09-21"), ("s", "2026-12-01")]):
        lines = [
            line.replace(b'"seq"', b'"eventId":"%d%d","no"' % (number, index))
            for index, line in enumerate(log(*events[number], run=run))
        ]
        nights.advance(run, {run: joined(lines)}, None, day)
    assert [len(run.event_ids) for run in nights.head.runs] == [0, 2]

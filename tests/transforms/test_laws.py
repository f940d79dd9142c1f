"""The laws of compaction, on random branching threads; the reference client is the judge where Node is there."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.view import View
from tests.conformance.judge import judge
from tests.laws import named_streams, view_columns, without_counters
from tests.threads import compacted, drawn_log, events_by_run, lines_of, random_log, segments_of, through_arrow
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import Fold
from transforms.fold.verify import Lifecycle
from transforms.replay.forms import History
from transforms.runs.thread import compact_thread
from transforms.sameness import same_json

SEEDS = range(160)


def threads(seeds=SEEDS):
    for seed in seeds:
        log = random_log(seed)
        if log:
            yield seed, lines_of(log)


def test_law_1_the_lake_shows_what_the_reference_shows(reference):
    tally = judge(SEEDS, reference)
    assert tally.is_clean, (tally.different, tally.refused)
    assert not tally.verbatim
    assert tally.runs > 550
    assert tally.peer_same < tally.runs


@given(st.randoms(use_true_random=False), st.sampled_from([0.0, 0.1]), st.sampled_from([1, 2]))
def test_law_1_without_the_reference(rng, spoiled, at_a_time):
    log = drawn_log(rng, spoiled, at_a_time=at_a_time)
    lines = lines_of(log)
    events = events_by_run(log, lines)
    history = History(through_arrow(compacted(lines).runs))
    for rows in history.runs:
        path = [one.run for one in history.path(rows.run.run)]
        if any(run.parent_source == "continuation" or "no_run_started" in run.violations for run in path):
            continue  # a chunk that is open goes on in a continuation: the reference judges those
        fold = Fold(View([], {}))
        for run in path:
            fold = Fold.after(fold)
            for event in _expanded(events[run.run]):
                fold.apply(event)
            view = fold.close()
        final = history.replayed(rows.run.run).final
        assert same_json([view.messages, view.state], [final.messages, final.state])


def _expanded(events):
    expander = ChunkExpander()
    return [one for event in events for one in expander.expand(event)]


def test_no_run_is_kept_verbatim():
    runs = [rows.run for _, lines in threads() for rows in compacted(lines).runs]
    assert len(runs) > 400
    assert not [run for run in runs if run.is_verbatim]


def test_law_2_once_is_enough():
    for seed, lines in threads(range(2000, 2100)):
        first = History(compacted(lines).runs)
        second = History(compacted(lines_of(named_streams(first))).runs)
        assert len(second.runs) == len(first.runs), seed
        for rows in first.runs:
            ordinal = rows.run.run
            before, after = first.replayed(ordinal), second.replayed(ordinal)
            assert same_json(before.final.messages, after.final.messages), (seed, ordinal)
            assert same_json(before.final.state, after.final.state)
            assert view_columns(before.rows) == view_columns(after.rows), (seed, ordinal)


def test_law_3_the_cut_does_not_matter(monkeypatch):
    for seed, lines in threads(range(3000, 3080)):
        whole, rng = compacted(lines), Random(seed)
        objects = [[] for _ in range(rng.randrange(1, 6))]
        for line in lines:
            rng.choice(objects).append(line)
        monkeypatch.setattr("transforms.segments.builder.MAX_SEGMENT_BYTES", rng.choice([1, 500, 1 << 22]))
        segments = segments_of(objects)
        monkeypatch.undo()
        rng.shuffle(segments)
        cut = compact_thread(segments)
        assert (cut.runs, cut.duplicates) == (whole.runs, whole.duplicates)
        assert [letter.reason for letter in cut.dead_letters] == [letter.reason for letter in whole.dead_letters]


def test_law_4_delivery_does_not_matter():
    for seed, lines in threads(range(4000, 4080)):
        whole, rng = compacted(lines), Random(seed)
        again = rng.choices(lines, k=rng.randrange(1, 8))
        objects = [list(lines), [], []]
        for line in again:
            target = rng.choice(objects)
            target.insert(rng.randrange(len(target) + 1), line)
        delivered = compact_thread(segments_of(objects))
        assert delivered.duplicates == len(again)
        assert [letter.reason for letter in delivered.dead_letters] == [letter.reason for letter in whole.dead_letters]
        assert list(map(without_counters, delivered.runs)) == list(map(without_counters, whole.runs))


def test_streams_are_legal():
    for _, lines in threads():
        history = History(compacted(lines).runs)
        for rows in history.runs:
            lifecycle = Lifecycle()
            assert not any(map(lifecycle.check, history.form(rows.run.run, "events")))


@pytest.mark.parametrize("form", ["events", "snapshot"])
def test_forms_fold_to_the_view(form):
    for _, lines in threads(range(5000, 5040)):
        history = History(compacted(lines).runs)
        for rows in history.runs:
            fold = Fold(View([], {}))
            for event in history.form(rows.run.run, form):
                fold.apply(event)
            view, final = fold.close(), history.replayed(rows.run.run).final
            assert same_json(view.messages, final.messages)
            assert same_json(view.state, final.state)

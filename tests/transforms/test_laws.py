"""The laws of compaction, on random branching threads; the reference client is the judge where Node is there."""

import json
from random import Random

import msgspec
import pytest

from schemas.view import View
from tests.threads import compacted, events_by_run, lines_of, random_log, segments_of, through_arrow
from transforms import jsontext
from transforms.fold.reducer import Fold
from transforms.fold.verify import Lifecycle
from transforms.replay.forms import History
from transforms.runs.thread import compact_thread
from transforms.sameness import same_json

SEEDS = range(250)
COUNTERS = ("events", "bytes", "duplicates")
"""Columns of runs that a redelivery may change."""

TOLD_APART = {
    "run_id": "the test gives every run a name of its own, since the log's repeat",
    "first_at": "a time of the raw log",
    "last_at": "a time of the raw log",
    "origin": "a message that came in a snapshot is streamed, and the other way round",
    "is_new": "a view that must be cleared first brings its old messages again",
    "pieces": "stretches of one message become one delta",
    "same_as": "clients of the stream can hold two equal messages for one",
}
"""Columns that a replay legitimately changes, and why."""


def threads(seeds=SEEDS):
    for seed in seeds:
        log = random_log(seed)
        if log:
            yield seed, log, lines_of(log)


def path_of(history, ordinal):
    return [rows.run.run for rows in history.path(ordinal)]


def plain(value):
    return json.loads(jsontext.dumps(value))


def test_law_1_the_lake_shows_what_the_reference_shows(reference):
    cases, views = [], {}
    for seed, log, lines in threads():
        events = events_by_run(log, lines)
        history = History(through_arrow(compacted(lines).runs))
        for rows in history.runs:
            ordinal, final = rows.run.run, history.replayed(rows.run.run).final
            raw = [event for run in path_of(history, ordinal) for event in events[run]]
            forms = {
                "raw": raw,
                "stream": history.form(ordinal, "events"),
                "snapshot": history.form(ordinal, "snapshot"),
            }
            for form, stream in forms.items():
                cases.append({"id": f"{seed}:{ordinal}:{form}", "events": stream})
                views[f"{seed}:{ordinal}:{form}"] = final
    judged = reference.fold(cases)
    assert len(judged) == len(cases) > 1_500
    differ = [
        case
        for case, view in judged.items()
        if not same_json(view["messages"], plain(views[case].messages))
        or not same_json(view["state"], plain(views[case].state))
    ]
    assert not differ


def test_law_1_without_the_reference():
    for _, log, lines in threads(range(1000, 1100)):
        events = events_by_run(log, lines)
        history = History(through_arrow(compacted(lines).runs))
        for rows in history.runs:
            if any(history.runs[run].run.parent_source == "continuation" for run in path_of(history, rows.run.run)):
                continue  # a chunk that is open goes on in a continuation: the reference judges those
            if rows.run.violations.get("no_run_started"):
                continue
            fold = Fold(View([], {}))
            for run in path_of(history, rows.run.run):
                fold = Fold.after(fold)
                for event in _expanded(events[run]):
                    fold.apply(event)
                view = fold.close()
            final = history.replayed(rows.run.run).final
            assert same_json(view.messages, final.messages)
            assert same_json(view.state, final.state)


def _expanded(events):
    from transforms.fold.chunks import ChunkExpander

    expander = ChunkExpander()
    return [one for event in events for one in expander.expand(event)]


def test_no_run_is_kept_verbatim():
    runs = [rows.run for _, _, lines in threads() for rows in compacted(lines).runs]
    assert len(runs) > 600
    assert not [run for run in runs if run.is_verbatim]


def test_law_2_once_is_enough():
    for seed, _, lines in threads(range(2000, 2100)):
        first = History(compacted(lines).runs)
        log = [(f"run-{rows.run.run}", event) for rows in first.runs for event in _named(first, rows)]
        second = History(compacted(lines_of(log)).runs)
        assert len(second.runs) == len(first.runs), seed
        for rows in first.runs:
            ordinal = rows.run.run
            before, after = first.replayed(ordinal), second.replayed(ordinal)
            assert same_json(before.final.messages, after.final.messages), (seed, ordinal)
            assert same_json(before.final.state, after.final.state)
            assert _content(before.rows) == _content(after.rows), (seed, ordinal)


def _named(history, rows):
    """The stream of a run under an id of its own, which its children name: in the log, run ids repeat."""
    started, *rest = history.stream(rows.run.run)
    parent = None if rows.run.parent is None else f"run-{rows.run.parent}"
    given = started.get("input", {"messages": []}) | {"parentRunId": None}
    yield started | {"runId": f"run-{rows.run.run}", "parentRunId": parent, "input": given}
    yield from rest


def _content(rows):
    """What the rows say of the view, in every column but TOLD_APART; the keys of a malformed call in any order."""
    tables = [rows.messages, rows.tool_calls, [rows.state] if rows.state is not None else []]
    columns = [
        {key: value for key, value in msgspec.structs.asdict(row).items() if key not in TOLD_APART}
        for table in tables
        for row in table
    ]
    for row in columns:
        if row.get("extra") is not None:
            row["extra"] = jsontext.loads(row["extra"])
        if row.get("tool_calls") and row["text"] is None:
            del row["is_complete"]  # an END of no text: a replay has no text to end
    return columns, rows.run.dropped_positions, rows.run.status, rows.run.outcome, rows.run.result


def test_law_3_the_cut_does_not_matter(monkeypatch):
    for seed, _, lines in threads(range(3000, 3080)):
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
    for seed, _, lines in threads(range(4000, 4080)):
        whole, rng = compacted(lines), Random(seed)
        again = rng.choices(lines, k=rng.randrange(1, 8))
        objects = [list(lines), [], []]
        for line in again:
            target = rng.choice(objects)
            target.insert(rng.randrange(len(target) + 1), line)
        delivered = compact_thread(segments_of(objects))
        assert delivered.duplicates == len(again)
        assert [letter.reason for letter in delivered.dead_letters] == [letter.reason for letter in whole.dead_letters]
        for one, two in zip(whole.runs, delivered.runs, strict=True):
            for counter in COUNTERS:
                setattr(two.run, counter, getattr(one.run, counter))
            assert one == two


def test_streams_are_legal():
    for _, _, lines in threads():
        history = History(compacted(lines).runs)
        for rows in history.runs:
            lifecycle = Lifecycle()
            assert not any(map(lifecycle.check, history.form(rows.run.run, "events")))


@pytest.mark.parametrize("form", ["events", "snapshot"])
def test_forms_fold_to_the_view(form):
    for _, _, lines in threads(range(5000, 5040)):
        history = History(compacted(lines).runs)
        for rows in history.runs:
            fold = Fold(View([], {}))
            for event in history.form(rows.run.run, form):
                fold.apply(event)
            view, final = fold.close(), history.replayed(rows.run.run).final
            assert same_json(view.messages, final.messages)
            assert same_json(view.state, final.state)

"""Forms: any run of a history, as its view, its events, a snapshot, or the input that it was given."""

import pytest

from schemas.view import View
from tests.threads import compacted, lines_of, random_log, through_arrow
from transforms.fold.reducer import Fold
from transforms.replay.forms import FORMS, History
from transforms.sameness import same_json

USERS = [{"id": f"u{number}", "role": "user", "content": f"question {number}"} for number in range(3)]


def started(run, messages, parent=None):
    event = {"type": "RUN_STARTED", "threadId": "t", "runId": run, "input": {"messages": messages, "tools": []}}
    return event if parent is None else event | {"parentRunId": parent}


def says(run, text):
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": f"a-{run}", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"a-{run}", "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": f"a-{run}"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"by": run}},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": run},
    ]


def answer(run):
    return {"id": f"a-{run}", "role": "assistant", "content": f"answer {run}"}


@pytest.fixture
def history():
    """A root, and two runs that both answer it: 1 and 2 are siblings."""
    runs = [
        ("r0", [USERS[0]], None),
        ("r1", [USERS[0], answer("r0"), USERS[1]], "r0"),
        ("r2", [USERS[0], answer("r0"), USERS[2]], "r0"),
    ]
    log = [
        (run, event)
        for run, messages, parent in runs
        for event in [started(run, messages, parent), *says(run, f"answer {run}")]
    ]
    return History(through_arrow(compacted(lines_of(log)).runs))


def test_the_path_leads_from_the_root(history):
    assert [[rows.run.run for rows in history.path(ordinal)] for ordinal in range(3)] == [[0], [0, 1], [0, 2]]


def test_the_view_follows_the_branch(history):
    for ordinal, user in ((1, USERS[1]), (2, USERS[2])):
        view = history.form(ordinal, "view")
        assert view["messages"] == [USERS[0], answer("r0"), user, answer(f"r{ordinal}")]
        assert view["state"] == {"by": f"r{ordinal}"}


def test_the_events_are_those_of_the_path(history):
    events = history.form(2, "events")
    assert [event["runId"] for event in events if event["type"] == "RUN_STARTED"] == ["r0", "r2"]
    assert events == [*history.stream(0), *history.stream(2)]


def test_the_snapshot_is_one_run(history):
    events = history.form(2, "snapshot")
    assert [event["type"] for event in events] == [
        "RUN_STARTED",
        "MESSAGES_SNAPSHOT",
        "STATE_SNAPSHOT",
        "RUN_FINISHED",
    ]
    assert events[1]["messages"] == history.form(2, "view")["messages"]
    assert events[0]["parentRunId"] == "r0"


def test_the_input_is_what_the_run_was_given(history):
    assert history.form(2, "input")["messages"] == [USERS[0], answer("r0"), USERS[2]]
    assert history.form(2, "input")["tools"] == []


def test_a_run_without_a_recorded_input_has_none():
    log = [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}), *[("r", event) for event in says("r", "x")]]
    assert History(compacted(lines_of(log)).runs).form(0, "input") is None


def test_what_was_asked_for_before_does_not_matter():
    for seed in range(8000, 8030):
        runs = compacted(lines_of(random_log(seed))).runs
        forwards, backwards = History(runs), History(runs)
        ordinals = range(len(runs))
        there = {(ordinal, form): forwards.form(ordinal, form) for ordinal in ordinals for form in FORMS}
        back = {
            (ordinal, form): backwards.form(ordinal, form) for ordinal in ordinals[::-1] for form in reversed(FORMS)
        }
        assert there == back


def test_streaming_changes_no_view():
    for seed in range(8100, 8130):
        history = History(compacted(lines_of(random_log(seed))).runs)
        views = [history.replayed(rows.run.run).final for rows in history.runs]
        before = [(repr(view.messages), repr(view.state)) for view in views]
        for rows in history.runs:
            history.form(rows.run.run, "events")
        assert [(repr(view.messages), repr(view.state)) for view in views] == before


def test_the_new_part_of_an_input_is_enough_on_the_path():
    for seed in range(8200, 8240):
        history = History(compacted(lines_of(random_log(seed))).runs)
        for rows in history.runs:
            fold = Fold(View([], {}))
            for one in history.path(rows.run.run):
                for event in history.stream(one.run.run, "new"):
                    fold.apply(event)
            view, final = fold.close(), history.replayed(rows.run.run).final
            assert same_json([view.messages, view.state], [final.messages, final.state])

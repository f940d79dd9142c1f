"""Difference and rebuild are each other's inverse, whatever the ids."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.rows import RunRow, RunRows
from schemas.view import View
from transforms.fold.reducer import Fold
from transforms.runs.difference import difference
from transforms.runs.facts import Marks
from transforms.runs.rebuild import rebuild_messages, rebuild_path, rebuild_view
from transforms.runs.rows import Change, message_rows, state_row
from transforms.runs.thread import is_rebuilt
from transforms.sameness import same_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)
CALL = st.fixed_dictionaries(
    {"id": st.text(max_size=2), "type": st.just("function")},
    optional={
        "function": st.fixed_dictionaries({"name": st.text(max_size=2), "arguments": st.text(max_size=4)}),
        "metadata": JSON,
        "extra": JSON,
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", "\ud83d", ""]),
        "role": st.sampled_from(["user", "assistant", "tool"]) | JSON,
        "content": st.text(max_size=4) | st.just("half \ud83d") | JSON,
        "toolCalls": st.lists(CALL | JSON, max_size=2) | JSON,
        "metadata": JSON,
        "name": st.text(max_size=2) | JSON,
        "unknown": JSON,
    },
)


def rows_of(base, final):
    run = RunRow("", "t", 1, "r")
    found = difference(base, final)
    run.dropped_positions = found.dropped
    messages, calls = message_rows(run, Change(base, final, found, Fold(base), Marks()))
    return RunRows(run, [], messages, calls, None, [])


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # nested JSON is slow to draw at first
@given(st.lists(MESSAGE, max_size=6), st.lists(MESSAGE, max_size=4), st.integers(0, 10_000))
def test_rows_rebuild_the_view(before, new, seed):
    rng = Random(seed)
    final = [message for message in before if rng.random() < 0.7]
    for message in new:
        final.insert(rng.randrange(len(final) + 1), message)
    rebuilt = rebuild_messages(before, rows_of(View(before, {}), View(final, {})))
    assert same_json(rebuilt, final)


def test_what_stands_unchanged_has_no_row():
    before = [{"id": "a", "content": "x"}, {"id": "b", "content": "y"}]
    rows = rows_of(View(before, {}), View([dict(before[0]), {"id": "b", "content": "Y"}], {}))
    assert [row.position for row in rows.messages] == [1]
    assert rows.run.dropped_positions == [1]


def test_one_object_at_two_positions_stays_one():
    twin = {"id": "a", "content": "x"}
    final = [twin, {"id": "b"}, twin]
    rows = rows_of(View([], {}), View(final, {}))
    assert [row.same_as for row in rows.messages] == [None, None, 0]
    rebuilt = rebuild_messages([], rows)
    assert rebuilt[0] is rebuilt[2]


def test_a_tampered_row_fails_law_1():
    final = View([{"id": "a", "role": "user", "content": "x"}], {})
    rows = rows_of(View([], {}), final)
    assert is_rebuilt(rows, View([], {}), final)
    rows.messages[0].text = "y"
    assert not is_rebuilt(rows, View([], {}), final)


def test_true_is_not_one():
    final = View([{"id": "a", "metadata": {"n": True}}], {})
    rows = rows_of(View([], {}), final)
    rows.messages[0].metadata = '{"n":1}'
    assert not is_rebuilt(rows, View([], {}), final)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(MESSAGE, min_size=1, max_size=4), st.lists(st.integers(0, 3), max_size=7), st.lists(st.integers(0, 3)))
def test_objects_that_stand_twice_anywhere_are_rebuilt(pool, before, after):
    base = [pool[index % len(pool)] for index in before]
    final = [pool[index % len(pool)] for index in after]
    assert same_json(rebuild_messages(base, rows_of(View(base, {}), View(final, {}))), final)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.lists(MESSAGE, max_size=4), min_size=1, max_size=4))
def test_a_path_is_rebuilt_from_its_rows_alone(views):
    path, base = [], View([], {})
    for number, messages in enumerate(views):
        final = View(messages, {"n": number})
        rows = rows_of(base, final)
        rows.state = state_row(rows.run, base, final)
        path.append(rows)
        base = rebuild_view(base, rows)
    assert same_json(rebuild_path(path).messages, views[-1])
    assert same_json(rebuild_path(path).state, {"n": len(views) - 1})


@pytest.mark.parametrize("state", [None, False, 0, "", [], {"half": "\ud83d"}])
def test_any_json_value_is_a_state(state):
    rows = rows_of(View([], {}), View([], state))
    rows.state = state_row(rows.run, View([], {}), View([], state))
    assert same_json(rebuild_view(View([], {}), rows).state, state)


def test_no_row_is_the_parents_state():
    base = View([], {"n": 1})
    assert state_row(RunRow("", "t", 1, "r"), base, View([], {"n": 1.0})) is None
    assert state_row(RunRow("", "t", 1, "r"), base, View([], {"n": True})) is not None
    assert rebuild_view(base, rows_of(base, base)).state == {"n": 1}


def test_a_root_is_rebuilt_on_an_empty_view():
    assert (rebuild_path([]).messages, rebuild_path([]).state) == ([], {})


def test_the_parents_view_is_not_touched():
    base = View([{"id": "a"}, {"id": "b"}], {})
    rebuild_messages(base.messages, rows_of(base, View([{"id": "c"}], {})))
    assert base.messages == [{"id": "a"}, {"id": "b"}]

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.show.lanes import draw_lanes
from transforms.show.terminal import cells
from transforms.show.tree import draw_tree
from transforms.show.treerun import TreeRun, tree_runs

AT = datetime(2026, 11, 29, 12, 5, tzinfo=UTC)


def lanes(parents: dict[int, int | None]) -> str:
    return "\n".join(
        row.lanes + (f" {row.run}" if row.run is not None else "") for row in draw_lanes([*parents.items()])
    )


def test_a_straight_thread_is_a_straight_line():
    assert lanes({0: None, 1: 0, 2: 1}) == "* 0\n* 1\n* 2"


def test_the_path_to_the_newest_run_keeps_its_lane():
    assert lanes({0: None, 1: 0, 2: 0, 3: 1, 4: 2}) == "* 0\n├─╮\n│ * 1\n* │ 2\n│ * 3\n* 4"


def test_a_fork_crosses_the_lanes_between():
    assert lanes({0: None, 1: 0, 2: 1, 3: 0, 4: 1, 5: 3, 6: 1}).splitlines() == [
        "* 0",
        "├─╮",
        "* │ 1",
        "├─┼─┬─╮",
        "│ │ * │ 2",
        "│ *   │ 3",
        "│ │   * 4",
        "│ * 5",
        "* 6",
    ]


def test_a_second_root_has_a_lane_of_its_own():
    assert lanes({0: None, 1: None, 2: 0}) == "* 0\n│ * 1\n* 2"


def test_a_root_below_the_end_of_a_branch_stands_apart():
    assert lanes({0: None, 1: None, 2: None}) == "* 0\n\n* 1\n\n* 2"


def test_nothing_is_drawn_of_nothing():
    assert draw_tree([]) == []


@st.composite
def forests(draw):
    size = draw(st.integers(1, 25))
    return {run: draw(st.none() | st.integers(0, run - 1)) if run else None for run in range(size)}


@given(forests())
def test_following_the_lines_up_from_a_run_leads_to_its_parent(parents):
    drawn = draw_lanes([*parents.items()])
    assert [row.run for row in drawn if row.run is not None] == sorted(parents)
    at = {row.run: index for index, row in enumerate(drawn) if row.run is not None}
    for run, parent in parents.items():
        assert climb(drawn, at[run], drawn[at[run]].lanes.index("*")) == (at[parent] if parent is not None else None)


def climb(drawn, index, column):
    """The line of the node that lies above, None where no line leads up."""
    while index:
        index -= 1
        mark = drawn[index].lanes.ljust(column + 1)[column]
        if mark in "╮┬":
            column = drawn[index].lanes.rindex("├", 0, column)
        elif mark == "*":
            return None if drawn[index + 1].lanes.ljust(column + 1)[column] == " " else index
        elif mark not in "│┼├":
            return None
    return None


def test_a_line_says_what_happened():
    run = TreeRun(3, "run-3", None, "error", AT, "Where is\nmy parcel?", "On its way", ("look", "ask"), is_head=True)
    assert draw_tree([run]) == [
        '*  #3 run-3  (active)  error  2026-11-29 12:05  "Where is my parcel?"  > On its way  [look, ask]'
    ]


def test_a_parent_that_is_not_drawn_makes_a_root():
    assert draw_tree([TreeRun(5, "x", 2, "finished")]) == ["*  #5 x  finished"]


@given(st.text(), st.text(), st.integers(40, 120))
def test_no_text_breaks_its_line_or_steers_the_terminal(user, name, width):
    (line,) = draw_tree([TreeRun(0, name, None, "finished", AT, user, user, (name,))], width)
    assert cells(line) <= width
    assert "\x1b" not in line
    assert len(line.splitlines()) == 1


def test_a_fork_of_a_narrow_terminal_still_names_the_runs():
    wide = {run: None if run == 0 else 0 for run in range(30)}
    lines = draw_tree([TreeRun(run, f"r{run}", parent, "finished") for run, parent in wide.items()], 20)
    assert all(any(f"#{run} r{run}" in line for line in lines) for run in wide)


def test_each_piece_is_painted_by_its_kind():
    run = TreeRun(0, "r", None, "error", AT, "u", "a", ("c",), is_head=True)
    (line,) = draw_tree([run], paint=lambda kind, text: f"<{kind}:{text}>")
    kinds = [piece.split(":")[0] for piece in line.split("<")[1:]]
    assert kinds == ["lane", "run", "head", "bad", "time", "user", "assistant", "call"]


def test_runs_are_told_from_their_rows():
    runs = [
        {"run": 1, "run_id": "b", "parent": 0, "status": "finished", "started_at": AT},
        {"run": 0, "run_id": "a", "parent": None, "status": "error", "started_at": None},
        {"run": 2, "run_id": "c", "parent": 0, "status": "finished", "started_at": AT},
    ]
    messages = [
        said(0, "user", "first"),
        said(0, "user", "second"),
        said(0, "assistant", ""),
        said(0, "assistant", "well"),
        said(0, "assistant", "then"),
        said(1, "user", None, parts='[{"type":"text","text":"see"},{"type":"image"},7,{"text":"this"}]'),
        said(2, "user", "old", is_new=False),
        said(2, "user", None, parts="{"),
    ]
    calls = [{"run": 1, "name": "look", "is_new": True}, {"run": 1, "name": None, "is_new": True}]
    drawn = tree_runs(runs, messages, calls)
    assert [(run.run, run.user, run.assistant, run.calls) for run in drawn] == [
        (0, "second", "well", ()),
        (1, "see this", None, ("look", "?")),
        (2, None, None, ()),
    ]
    assert [(run.is_leaf, run.is_active_branch, run.is_head) for run in drawn] == [
        (False, True, False),
        (True, False, False),
        (True, True, True),
    ]


def said(run: int, role: str, text: str | None, *, parts: str | None = None, is_new: bool = True) -> dict[str, object]:
    return {"run": run, "role": role, "text": text, "parts": parts, "is_new": is_new}


@pytest.mark.parametrize("parents", [{0: 1, 1: 0}, {0: 0}])
def test_a_circle_does_not_hang(parents):
    rows = [
        {"run": run, "run_id": None, "parent": parent, "status": "finished", "started_at": None}
        for run, parent in parents.items()
    ]
    assert len(tree_runs(rows, [], [])) == len(parents)

import pyarrow as pa

from schemas.lake import Commit, Totals
from schemas.tables import FORMAT
from transforms.audit.totals import total_findings

RUNS = pa.table(
    {
        "thread_id": ["a", "a", "b"],
        "tenant_id": ["", "", ""],
        "run": [0, 1, 0],
        "events": [5, 6, 7],
        "new_messages": [1, 2, 3],
        "tool_call_count": [0, 1, 0],
        "is_verbatim": [False, True, False],
    }
)
LETTERS = pa.table({"reason": ["torn", "barren"], "records": [1, 40]})
RIGHT = {
    "records": 61,
    "events_in": 18,
    "threads": 2,
    "runs": 3,
    "messages": 6,
    "tool_calls": 1,
    "duplicates": 2,
    "dead_letters": {"torn": 1, "barren": 40},
    "verbatim_runs": 1,
}


def found(**figures):
    commit = Commit("n", FORMAT, 0, [], Totals(**{**RIGHT, **figures}), "0")
    return [finding.detail for finding in total_findings(commit, [RUNS.slice(0, 2), RUNS.slice(2)], [LETTERS])]


def test_figures_that_add_up_are_no_finding():
    assert found() == []


def test_each_figure_that_does_not_is_one():
    assert found(threads=3) == ["threads 3, the rows give 2"]
    assert found(dead_letters={"torn": 2}) == ["dead_letters 2, the rows give 41"]
    assert found(records=60, messages=0) == ["messages 0, the rows give 6", "records 60, the rows give 61"]


def test_an_empty_night_adds_up():
    commit = Commit("n", FORMAT, 0, [], Totals(), "0")
    assert list(total_findings(commit, [], [])) == []

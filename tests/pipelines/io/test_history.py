import pytest

from pipelines.io.history import find_run, thread_history
from schemas.errors import ConfigError
from tests.lakes import call, message, run, write_lake


@pytest.fixture
def lake(tmp_path):
    tables = {
        "runs": [run(0), run(1, 0), run(2, 0, run_id="r1"), run(0, thread_id="other"), run(0, tenant_id="x")],
        "messages": [
            message(0, 0, "user", "a"),
            message(0, 1, "assistant", "b", tool_calls=1),
            message(2, 2, "user", "c"),
        ],
        "tool_calls": [call(0, 1, "c")],
        "states": [{"thread_id": "t", "run": 1, "run_id": "r1", "state": "1"}],
        "usage": [{"thread_id": "t", "run": 0, "run_id": "r0", "source": "terminal", "input_tokens": 3}],
        "events": [{"thread_id": "t", "run": 2, "run_id": "r1", "type": "CUSTOM", "event": "{}"}],
    }
    return write_lake(str(tmp_path), tables, bits=1)


def test_each_run_comes_with_all_of_its_rows(lake):
    runs = thread_history(lake, "t", "", lake.commits())
    assert [rows.run.run for rows in runs] == [0, 1, 2]
    assert [[row.text for row in rows.messages] for rows in runs] == [["a", "b"], [], ["c"]]
    assert [len(rows.tool_calls) for rows in runs] == [1, 0, 0]
    assert [rows.state and rows.state.state for rows in runs] == [None, "1", None]
    assert [[row.input_tokens for row in rows.usage] for rows in runs] == [[3], [], []]
    assert [[row.type for row in rows.events] for rows in runs] == [[], [], ["CUSTOM"]]


def test_a_thread_of_several_tenants_needs_one(lake):
    with pytest.raises(ConfigError, match="several tenants"):
        thread_history(lake, "t", None, lake.commits())


def test_an_unknown_thread_gets_a_hint(lake):
    with pytest.raises(ConfigError, match="did you mean other"):
        thread_history(lake, "othr", None, lake.commits())


@pytest.mark.parametrize(("name", "ordinal"), [(None, 2), ("r0", 0), ("r1", 2), ("#0", 0), ("#1", 1), ("#2", 2)])
def test_a_run_is_found(lake, name, ordinal):
    assert find_run(thread_history(lake, "t", "", lake.commits()), name).run.run == ordinal


@pytest.mark.parametrize("name", ["", "#", "#3", "#²", "#-1", "#01", "r", "#" + "9" * 5000])
def test_a_run_that_is_not_there_is_refused(lake, name):
    with pytest.raises(ConfigError, match="threadlake tree"):
        find_run(thread_history(lake, "t", "", lake.commits()), name)


def test_an_ordinal_comes_before_an_id_that_looks_like_one(tmp_path):
    lake = write_lake(str(tmp_path), {"runs": [run(0, run_id="#1"), run(1, 0), run(2, 1, run_id="#7")]})
    runs = thread_history(lake, "t", "", lake.commits())
    assert [find_run(runs, name).run.run for name in ("#1", "#7")] == [1, 2]

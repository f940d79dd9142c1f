"""The views over handmade threads: what an analyst reads is what a client showed."""

import json
import random
from itertools import count

import pytest

from pipelines.sql.duck import connect, query
from tests.lakes import call, message, minute, run, write_lake


@pytest.fixture
def ask(tmp_path):
    numbers = count()

    def asked(tables: dict[str, list[dict]], sql: str):
        return query(connect(write_lake(f"{tmp_path}/{next(numbers)}", tables)), sql)[1]

    return asked


BRANCHES = {
    "runs": [
        run(0, message_count=2, tool_call_count=1, user_id="u1", agent_id="a"),
        run(1, 0, message_count=3, status="error"),
        run(2, 0, message_count=4, tool_call_count=2, user_id="u2"),
        run(3, 2, message_count=5, user_id="u1", status="cancelled"),
    ],
    "usage": [
        {"thread_id": "t", "run": 0, "input_tokens": 10, "output_tokens": 5, "source": "terminal"},
        {"thread_id": "t", "run": 0, "model": "m2", "total_tokens": 7, "source": "raw"},
        {"thread_id": "t", "run": 3, "total_tokens": 100, "source": "raw"},
    ],
}


def test_a_thread_is_one_row(ask):
    sql = """SELECT user_ids, agent_ids, first_at, last_at, runs, branches, messages, tool_calls, input_tokens,
        output_tokens, total_tokens, last_status FROM v_threads"""
    times = (minute(0), minute(181))
    assert ask(BRANCHES, sql) == [(["u1", "u2"], ["a"], *times, 4, 2, 5, 3, 10, 5, 122, "cancelled")]


def test_a_run_knows_its_place_in_the_tree(ask):
    sql = "SELECT run, continues_run_id, depth, is_leaf, is_active_branch, total_tokens FROM v_runs ORDER BY run"
    assert ask(BRANCHES, sql) == [
        (0, None, 0, False, True, 22),
        (1, "r0", 1, True, False, None),
        (2, "r0", 1, False, True, None),
        (3, "r2", 2, True, True, 100),
    ]
    assert ask(BRANCHES, "SELECT DISTINCT duration_ms FROM v_runs") == [(60_000,)]


def test_ordinals_may_have_gaps_and_roots_may_be_many(ask):
    tables = {"runs": [run(2), run(5, 2), run(7), run(9, 7), run(11, 4)]}
    sql = "SELECT run, depth, is_active_branch FROM v_runs ORDER BY run"
    assert ask(tables, sql) == [(2, 0, False), (5, 1, False), (7, 0, False), (9, 1, False), (11, 0, True)]


def test_two_tenants_may_share_a_thread_id(ask):
    tables = {
        "runs": [
            run(0, tenant_id="a", message_count=1),
            run(0, tenant_id="b", message_count=1),
            run(1, 0, tenant_id="b"),
        ],
        "messages": [message(0, 0, "user", "A", tenant_id="a"), message(0, 0, "user", "B", tenant_id="b")],
    }
    assert ask(tables, "SELECT tenant_id, runs FROM v_threads ORDER BY 1") == [("a", 1), ("b", 2)]
    assert ask(tables, "SELECT tenant_id, text FROM v_messages ORDER BY 1") == [("a", "A"), ("b", "B")]


def test_messages_are_those_of_the_active_branch_in_view_order(ask):
    tables = {
        "runs": BRANCHES["runs"],
        "messages": [
            message(0, 0, "user", "question"),
            message(0, 1, "assistant", "answer"),
            message(1, 2, "user", "on the other branch"),
            message(2, 2, "user", "again"),
            message(2, 3, "assistant", "second"),
            message(3, 4, "user", "bye"),
        ],
    }
    sql = "SELECT text, run FROM v_messages ORDER BY view_position"
    assert ask(tables, sql) == [("question", 0), ("answer", 0), ("again", 2), ("second", 2), ("bye", 3)]


def test_a_snapshot_drops_replaces_and_inserts(ask):
    tables = {
        "runs": [run(0, message_count=4), run(1, 0, message_count=4, dropped_positions=[1, 3])],
        "messages": [
            *(message(0, position, "user", f"old {position}") for position in range(4)),
            message(1, 0, "system", "inserted"),
            message(1, 2, "user", "old 1, edited", message_id="m0.1", is_new=False),
        ],
    }
    sql = "SELECT text, view_position FROM v_messages ORDER BY view_position"
    assert ask(tables, sql) == [("inserted", 0), ("old 0", 1), ("old 1, edited", 2), ("old 2", 3)]


def test_messages_without_an_id_are_kept_apart(ask):
    tables = {
        "runs": [run(0, message_count=3), run(1, 0, message_count=2, dropped_positions=[1])],
        "messages": [message(0, position, "tool", f"{position}", message_id=None) for position in range(3)],
    }
    assert ask(tables, "SELECT text FROM v_messages ORDER BY view_position") == [("0",), ("2",)]


@pytest.mark.parametrize("seed", range(8))
def test_messages_of_random_trees_are_exactly_the_newest_view(ask, seed):
    rnd = random.Random(seed)
    tables: dict[str, list[dict]] = {"runs": [], "messages": []}
    expected = {f"t{number}": grow(rnd, f"t{number}", tables) for number in range(25)}
    got: dict[str, list[tuple[int, int]]] = {thread: [] for thread in expected}
    for thread, *place in ask(tables, "SELECT thread_id, run, position FROM v_messages ORDER BY 1, view_position"):
        got[thread].append(tuple(place))
    assert got == expected


def grow(rnd: random.Random, thread: str, tables: dict[str, list[dict[str, object]]]) -> list[tuple[int, int]]:
    """Add a thread of random runs; its newest view, each message as (run, position) of its row."""
    views: dict[int, list[tuple[int, int]]] = {}
    for ordinal in range(rnd.randint(1, 8)):
        parent = rnd.choice([None, *views]) if views else None
        base = [] if parent is None else views[parent]
        dropped = [at for at in range(len(base)) if rnd.random() < 0.25] if rnd.random() < 0.5 else []
        survivors = [place for at, place in enumerate(base) if at not in dropped]
        size = len(survivors) + rnd.randint(0, 4)
        rows = list(range(len(survivors), size))
        if rnd.random() < 0.5:
            rows = sorted(rnd.sample(range(size), len(rows)))
        rest = iter(survivors)
        views[ordinal] = [(ordinal, at) if at in rows else next(rest) for at in range(size)]
        columns = {"thread_id": thread, "dropped_positions": dropped, "message_count": size}
        tables["runs"].append(run(ordinal, parent, **columns))
        tables["messages"] += [message(ordinal, at, "user", "x", thread_id=thread) for at in rows]
    return views[max(views)]


def test_a_tool_call_is_joined_with_its_result(ask):
    tables = {
        "runs": [run(0, message_count=3), run(1, 0, message_count=5)],
        "messages": [
            message(0, 0, "user", "weather?"),
            message(0, 1, "assistant", "I look", tool_calls=3),
            message(0, 2, "tool", "sunny", tool_call_id="server", message_id=None),
            message(1, 3, "tool", "yes", tool_call_id="client", origin="input", error="late"),
            message(1, 4, "tool", "", tool_call_id="stopped", origin="snapshot", is_synthetic=True),
        ],
        "tool_calls": [
            call(0, 1, "server", call_index=0, arguments='{"city":"Bern"}'),
            call(0, 1, "client", call_index=1, name="confirm"),
            call(0, 1, "stopped", call_index=2),
            call(0, 1, None, call_index=3, is_complete=False),
        ],
    }
    sql = """SELECT tool_call_id, name, arguments, message_text, result, result_error, result_count, resolved_by_run,
        executor, latency_ms, status FROM v_tool_calls ORDER BY call_index"""
    minutes = 60_000
    assert ask(tables, sql) == [
        ("server", "look", '{"city":"Bern"}', "I look", "sunny", None, 1, 0, "server", minutes, "complete"),
        ("client", "confirm", "{}", "I look", "yes", "late", 1, 1, "client", 62 * minutes, "complete"),
        ("stopped", "look", "{}", "I look", "", None, 1, 1, "client", 63 * minutes, "incomplete"),
        (None, "look", "{}", "I look", None, None, 0, None, None, None, "incomplete"),
    ]


def test_a_rewritten_message_does_not_double_its_calls(ask):
    tables = {
        "runs": [run(0, message_count=2), run(1, 0, message_count=2, dropped_positions=[0, 1])],
        "messages": [
            message(0, 0, "assistant", "", tool_calls=1),
            message(0, 1, "tool", "done", tool_call_id="c"),
            message(1, 0, "assistant", "edited", tool_calls=1, is_new=False),
            message(1, 1, "tool", "done, edited", tool_call_id="c", is_new=False),
        ],
        "tool_calls": [call(0, 0, "c"), call(1, 0, "c", is_new=False)],
    }
    assert ask(tables, "SELECT run, result, result_count FROM v_tool_calls") == [(0, "done", 1)]


def test_a_repeated_call_id_gets_the_results_that_follow_it(ask):
    tables = {
        "runs": [run(0, message_count=2), run(1, 0, message_count=4)],
        "messages": [
            message(ordinal, 2 * ordinal + at, role, f"{role} {ordinal}", tool_call_id="c" if at else None)
            for ordinal in range(2)
            for at, role in enumerate(["assistant", "tool"])
        ],
        "tool_calls": [call(0, 0, "c"), call(1, 2, "c")],
    }
    sql = "SELECT run, result, result_count FROM v_tool_calls ORDER BY run"
    assert ask(tables, sql) == [(0, "tool 0", 1), (1, "tool 1", 1)]


def test_of_two_branches_that_answer_a_call_the_active_one_is_shown(ask):
    tables = {
        "runs": [run(0, message_count=1), run(1, 0, message_count=2), run(2, 0, message_count=2)],
        "messages": [
            message(0, 0, "assistant", "", tool_calls=1),
            message(1, 1, "tool", "no", tool_call_id="c", origin="input"),
            message(2, 1, "tool", "yes", tool_call_id="c", origin="input"),
        ],
        "tool_calls": [call(0, 0, "c")],
    }
    sql = "SELECT result, result_count, resolved_by_run FROM v_tool_calls"
    assert ask(tables, sql) == [("yes", 2, 2)]


def test_an_interrupt_is_joined_with_its_answer(ask):
    asked = [{"id": "i1", "reason": "approval", "message": "Pay?", "toolCallId": "c"}, {"id": "i2", "reason": "x"}]
    answers = [{"interruptId": "i1", "status": "resolved", "payload": {"ok": True}}]
    tables = {
        "runs": [
            run(0, status="interrupted", outcome=json.dumps({"type": "interrupt", "interrupts": asked})),
            run(1, 0, input=json.dumps({"state": {}, "resume": answers})),
            run(2, 1, input=json.dumps({"resume": None}), outcome='{"type":"success"}'),
        ]
    }
    sql = """SELECT interrupt_id, reason, message, tool_call_id, asked_at, resolved_by_run, resolution, payload,
        resolved_at FROM v_interrupts ORDER BY interrupt_id"""
    assert ask(tables, sql) == [
        ("i1", "approval", "Pay?", "c", minute(1), 1, "resolved", '{"ok":true}', minute(60)),
        ("i2", "x", None, None, minute(1), None, None, None, None),
    ]

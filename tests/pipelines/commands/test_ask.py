"""The commands that ask a lake: sql, threads and tree."""

import argparse
import json
import subprocess
import sys

import pytest

from pipelines.commands import sql, threads, tree
from schemas.errors import ConfigError
from tests.lakes import call, message, run, write_lake


@pytest.fixture
def lake(tmp_path) -> str:
    place = f"{tmp_path}/la[k]e #1"
    tables = {
        "runs": [
            run(0, user_id="u", message_count=2, tool_call_count=1),
            run(1, 0, status="error", message_count=3),
            run(2, 0, message_count=3),
            run(0, tenant_id="acme", thread_id="other"),
        ],
        "messages": [
            message(0, 0, "user", "Where is\nmy parcel?"),
            message(0, 1, "assistant", "On its way", tool_calls=1),
            message(1, 2, "user", "When?"),
            message(2, 2, "user", "日本語で"),
        ],
        "tool_calls": [call(0, 1, "c")],
    }
    write_lake(place, tables, bits=2)
    return place


def act(command, *words: str) -> int:
    parser = argparse.ArgumentParser(exit_on_error=False)
    command.configure(parser)
    return int(command.run(parser.parse_args(list(words))))


def test_sql_prints_a_table(lake, capsys):
    assert act(sql, "--lake", lake, "SELECT run, user_id FROM runs WHERE thread_id = 't' ORDER BY run") == 0
    assert capsys.readouterr().out == "run  user_id\n---  -------\n  0  u\n  1  NULL\n  2  NULL\n"


def test_sql_prints_one_json_document(lake, capsys):
    query = "SELECT run, started_at, dt, tags FROM v_runs WHERE thread_id = 't' ORDER BY run LIMIT 1"
    assert act(sql, "--lake", lake, "--json", query) == 0
    expected = [{"run": 0, "started_at": "2026-11-29T12:00:00Z", "dt": "2026-11-29", "tags": []}]
    assert json.loads(capsys.readouterr().out) == expected


def test_sql_reads_a_query_from_stdin(lake, capsys, monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1 AS one"))
    act(sql, "--lake", lake, "--json", "-")
    assert json.loads(capsys.readouterr().out) == [{"one": 1}]


def test_a_wrong_query_and_a_missing_lake_are_errors_of_configuration(lake, tmp_path):
    with pytest.raises(ConfigError, match=r"^sql: .*nix"):
        act(sql, "--lake", lake, "FROM nix")
    for command, words in [(sql, ["SELECT 1"]), (threads, []), (tree, ["--thread", "t"])]:
        with pytest.raises(ConfigError, match="no lake there"):
            act(command, "--lake", f"{tmp_path}/none", *words)


def test_threads_come_latest_first(lake, capsys):
    assert act(threads, "--lake", lake, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["tenant_id"], row["thread_id"], row["runs"], row["branches"]) for row in rows] == [
        ("", "t", 3, 2),
        ("acme", "other", 1, 1),
    ]


def test_threads_of_a_tenant_and_the_first_of_them(lake, capsys):
    act(threads, "--lake", lake, "--json", "--tenant", "acme")
    assert [row["thread_id"] for row in json.loads(capsys.readouterr().out)] == ["other"]
    act(threads, "--lake", lake, "--limit", "1")
    header, _, *rows = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["tenant_id", "thread_id"]
    assert len(rows) == 1


@pytest.mark.parametrize("limit", ["-1", "x", "1.5"])
def test_a_limit_is_a_count(lake, limit):
    with pytest.raises(argparse.ArgumentError, match="whole number"):
        act(threads, "--lake", lake, "--limit", limit)


def test_a_tree_is_drawn(lake, capsys):
    assert act(tree, "--lake", lake, "--thread", "t") == 0
    assert capsys.readouterr().out.splitlines() == [
        '*  #0 r0  finished  2026-11-29 12:00  "Where is my parcel?"  > On its way  [look]',
        "├─╮",
        '│ *  #1 r1  error  2026-11-29 13:00  "When?"',
        '*  #2 r2  (active)  finished  2026-11-29 14:00  "日本語で"',
    ]


def test_a_tree_is_told_in_json(lake, capsys):
    act(tree, "--lake", lake, "--thread", "t", "--tenant", "", "--json")
    document = json.loads(capsys.readouterr().out)
    assert (document["tenant_id"], document["thread_id"]) == ("", "t")
    assert [(node["run"], node["parent"], node["is_head"]) for node in document["runs"]] == [
        (0, None, False),
        (1, 0, False),
        (2, 0, True),
    ]
    assert document["runs"][0]["calls"] == ["look"]


def test_an_unknown_thread_gets_a_hint(lake):
    with pytest.raises(ConfigError, match="no thread 'othr'; did you mean other"):
        act(tree, "--lake", lake, "--thread", "othr")


def test_colour_is_for_terminals_without_no_color(lake, capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    act(tree, "--lake", lake, "--thread", "t")
    assert "\x1b[31merror\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    act(tree, "--lake", lake, "--thread", "t")
    assert "\x1b" not in capsys.readouterr().out


def test_a_stdout_that_knows_ascii_only_gets_question_marks(lake):
    code = "import argparse, sys; from pipelines.commands import tree; p = argparse.ArgumentParser(); tree.configure(p)"
    words = ["--lake", lake, "--thread", "t"]
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; sys.exit(tree.run(p.parse_args({words!r})))"],
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": "."},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode("ascii").splitlines()[1] == "???"


def test_help_costs_no_engine():
    code = """
import argparse, sys
from pipelines.commands import sql, threads, tree
for command in (sql, threads, tree):
    command.configure(argparse.ArgumentParser())
assert not {"pyarrow", "duckdb", "apache_beam", "fsspec"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "."})

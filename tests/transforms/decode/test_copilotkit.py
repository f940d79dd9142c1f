import json
import sqlite3
from contextlib import closing

import pytest

from tests.transforms.decode.decoding import DELTA, FINISHED, STARTED, found, reasons, records

SCHEMA = """
    CREATE TABLE agent_runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL, run_id TEXT NOT NULL UNIQUE, parent_run_id TEXT,
        events TEXT NOT NULL, input TEXT NOT NULL, created_at INTEGER NOT NULL, version INTEGER NOT NULL
    );
    CREATE TABLE run_state (
        thread_id TEXT PRIMARY KEY, is_running INTEGER DEFAULT 0, current_run_id TEXT, updated_at INTEGER NOT NULL
    );
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
    CREATE INDEX idx_thread_id ON agent_runs(thread_id);
"""
AT_MS = 1_790_000_000_000
RUN = [STARTED, DELTA, {"type": "RUN_FINISHED"}]


@pytest.fixture
def store(tmp_path):
    """Makes the bytes of a store from rows of (thread, run, parent, events, input, created_at)."""

    def make(*rows, mode="DELETE", schema=SCHEMA):
        path = tmp_path / "runs.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as file:
            file.execute(f"PRAGMA journal_mode={mode}")
            file.executescript(schema)
            for values in rows:
                file.execute(
                    "INSERT INTO agent_runs (thread_id, run_id, parent_run_id, events, input, created_at, version)"
                    " VALUES (?, ?, ?, ?, ?, ?, 1)",
                    values,
                )
            file.commit()
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()

    return make


def row(run="r", events=RUN, parent=None, at_ms=AT_MS, sent=None):
    return ("t", run, parent, json.dumps(events), json.dumps(sent or {"messages": []}), at_ms)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_rows_are_runs(store, mode):
    first, delta, last = records(store(row(parent="p"), mode=mode))
    assert (first.attachment.input, first.attachment.store_parent_run_id) == (b'{"messages": []}', "p")
    assert first.attachment.created_us == AT_MS * 1000
    assert first.attachment.is_run_start
    assert {(r.thread_id, r.run_id) for r in (first, delta, last)} == {("t", "r")}
    assert (last.at_us, last.time_source) == (AT_MS * 1000, "envelope")


def test_rows_come_by_time_then_id(store):
    data = store(row("c", at_ms=AT_MS + 1), row("a"), row("b"))
    found_runs = [record.run_id for record in records(data) if record.type == "RUN_STARTED"]
    assert found_runs == ["a", "b", "c"]
    assert [record.offset for record in records(data)] == [i * 1_000_000 + j for i in range(3) for j in range(3)]


def test_a_state_folded_from_nothing_is_told(store):
    snapshot = [STARTED, {"type": "STATE_SNAPSHOT", "snapshot": {"x": 2}}, FINISHED]
    whole = {"state": {"keep": 1, "x": 2}}
    first, *_ = records(store(row("r", snapshot), row("s", sent=whole, at_ms=AT_MS + 1)))
    assert first.attachment.violations == ("damaged_state",)
    sound, *_ = records(store(row("r", snapshot), row("s", sent={"state": {"x": 3}}, at_ms=AT_MS + 1)))
    assert sound.attachment.violations == ()


@pytest.mark.parametrize(
    ("terminal", "violations"),
    [
        ({"type": "RUN_FINISHED"}, ("synthetic_terminal",)),
        ({"type": "RUN_ERROR", "message": "x", "code": "INCOMPLETE_STREAM"}, ("synthetic_terminal",)),
        ({"type": "RUN_ERROR", "message": "x"}, ()),
        (FINISHED, ()),
    ],
)
def test_an_end_that_the_runner_made_up_is_told(store, terminal, violations):
    first, *_ = records(store(row(events=[{**STARTED, "runId": "r"}, {**terminal}])))
    assert first.attachment.violations == violations


def test_other_databases_are_no_log(store):
    assert reasons(store(schema=SCHEMA.replace("agent_runs", "other_runs"))) == ["not_a_log"]


def test_a_damaged_file_is_corrupt(store):
    data = store(*(row(str(i)) for i in range(200)))
    assert set(reasons(data[: len(data) // 2])) <= {"corrupt", "not_a_log"}
    assert reasons(data[:4096] + b"\xff" * (len(data) - 4096)) == ["corrupt"]


def test_a_bad_row_leaves_the_others(store):
    bad = ("t", "bad", None, "oops", "{}", AT_MS - 1)
    everything = found(store(bad, row()))
    assert [item.reason for item in everything if hasattr(item, "reason")] == ["not_object"]
    assert len(everything) == 4

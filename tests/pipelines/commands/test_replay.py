"""Replay: every form of every run, and the rows for many."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

USER = {"id": "u1", "role": "user", "content": "hi"}
INPUT = {"threadId": "t", "runId": "r1", "messages": [USER], "tools": [], "context": [], "state": {"a": 1}}
EVENTS = [
    ("r1", {"type": "RUN_STARTED", "threadId": "t", "runId": "r1", "input": INPUT}),
    ("r1", {"type": "TEXT_MESSAGE_START", "messageId": "a1", "role": "assistant"}),
    ("r1", {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a1", "delta": "hel"}),
    ("r1", {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a1", "delta": "lo"}),
    ("r1", {"type": "TEXT_MESSAGE_END", "messageId": "a1"}),
    ("r1", {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}),
    ("r1", {"type": "RUN_FINISHED", "threadId": "t", "runId": "r1"}),
    ("r2", {"type": "RUN_STARTED", "threadId": "t", "runId": "r2", "parentRunId": "r1"}),
    ("r2", {"type": "TEXT_MESSAGE_START", "messageId": "a2", "role": "assistant"}),
    ("r2", {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a2", "delta": "one"}),
    ("r2", {"type": "RUN_FINISHED", "threadId": "t", "runId": "r2"}),
    ("r3", {"type": "RUN_STARTED", "threadId": "t", "runId": "r3", "parentRunId": "r1"}),
    ("r3", {"type": "RUN_FINISHED", "threadId": "t", "runId": "r3"}),
]
HELLO = {"id": "a1", "role": "assistant", "content": "hello"}


@pytest.fixture
def lake(threadlake, envelopes, tmp_path):
    threadlake("compact", envelopes("log.ndjson", EVENTS), "--lake", tmp_path / "lake")
    return tmp_path / "lake"


@pytest.fixture
def replay(threadlake, lake):
    def call(*words):
        status, out, err = threadlake("replay", "--lake", lake, *words)
        assert status == 0, err
        return [json.loads(line) for line in out.splitlines()]

    return call


def test_the_newest_run_is_the_default(replay):
    assert replay("--thread", "t") == [{"messages": [USER, HELLO], "state": {"n": 1}}]


@pytest.mark.parametrize("name", ["r2", "#1"])
def test_a_run_is_named_by_id_or_ordinal(replay, name):
    [view] = replay("--thread", "t", "--run", name)
    assert [message["id"] for message in view["messages"]] == ["u1", "a1", "a2"]


def test_input_is_what_the_run_was_given(replay):
    assert replay("--thread", "t", "--run", "r1", "--form", "input") == [INPUT]


def test_events_hold_the_path_only(replay):
    [events] = replay("--thread", "t", "--run", "r3", "--form", "events")
    assert [event["runId"] for event in events if event["type"] == "RUN_STARTED"] == ["r1", "r3"]
    assert [event["delta"] for event in events if "delta" in event] == ["hello"]


def test_snapshot_is_one_run(replay):
    [events] = replay("--thread", "t", "--run", "r1", "--form", "snapshot")
    assert [event["type"] for event in events] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED"]


@pytest.mark.parametrize("thread", ["t", "all", "-"])
def test_many_are_rows(replay, monkeypatch, thread):
    monkeypatch.setattr(sys, "stdin", io.StringIO("t\n"))
    found = replay("--thread", thread, "--run", "all", "--form", "view")
    assert [list(row) for row in found] == [["thread_id", "run_id", "run", "parent", "view"]] * 3
    assert [(row["run_id"], row["run"], row["parent"]) for row in found] == [
        ("r1", 0, None),
        ("r2", 1, 0),
        ("r3", 2, 0),
    ]


@pytest.mark.parametrize("text", ["日本語 é 😀", "half \ud83d"])
def test_text_is_json_whatever_the_terminal_speaks(threadlake, envelopes, tmp_path, text):
    said = {"id": "u", "role": "user", "content": text}
    events = [
        ("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        ("r", {"type": "MESSAGES_SNAPSHOT", "messages": [said]}),
    ]
    threadlake("compact", envelopes("words.ndjson", events), "--lake", tmp_path / "words")
    done = subprocess.run(
        [sys.executable, "-m", "pipelines", "replay", "--lake", tmp_path / "words", "--thread", "t"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["messages"] == [said]


def test_an_unknown_thread_among_many_is_a_finding(threadlake, lake, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("t\nnobody\n"))
    status, out, err = threadlake("replay", "--lake", lake, "--thread", "-")
    assert (status, len(out.splitlines())) == (1, 1)
    assert "nobody" in err


def test_a_run_that_one_of_all_threads_lacks_is_a_finding(threadlake, envelopes, tmp_path):
    envelopes("two/a.ndjson", EVENTS)
    envelopes("two/b.ndjson", EVENTS[:1], threadId="short")
    threadlake("compact", tmp_path / "two", "--lake", tmp_path / "two-lake")
    status, out, err = threadlake("replay", "--lake", tmp_path / "two-lake", "--thread", "all", "--run", "#2")
    assert (status, [json.loads(line)["thread_id"] for line in out.splitlines()]) == (1, ["t"])
    assert "'short' has no run '#2'" in err


def test_a_damaged_lake_is_no_finding(threadlake, lake, monkeypatch):
    for path in lake.rglob("*.parquet"):
        path.write_bytes(b"damaged")
    monkeypatch.setattr(sys, "stdin", io.StringIO("t\nt\n"))
    for thread in ("-", "all", "t"):
        status, out, err = threadlake("replay", "--lake", lake, "--thread", thread)
        assert (status, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("bits", [0, 2])
def test_all_threads_are_what_each_is_alone(threadlake, tmp_path, bits):
    threadlake("sample", "--threads", "3", "--seed", "4", "--out", tmp_path / "raw")
    threadlake("compact", tmp_path / "raw", "--lake", tmp_path / "some", "--bucket-bits", bits)
    for form in ("view", "events", "snapshot", "input"):
        words = ("replay", "--lake", tmp_path / "some", "--run", "all", "--form", form, "--thread")
        found = threadlake(*words, "all")[1].splitlines()
        names = list(dict.fromkeys(json.loads(line)["thread_id"] for line in found))
        assert len(names) == 3
        assert found == [line for name in names for line in threadlake(*words, name)[1].splitlines()]


@pytest.mark.parametrize(
    "words", [["--thread", "x"], ["--thread", "t", "--run", "x"], ["--thread", "t", "--run", "#9"]]
)
def test_what_is_not_there_is_refused(threadlake, lake, words):
    status, out, err = threadlake("replay", "--lake", lake, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_run_without_input_says_so(threadlake, lake):
    status, _, err = threadlake("replay", "--lake", lake, "--thread", "t", "--run", "r3", "--form", "input")
    assert status == 2
    assert "no recorded input" in err

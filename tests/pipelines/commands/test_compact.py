"""The command: a summary that adds up, JSON alone on stdout, and what cannot be done told before it is begun."""

import json
import os
import sqlite3

import pytest

RUN = [
    ("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
    ("r", {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
    ("r", {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hello"}),
    ("r", {"type": "TEXT_MESSAGE_END", "messageId": "m"}),
    ("r", {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
]
FIGURES = {
    *("objects", "records", "events_in", "bytes_in", "bytes_out", "threads", "runs", "runs_without_user_message"),
    *("branches", "messages", "tool_calls", "duplicates", "violations", "dead_letters", "verbatim_runs"),
    *("approximate_runs", "open_runs", "seconds"),
}


@pytest.fixture
def replayed(threadlake, tmp_path):
    """Returns the view of a thread of the lake."""

    def call(thread):
        status, out, err = threadlake("replay", "--lake", tmp_path / "lake", "--thread", thread)
        assert status == 0, err
        return json.loads(out)

    return call


def test_json_is_one_document_with_the_documented_figures(threadlake, envelopes, tmp_path):
    log = envelopes("raw/log.ndjson", RUN)
    log.write_text(log.read_text() + log.read_text().splitlines()[2] + "\nrubbish\n")
    status, out, err = threadlake("compact", log, "--lake", tmp_path / "lake", "--json")
    assert (status, err, out.count("\n")) == (1, "", 1)
    figures = json.loads(out)
    assert set(figures) >= FIGURES
    assert {name: figures[name] for name in ("objects", "records", "events_in", "duplicates", "dead_letters")} == {
        "objects": 1,
        "records": 7,
        "events_in": 5,
        "duplicates": 1,
        "dead_letters": {"not_json": 1},
    }
    assert figures["bytes_in"] == log.stat().st_size
    assert figures["bytes_out"] == sum(path.stat().st_size for path in (tmp_path / "lake").rglob("*.parquet"))


def test_a_person_reads_what_lacks_and_what_comes_next(threadlake, envelopes, tmp_path):
    status, out, _ = threadlake("compact", envelopes("log.ndjson", RUN), "--lake", tmp_path / "lake")
    assert status == 0
    assert "5 events + 0 duplicates + 0 dead letters = 5 records" in out
    assert "1 of 1 runs hold no message of the user" in out
    assert f"--lake {tmp_path}/lake" in out.splitlines()[-1]


def test_a_log_without_a_record_gives_a_lake_without_a_table(threadlake, tmp_path):
    (tmp_path / "empty.ndjson").touch()
    status, out, _ = threadlake("compact", tmp_path / "empty.ndjson", "--lake", tmp_path / "lake", "--json")
    assert (status, json.loads(out)["records"]) == (0, 0)
    assert {path.suffix for path in (tmp_path / "lake").rglob("*") if path.is_file()} == {".json", ".heads"}
    assert threadlake("threads", "--lake", tmp_path / "lake", "--json")[:2] == (0, "[]\n")


HOSTILE = [
    "a b#?%20.ndjson",
    "ü😀.ndjson",
    "[x]*.ndjson",
    "-runner",
    "new\nline",
    "quote'\"$(id)`",
    "\x1b[31mred",
    "x" * 250,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_an_object_may_have_any_name(threadlake, envelopes, replayed, tmp_path, name):
    envelopes(f"raw/{name}", RUN)
    status, _, err = threadlake("compact", tmp_path / "raw" / name, "--lake", tmp_path / "lake")
    assert status == 0, err
    assert replayed("t")["messages"][0]["content"] == "hello"


def test_an_input_may_look_like_an_option(threadlake, envelopes, tmp_path, monkeypatch):
    envelopes("--runner", RUN)
    monkeypatch.chdir(tmp_path)
    assert threadlake("compact", "--lake", "lake", "--", "--runner")[0] == 0


def test_a_dead_letter_of_a_hostile_name_is_found(threadlake, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "ü '\"\n").write_text("rubbish\n")
    threadlake("compact", tmp_path / "raw", "--lake", tmp_path / "lake")
    _, out, _ = threadlake("sql", "--lake", tmp_path / "lake", "SELECT uri, reason FROM dead_letters", "--json")
    assert json.loads(out) == [{"uri": f"{tmp_path}/raw/ü '\"\n", "reason": "not_a_log"}]


def test_a_name_that_is_no_text_is_refused(threadlake, tmp_path):
    (tmp_path / "raw").mkdir()
    name = os.fsencode(tmp_path / "raw") + b"/\xff.ndjson"
    with open(name, "wb"):  # noqa: PTH123 - a Path has text
        pass
    status, out, err = threadlake("compact", tmp_path / "raw", "--lake", tmp_path / "lake")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "lake").exists()


def test_a_copilotkit_file_is_an_input_like_any_other(threadlake, replayed, tmp_path):
    with sqlite3.connect(tmp_path / "agent.db") as store:
        store.execute(
            "CREATE TABLE agent_runs (id INTEGER PRIMARY KEY, thread_id TEXT, run_id TEXT, parent_run_id TEXT,"
            " events TEXT, input TEXT, created_at INTEGER, version INTEGER)"
        )
        given = {"threadId": "t", "runId": "r", "messages": [{"id": "u", "role": "user", "content": "hi"}], "state": {}}
        row = ("t", "r", None, json.dumps([event for _, event in RUN]), json.dumps(given), 1_764_500_000_000)
        store.execute("INSERT INTO agent_runs VALUES (1, ?, ?, ?, ?, ?, ?, 1)", row)
    store.close()
    assert threadlake("compact", tmp_path / "agent.db", "--lake", tmp_path / "lake")[0] == 0
    assert [message["content"] for message in replayed("t")["messages"]] == ["hi", "hello"]


def test_workers_need_not_be_where_the_command_was_typed(threadlake, envelopes, tmp_path, monkeypatch):
    from pipelines.stages import decode

    envelopes("raw/log.ndjson", RUN)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    read = decode.open_source

    def open_elsewhere(source):
        monkeypatch.chdir(tmp_path / "elsewhere")
        for name in [name for name in os.environ if name != "PATH"]:
            monkeypatch.delenv(name)
        return read(source)

    monkeypatch.setattr(decode, "open_source", open_elsewhere)
    assert threadlake("compact", "raw", "--lake", "lake")[0] == 0
    assert list((tmp_path / "lake").rglob("*.parquet"))
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_failure_of_a_worker_is_one_line(threadlake, envelopes, tmp_path, monkeypatch):
    from pipelines.stages import decode
    from schemas.errors import InputError

    def fail(source):
        raise InputError(f"{source.uri}: it went away")

    monkeypatch.setattr(decode, "open_source", fail)
    status, out, err = threadlake("compact", envelopes("log.ndjson", RUN), "--lake", tmp_path / "lake")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "it went away" in err
    assert not list((tmp_path / "lake" / "_commits").glob("*[!n].json"))


def test_an_attempt_that_crashed_is_done_again(threadlake, envelopes, tmp_path, monkeypatch):
    from pipelines.stages import commit

    def fail(*_):
        raise OSError(28, "No space left on device")

    log = envelopes("log.ndjson", RUN)
    with monkeypatch.context() as patch:
        patch.setattr(commit.Lake, "write_commit", fail)
        assert threadlake("compact", log, "--lake", tmp_path / "lake")[0] == 2
    left = {path.name for path in (tmp_path / "lake").rglob("*.parquet")}
    assert left
    assert threadlake("threads", "--lake", tmp_path / "lake", "--json")[1] == "[]\n"
    assert threadlake("compact", log, "--lake", tmp_path / "lake")[0] == 0
    assert {path.name for path in (tmp_path / "lake").rglob("*.parquet")} == left


def test_too_many_dead_letters_commit_nothing(threadlake, envelopes, tmp_path):
    log = envelopes("raw/log.ndjson", [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})] * 1)
    log.write_text(log.read_text() + "rubbish\n" * 3)
    words = ("compact", log, "--lake", tmp_path / "lake")
    status, out, err = threadlake(*words, "--fail-on", "0.7")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "3 of 4 records are dead letters, more than --fail-on 0.7 stands: not_json 3" in err
    assert threadlake("threads", "--lake", tmp_path / "lake", "--json")[1] == "[]\n"
    assert threadlake(*words, "--fail-on", "0.75")[0] == 1
    assert '"thread_id":"t"' in threadlake("threads", "--lake", tmp_path / "lake", "--json")[1]


@pytest.mark.parametrize("share", ["-0.1", "1.1", "five", "nan"])
def test_a_share_that_is_none_is_refused(threadlake, tmp_path, share):
    status, _, err = threadlake("compact", tmp_path, "--lake", tmp_path / "lake", f"--fail-on={share}")
    assert status == 2
    assert "is no share" in err


def test_figures_are_written_for_prometheus(threadlake, envelopes, tmp_path):
    log = envelopes("raw/log.ndjson", [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})])
    threadlake("compact", log, "--lake", tmp_path / "lake", "--metrics", tmp_path / "x.prom")
    assert "threadlake_compact_runs 1.0" in (tmp_path / "x.prom").read_text()

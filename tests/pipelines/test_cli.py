"""The command line: exit codes, one clear line for each mistake, and nothing written by it."""

import argparse
import importlib
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipelines.cli import COMMANDS, parse

ROOT = Path(__file__).resolve().parents[2]
START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
LOG = [("r", START), ("r", {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})]


@pytest.fixture
def log(envelopes):
    return envelopes("raw/log.ndjson", LOG)


def refused(threadlake, *words):
    status, out, err = threadlake(*words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err


def test_clean_is_0_and_findings_are_1(threadlake, log, tmp_path):
    assert threadlake("compact", log, "--lake", tmp_path / "clean")[0] == 0
    log.write_text(log.read_text() + "no json\n")
    assert threadlake("compact", log, "--lake", tmp_path / "found")[0] == 1


def test_a_missing_input_is_refused(threadlake, tmp_path):
    assert "missing.ndjson" in refused(threadlake, "compact", tmp_path / "missing.ndjson", "--lake", tmp_path / "lake")
    assert not (tmp_path / "lake").exists()


def test_an_unwritable_lake_is_refused(threadlake, log, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert "file" in refused(threadlake, "compact", log, "--lake", tmp_path / "file" / "lake")


def test_a_folder_that_is_no_lake_is_refused(threadlake, log, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not touch")
    assert "no lake" in refused(threadlake, "compact", log, "--lake", tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_lake_of_a_newer_format_is_refused(threadlake, log, tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "_lake.json").write_text('{"format": 99}')
    for words in (["compact", log], ["sql", "SELECT 1"], ["threads"], ["replay", "--thread", "t"]):
        assert "99" in refused(threadlake, *words, "--lake", tmp_path / "lake")


def test_a_lake_inside_its_input_is_refused(threadlake, log):
    assert "inside" in refused(threadlake, "compact", log.parent, "--lake", log.parent / "lake")


@pytest.mark.parametrize("words", [["--nonsense"], ["--runner=DaskRunner"], ["--raw", "maybe"], ["--redact", "strict"]])
def test_a_bad_option_is_refused(threadlake, log, tmp_path, words):
    refused(threadlake, "compact", log, "--lake", tmp_path / "lake", *words)
    assert not (tmp_path / "lake").exists()


def test_the_dask_runner_is_refused_with_its_reason(threadlake, log, tmp_path):
    assert "DONE" in refused(threadlake, "compact", log, "--lake", tmp_path / "lake", "--runner", "DaskRunner")


def test_a_fault_is_2_and_tells_no_content(threadlake, log, tmp_path, monkeypatch, caplog):
    said = "what a user wrote"

    def fail(*_):
        raise KeyError(said)

    monkeypatch.setattr("pipelines.planning.make_plan", fail)
    status, out, err = threadlake("plan", log, "--lake", tmp_path / "lake")
    assert (status, out) == (2, "")
    assert "KeyError" in caplog.text
    assert said not in caplog.text + err


def started(*words, **options):
    command = [sys.executable, "-m", "pipelines", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_a_reader_that_leaves_is_no_failure(threadlake, log, tmp_path):
    threadlake("compact", log, "--lake", tmp_path / "lake")
    with started("sql", "--lake", tmp_path / "lake", "SELECT range AS number FROM range(200000)") as running:
        assert running.stdout.readline() == b"number\n"
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_any_other_broken_pipe_is_a_failure(threadlake, log, tmp_path, monkeypatch, caplog):
    def fail(*_):
        raise BrokenPipeError

    monkeypatch.setattr("pipelines.planning.make_plan", fail)
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    assert threadlake("plan", log, "--lake", tmp_path / "lake")[0] == 2
    assert "BrokenPipeError" in caplog.text


def test_ctrl_c_is_130_and_commits_nothing(log, tmp_path):
    lines = log.read_text().splitlines(keepends=True)
    with log.open("a") as file:
        for number in range(60_000):
            file.write(lines[0].replace('"r"', f'"r{number}"'))
    with started("compact", log, "--lake", tmp_path / "lake", restore_signals=True) as running:
        while not list((tmp_path / "lake").glob("_commits/*.plan.json")) and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        assert running.stderr.read() == b"threadlake: interrupted\n"
    assert running.returncode == 130
    assert [path.name[-10:] for path in (tmp_path / "lake" / "_commits").iterdir()] == [".plan.json"]


@pytest.mark.parametrize("words", [[], ["nonsense"], ["compact"], ["compact", "x"], ["sql", "--lake", "l"], ["--bad"]])
def test_words_that_cannot_be_read_are_2_and_one_line(threadlake, words):
    refused(threadlake, *words)


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_is_0_and_on_stdout(threadlake, command):
    status, out, err = threadlake(*command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith("usage: threadlake")


def test_help_of_compact_tells_how_options_of_beam_are_given(threadlake):
    out = threadlake("compact", "--help")[1]
    assert "--direct_num_workers 2" in out
    assert "exit status" in out


def test_plan_writes_nothing(threadlake, log, tmp_path):
    status, out, _ = threadlake("plan", log, "--lake", tmp_path / "lake", "--json")
    assert status == 0
    assert [source["uri"] for source in json.loads(out)["sources"]] == [str(log)]
    assert not (tmp_path / "lake").exists()


def test_options_of_beam_may_stand_anywhere(threadlake, log, tmp_path):
    words = ["compact", "--direct_num_workers", "1", log, "--lake", tmp_path / "lake", "--job_name=x", "--json"]
    status, out, _ = threadlake(*words)
    assert (status, json.loads(out)["objects"]) == (0, 1)


def test_readme_commands_are_commands():
    found = []
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        text = re.sub(r'"\n(.*?)"', lambda quoted: '"' + quoted[1].replace("\n", " ") + '"', block, flags=re.DOTALL)
        found += re.findall(r"^\$? ?threadlake (.*)$", text, re.MULTILINE)
    assert {line.split()[0] for line in found} >= {"sample", "compact", "sql", "tree", "replay", "plan", "threads"}
    for line in found:
        words = shlex.split(line.split("|")[0], comments=True)
        assert parse(words).command in COMMANDS


def test_readme_options_are_options():
    from pipelines.options import split_words

    ours = {flag for name in COMMANDS for flag in flags(name)}
    named = set(re.findall(r"`(--[a-z][a-z_-]+)", (ROOT / "README.md").read_text()))
    assert named >= {"--path-pattern", "--raw", "--run", "--json"}
    assert not split_words(sorted(named - ours))[0]


def flags(name):
    parser = argparse.ArgumentParser()
    importlib.import_module(f"pipelines.commands.{name}").configure(parser)
    return {flag for action in parser._actions for flag in action.option_strings}

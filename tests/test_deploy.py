"""The examples of deploy/: commands that the parser takes, files that are there. No engine of theirs is on hand."""

import ast
import re
import shlex
from pathlib import Path

import pytest

from pipelines.cli import COMMANDS, parse

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"


CALL = re.compile(rf"threadlake ((?:{'|'.join(COMMANDS)}) [^\n|]*)")


def commands(text):
    """The words of each line that calls threadlake, up to what the shell adds."""
    for found in CALL.finditer(text.replace('"\n    "', "").replace("{{ data_interval_start | ds }}", "2026-12-01")):
        yield shlex.split(found.group(1).rstrip('"'))


@pytest.mark.parametrize("name", ["crontab", "airflow_dag.py"])
def test_the_commands_are_ours(name):
    found = list(commands((DEPLOY / name).read_text()))
    assert found
    for words in found:
        args = parse(words)
        assert args.command == "verify" or args.date is not None
        assert not args.beam_words


def test_the_cron_job_calls_our_command():
    lines = (DEPLOY / "cronjob.yaml").read_text().splitlines()
    start = next(index for index, line in enumerate(lines) if line.strip() == "args:") + 1
    words = [line.strip().removeprefix("- ") for line in lines[start : start + 6]]
    args = parse(words)
    assert (args.command, args.json, args.beam_words) == ("compact", True, [])


def test_the_image_copies_what_is_there_and_all_of_it():
    text = (DEPLOY / "Dockerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.MULTILINE) for word in line.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {"threadlake", "schemas", "transforms", "pipelines"} <= set(copied)


def test_the_dag_is_python():
    ast.parse((DEPLOY / "airflow_dag.py").read_text())


def test_the_page_names_commands_and_flags_that_exist():
    text = (ROOT / "docs" / "operations.md").read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for words in commands(block):
            parse(words)

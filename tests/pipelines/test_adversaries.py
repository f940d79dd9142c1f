"""The job before hostile inputs: each ends in a view, a dead letter or a violation, and takes nothing else with it."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pipelines.cli import main
from tests.adversaries.catalogue import ADVERSARIES, GROWTH
from tests.adversaries.outcome import Outcome
from tests.adversaries.writing import conversation, message, write_lines
from transforms.decode.pattern import MAX_PATTERN_CHARS

ROOT = Path(__file__).resolve().parents[2]
SCALE = 0.004
BOUNDED = """
import resource, sys
from pipelines.cli import main
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
sys.exit(main(sys.argv[1:]))
"""
"""The command line in 1.5 GiB of address space."""


def names_of(adversaries):
    return [adversary.name for adversary in adversaries]


@pytest.fixture(scope="module")
def compacted(tmp_path_factory):
    """All adversaries in one job: its summary and what came out."""
    folder = tmp_path_factory.mktemp("adversaries")
    for adversary in ADVERSARIES:
        adversary.write(folder / "raw" / adversary.name, SCALE)
    with pytest.MonkeyPatch.context() as patch, (folder / "summary.json").open("w+") as out:
        patch.setattr(sys, "stdout", out)
        status = main(["compact", str(folder / "raw"), "--lake", str(folder / "lake"), "--json"])
        out.seek(0)
        return status, json.load(out), Outcome(folder / "lake"), folder


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=names_of(ADVERSARIES))
def test_each_ends_in_a_view_a_dead_letter_or_a_violation(compacted, adversary):
    adversary.check(compacted[2], SCALE)


def test_every_hostile_record_is_accounted_for(compacted):
    status, found, _, _ = compacted
    assert status == 1
    assert found["records"] == found["events_in"] + found["duplicates"] + sum(found["dead_letters"].values())
    assert found["verbatim_runs"] == 0


def test_no_id_leads_out_of_the_lake(compacted):
    *_, folder = compacted
    assert {path.name for path in folder.iterdir()} == {"raw", "lake", "summary.json"}
    tables = {"_commits", "_heads", "_lease", "_lake.json"}
    tables |= {"runs", "usage", "messages", "tool_calls", "states", "events", "dead_letters"}
    assert {path.name for path in (folder / "lake").iterdir()} <= tables


@pytest.mark.parametrize(
    "thread", ["../../etc", "a/b", "NUL", "*", "x'; DROP TABLE runs; --", "line\nbreak", "nul\0thread"]
)
def test_a_thread_of_any_name_can_be_asked_for(compacted, threadlake, thread):
    lake = ["--lake", compacted[3] / "lake", f"--thread={thread}"]
    status, out, err = threadlake("replay", *lake)
    assert (status, err) == (0, "")
    assert json.loads(out)["messages"]
    assert threadlake("tree", *lake)[0] == 0


def test_threads_of_any_name_are_listed_and_counted(compacted, threadlake):
    lake = ["--lake", compacted[3] / "lake"]
    status, out, err = threadlake("threads", *lake)
    assert (status, err) == (0, "")
    assert "../../etc" in out
    status, out, err = threadlake(
        "sql", *lake, "SELECT count(DISTINCT (tenant_id, thread_id)) AS n FROM runs", "--json"
    )
    assert (status, err) == (0, "")
    assert str(compacted[1]["threads"]) in out


def compact_bounded(adversary, scale, folder):
    """Compact one adversary in a process of bounded memory; returns its exit code."""
    adversary.write(folder / "raw", scale)
    command = [sys.executable, "-c", BOUNDED, "compact", folder / "raw", "--lake", folder / "lake"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60).returncode


@pytest.mark.parametrize("adversary", GROWTH, ids=names_of(GROWTH))
def test_a_growing_state_takes_bounded_memory(adversary, tmp_path):
    assert compact_bounded(adversary, SCALE, tmp_path) in (0, 1)
    adversary.check(Outcome(tmp_path / "lake"), SCALE)


@pytest.mark.parametrize(
    "pattern",
    [
        "{thread_id}/{thread_id}.jsonl",
        "{thread_id}" * 50,
        "{",
        "}",
        "{}",
        "{thread_id",
        "((((a+)+)+)+$",
        "".join(f"{{a{number}}}" for number in range(200)),
        "{a}{b}{c}",
        "{thread_id}{run_id}",
        "{thread_id}*",
        "{thread_id}/" + "x" * MAX_PATTERN_CHARS,
        "{thread_id}" + "/*" * 65,
        "",
        "\0",
    ],
)
def test_a_hostile_pattern_is_a_usage_error(threadlake, tmp_path, pattern):
    write_lines(tmp_path / "raw" / "log.ndjson", conversation("t", []))
    words = [tmp_path / "raw", "--lake", tmp_path / "lake", f"--path-pattern={pattern}"]
    status, out, err = threadlake("compact", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "lake").exists()


def test_patterns_that_could_go_back_are_linear(threadlake, tmp_path):
    long = "a" * 250
    folder = tmp_path / "raw" / "/".join([long] * 10)
    write_lines(folder / (long + "!"), conversation("t", []))
    for pattern in ("**/*a*a*a*a*a*a*a*a*/{thread_id}b", "**/a/" * 20 + "{thread_id}b", "…/*a/…/*a/…/{thread_id}!"):
        status, out, err = threadlake(
            "plan", tmp_path / "raw", "--lake", tmp_path / "lake", f"--path-pattern={pattern}"
        )
        assert (status in (0, 1), bool(out)) == (True, True), err


def test_a_name_that_is_no_text_is_refused_before_anything_is_written(threadlake, tmp_path):
    folder = tmp_path / "raw"
    write_lines(folder / "log.ndjson", conversation("t", message("m", "x")))
    (folder / "bad\udcff.ndjson").write_bytes(b"")
    status, out, err = threadlake("compact", folder, "--lake", tmp_path / "lake")
    assert (status, out) == (2, "")
    assert "rename the file" in err
    assert not (tmp_path / "lake").exists()


def test_every_adversary_has_a_name_of_its_own():
    counts = Counter(names_of(ADVERSARIES))
    assert set(counts.values()) == {1}

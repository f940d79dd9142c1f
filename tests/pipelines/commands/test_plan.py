"""A plan says what compact would do, and refuses what it would refuse; it writes nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
RUN = [("r", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})]


@pytest.fixture
def log(envelopes):
    return envelopes("raw/tenant/log.ndjson", RUN)


def test_a_person_sees_the_objects(threadlake, log, tmp_path):
    status, out, err = threadlake("plan", log.parent, "--lake", tmp_path / "lake")
    assert (status, err) == (0, "")
    assert "1 objects" in out
    assert str(log) in out
    assert not (tmp_path / "lake").exists()


def test_the_plan_is_the_one_that_compact_writes(threadlake, log, tmp_path):
    words = [log, "--lake", tmp_path / "lake", "--path-pattern", "{tenant_id}/*.ndjson", "--bucket-bits", "2"]
    planned = json.loads(threadlake("plan", *words, "--json")[1])
    assert (planned.pop("lake"), planned.pop("is_written")) == (str(tmp_path / "lake"), False)
    threadlake("compact", *words)
    [path] = (tmp_path / "lake" / "_commits").glob("*.plan.json")
    assert json.loads(path.read_text()) == planned
    assert planned["sources"][0]["fields"] == {"tenant_id": "tenant"}
    assert json.loads(threadlake("plan", *words, "--json")[1])["is_written"]
    assert "there is nothing to do" in threadlake("plan", *words)[1]


@pytest.mark.parametrize("words", [["--runner=DaskRunner"], ["--direct_num_workers=x"], ["--path-pattern", "{x}"]])
def test_what_compact_refuses_is_refused(threadlake, log, tmp_path, words):
    status, out, err = threadlake("plan", log, "--lake", tmp_path / "lake", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_lake_of_other_inputs_is_refused(threadlake, log, envelopes, tmp_path):
    threadlake("compact", log, "--lake", tmp_path / "lake")
    status, _, err = threadlake("plan", envelopes("raw/other.ndjson", RUN), "--lake", tmp_path / "lake")
    assert status == 2
    assert "other inputs" in err


def test_a_plan_needs_no_beam(log, tmp_path):
    code = "import sys; sys.modules['apache_beam'] = None; from pipelines.cli import main; sys.exit(main(sys.argv[1:]))"

    def done(*words):
        command = [sys.executable, "-c", code, *map(str, words), str(log), "--lake", str(tmp_path / "lake")]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done("plan").returncode == 0
    for words in (["compact"], ["plan", "--streaming"]):
        missing = done(*words)
        assert missing.returncode == 2
        assert missing.stderr.count("\n") == 1
        assert "threadlake[jobs]" in missing.stderr

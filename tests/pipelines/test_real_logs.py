"""Real logs: the reference sees of each run what the job's lake gives, as a view, as a stream and as a snapshot."""

import io
import tarfile

import pytest
import zstandard

from tests.conformance.real_logs import judge_logs

EVERY = 60
"""Of so many captures one: `make conformance LOGS=…` takes them all."""


@pytest.fixture
def captures(shared, tmp_path):
    """A part of the captures of some thirty agents, unpacked."""
    packed = zstandard.decompress(
        (shared / "data" / "captures" / "agui-captures.tar.zst").read_bytes(), max_output_size=1 << 30
    )
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = [member for member in archive.getmembers() if member.isfile()][::EVERY]
        archive.extractall(tmp_path / "captures", members, filter="data")
    return tmp_path / "captures"


def assert_clean(tally, least):
    assert tally.is_clean, (tally.different, tally.refused)
    assert not tally.verbatim
    assert tally.runs >= least


def test_captures(captures, reference):
    assert_clean(judge_logs([str(captures)], reference), 80)


def test_a_sample(threadlake, reference, tmp_path):
    threadlake("sample", "--threads", "4", "--seed", "4", "--out", tmp_path / "raw")
    assert_clean(judge_logs([str(tmp_path / "raw")], reference), 8)

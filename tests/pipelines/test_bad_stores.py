"""Stores that fail: a night is the same night, or none that anybody sees, and the same command completes it."""

import errno
import json
import logging
import os
import shutil

import pytest

from pipelines.io import disk, retry
from pipelines.io.lake import Lake
from tests.faulty import faulty
from tests.nightly import Arrivals, contents, date, night_lines
from tests.seaweed import variables

NIGHTS = 2
RATE = 0.15

logger = logging.getLogger(__name__)


def arrived(place, seeds=range(400, 412)):
    raw = Arrivals(f"{place}/raw", 9)
    for night, lines in enumerate(night_lines(seeds, NIGHTS)):
        raw.arrive(night, lines)
    return raw.place


def use(endpoint, monkeypatch):
    """Let clients go to another endpoint from here on."""
    import s3fs

    for name, value in variables(endpoint).items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()


def all_nights(threadlake, raw, lake):
    for night in range(NIGHTS):
        status, out, err = threadlake("compact", raw, "--lake", lake, "--date", date(night), "--json")
        assert status in (0, 1), err
        assert json.loads(out)["night"] == date(night)


@pytest.mark.parametrize("seed", [1, 2])
def test_nights_through_a_store_that_fails_are_the_same_nights(threadlake, s3, s3_endpoint, monkeypatch, seed):
    raw = arrived(s3)
    all_nights(threadlake, raw, f"{s3}/whole")
    for name, value in {"CONNECT_SECONDS": 1.0, "READ_SECONDS": 0.5, "FIRST_SECONDS": 0.01}.items():
        monkeypatch.setattr(retry, name, value)
    with faulty(s3_endpoint, RATE, seed, slow_seconds=(0.05, 0.2), hang_seconds=1.0) as proxy:
        use(proxy.url, monkeypatch)
        all_nights(threadlake, raw, f"{s3}/lake")
        logger.info("requests %s, faults %s", dict(proxy.requests), dict(proxy.faults))
        assert proxy.faults.total() > 20
    use(s3_endpoint, monkeypatch)
    assert contents(f"{s3}/lake") == contents(f"{s3}/whole")


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_disk_that_refuses_leaves_no_night_and_the_next_try_completes_it(threadlake, tmp_path, monkeypatch, fault):
    raw = arrived(tmp_path)
    all_nights(threadlake, raw, f"{tmp_path}/whole")
    lake = f"{tmp_path}/lake"
    failures = 0
    for allowed in (0, 3, 7, 11, 14):
        with monkeypatch.context() as patch:
            patch.setattr(disk.os, "fsync", failing_after(allowed, fault))
            status, out, err = threadlake("compact", raw, "--lake", lake, "--date", date(0))
        if status == 2:
            failures += 1
            assert (out, err.count("\n")) == ("", 1), err
            assert not (tmp_path / "lake" / "_lake.json").exists() or not Lake.open(lake).nights()
            assert not list((tmp_path / "lake").rglob("*.tmp"))
            shutil.rmtree(tmp_path / "lake" / "_lease", ignore_errors=True)  # the process that held it would be gone
    assert failures > 3
    all_nights(threadlake, raw, lake)
    assert contents(lake) == contents(f"{tmp_path}/whole")


def failing_after(count, fault):
    """An fsync that works so often, and then fails."""
    left, sync = [count], os.fsync

    def fail(handle):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(fault, os.strerror(fault))
        sync(handle)

    return fail


def test_a_store_that_is_away_is_named_and_the_next_try_completes_the_night(threadlake, s3, s3_endpoint, monkeypatch):
    raw = arrived(s3)
    for name, value in {"TOTAL_SECONDS": 0.5, "FIRST_SECONDS": 0.01}.items():
        monkeypatch.setattr(retry, name, value)
    with faulty(s3_endpoint, 0.0) as proxy:
        use(proxy.url, monkeypatch)
        proxy.stop()
        status, out, err = threadlake("compact", raw, "--lake", f"{s3}/lake", "--date", date(0))
    assert (status, out, err.splitlines()[-1].startswith("threadlake: s3://")) == (2, "", True), err
    use(s3_endpoint, monkeypatch)
    all_nights(threadlake, raw, f"{s3}/lake")

"""What is stored comes back exactly, from a store that fails one request in five."""

import logging
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pipelines.io import retry
from pipelines.io.files import expand, open_input
from pipelines.io.places import filesystem
from pipelines.io.store import Store
from schemas.errors import InputError, LakeError
from tests.faulty import KINDS, Proxy, faulty
from tests.seaweed import BUCKET, KEY, SECRET, variables

MB = 1 << 20
RATE = 0.2
READ_SECONDS = 0.5
ABRUPT = tuple(kind for kind in KINDS if kind not in {"slow", "hang", "stalled"})
"""The faults that take no time."""

logger = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def running(s3_endpoint) -> Iterator[Proxy]:
    with faulty(s3_endpoint, slow_seconds=(0.1, 0.3), hang_seconds=2 * READ_SECONDS) as proxy:
        yield proxy
    forget_clients()


@pytest.fixture
def proxy(running, monkeypatch) -> Iterator[Proxy]:
    """A faulty proxy before the store, the AWS variables that point to it, and a client that waits little."""
    monkeypatch.setattr(retry, "CONNECT_SECONDS", 1.0)
    monkeypatch.setattr(retry, "READ_SECONDS", READ_SECONDS)
    monkeypatch.setattr(retry, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(retry, "LONGEST_SECONDS", 0.2)
    monkeypatch.setattr(retry, "TOTAL_SECONDS", 10.0)
    for name, value in variables(running.url).items():
        monkeypatch.setenv(name, value)
    running.fail(RATE)
    yield running
    logger.info("requests %s, faults %s", dict(running.requests), dict(running.faults))


@pytest.fixture(scope="module")
def client(s3_endpoint):
    """A client of the store itself, past the proxy."""
    import s3fs

    return s3fs.S3FileSystem(key=KEY, secret=SECRET, endpoint_url=s3_endpoint, skip_instance_cache=True)


@pytest.fixture
def prefix() -> str:
    return f"{BUCKET}/faults-{time.monotonic_ns():x}"


@contextmanager
def within(seconds: float):
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def forget_clients():
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()


def payload_of(size, seed=0):
    return random.Random(seed).randbytes(size)


def test_what_is_written_is_read_listed_and_deleted_through_all_faults(proxy, client, prefix):
    store = Store(f"s3://{prefix}/lake")
    payloads = {f"t/dt=2026-01-{day:02d}/ä {day}.parquet": payload_of(200_000, day) for day in range(1, 21)}
    for path, payload in payloads.items():
        store.write(path, payload)
    assert {path: client.cat_file(f"{prefix}/lake/{path}") for path in payloads} == payloads
    assert store.list() == sorted(payloads)
    assert dict(zip(payloads, store.read_many(list(payloads)), strict=True)) == payloads
    for path, payload in payloads.items():
        assert store.exists(path)
        assert not store.exists(f"{path}.no")
        assert store.read(path) == payload
    for path in payloads:
        store.delete(path)
    assert store.list() == []
    assert not any(client.isfile(f"{prefix}/lake/{path}") for path in payloads)
    assert sum(proxy.faults.values()) > 20
    assert set(proxy.faults) >= set(ABRUPT)


@pytest.mark.parametrize("seed", range(3))
def test_ranges_and_streams_give_exactly_what_is_stored(proxy, client, prefix, seed):
    payload = payload_of(6 * MB, seed)
    client.pipe_file(f"{prefix}/big", payload)
    proxy.fail(0.4, seed, ABRUPT)
    with Store(f"s3://{prefix}").open("big") as file:
        for _ in range(20):
            start = file.seek(random.Random(seed).randrange(len(payload)))
            assert file.read(300_000) == payload[start : start + 300_000]
    fs, key = filesystem(f"s3://{prefix}/big")
    with fs.open(key, "rb", block_size=256 * 1024) as stream:
        assert b"".join(iter(lambda: stream.read(100_000), b"")) == payload
    with open_input(f"s3://{prefix}/big") as stream:
        assert stream.read() == payload
    assert fs.cat_file(key, chunksize=MB) == payload
    assert sum(proxy.faults.values()) >= 10


def test_a_listing_of_many_pages_is_whole(proxy, client, prefix, monkeypatch):
    names = [f"in/{index:03d}.jsonl" for index in range(120)]
    client.pipe({f"{prefix}/{name}": b"x" for name in names})
    proxy.fail(0.4, kinds=ABRUPT)
    monkeypatch.setitem(filesystem(f"s3://{prefix}")[0].s3_additional_kwargs, "MaxKeys", 5)
    assert Store(f"s3://{prefix}").list() == names
    assert [source.uri for source in expand([f"s3://{prefix}/in"])] == [f"s3://{prefix}/{name}" for name in names]
    assert proxy.requests["GET"] > 48
    assert sum(proxy.faults.values()) > 10


def test_an_answer_that_is_lost_leaves_the_file_that_was_created(proxy, client, prefix):
    proxy.fail(0.5, kinds=("lost",))
    store = Store(f"s3://{prefix}")
    told = [store.create(f"lease-{index}", b"mine") for index in range(10)]
    assert all(store.read(f"lease-{index}") == b"mine" for index in range(10))
    assert set(told) == {True, False}


@pytest.mark.parametrize("kind", [*ABRUPT, "hang", "stalled"])
def test_each_fault_is_outlived(proxy, client, prefix, monkeypatch, kind):
    payload = payload_of(MB)
    client.pipe_file(f"{prefix}/f", payload)
    monkeypatch.setattr(proxy, "meet", first_fails(proxy, kind))
    assert Store(f"s3://{prefix}").read("f") == payload
    with open_input(f"s3://{prefix}/f") as stream:
        assert stream.read(MB) == payload
    Store(f"s3://{prefix}").write("g", payload)
    assert client.cat_file(f"{prefix}/g") == payload
    Store(f"s3://{prefix}").delete("g")
    assert not client.exists(f"{prefix}/g")
    assert proxy.faults[kind] == 4


def first_fails(proxy, kind):
    """A choice that fails the first request of each method, and no other."""
    seen = set()

    def meet(method):
        proxy.requests[method] += 1
        if method in seen:
            return None
        seen.add(method)
        proxy.faults[kind] += 1
        return kind

    return meet


def test_a_range_that_is_answered_short_is_asked_for_again(proxy, client, prefix):
    payload = payload_of(MB)
    client.pipe_file(f"{prefix}/f", payload)
    proxy.fail(0.5, kinds=("short",))
    with Store(f"s3://{prefix}").open("f", MB) as file:
        assert b"".join(iter(lambda: file.read(100_000), b"")) == payload
    with open_input(f"s3://{prefix}/f") as stream:
        assert stream.read() == payload
    assert proxy.faults["short"] > 4


@pytest.mark.parametrize("kind", ["short", "truncated"])
def test_a_range_that_stays_short_is_an_error(proxy, client, prefix, monkeypatch, kind):
    detail = {"short": "5 of 10 bytes", "truncated": "ClientPayloadError"}[kind]
    client.pipe_file(f"{prefix}/f", b"0123456789")
    monkeypatch.setattr(retry, "TOTAL_SECONDS", 0.2)
    proxy.fail(1.0, kinds=(kind,))
    with Store(f"s3://{prefix}").open("f", 10) as file, pytest.raises(OSError, match=f"broke off: {detail}"):
        file.read(10)


def test_an_object_that_ends_before_its_size_is_an_error(proxy, client, prefix):
    proxy.fail(0)
    client.pipe_file(f"{prefix}/f", b"0123456789")
    with Store(f"s3://{prefix}").open("f", 12) as file:
        file.seek(8)
        with pytest.raises(OSError, match=r"bytes 10 to 12|range"):
            file.read(4)


def test_an_object_that_is_replaced_while_it_is_read_is_an_error(proxy, client, prefix):
    client.pipe_file(f"{prefix}/f", payload_of(MB))
    with filesystem(f"s3://{prefix}/f")[0].open(f"{prefix}/f", "rb", block_size=1000) as stream:
        assert stream.read(1000) == payload_of(MB)[:1000]
        client.pipe_file(f"{prefix}/f", payload_of(MB, 2))
        with within(2), pytest.raises(OSError, match="no longer exists"):
            stream.read()


def test_a_store_that_is_away_for_seconds_is_waited_for(proxy, client, prefix, caplog):
    proxy.fail(0)
    store = Store(f"s3://{prefix}")
    store.write("f", b"before")
    proxy.stop()
    proxy.start()
    assert store.read("f") == b"before"  # the client's connections are broken, and it does not know
    for act in (lambda: store.read("f"), lambda: store.write("g", b"after"), store.list):
        timer = proxy.away(1.0)
        began = time.monotonic()
        act()
        assert time.monotonic() - began > 0.8
        timer.join()
    assert client.cat_file(f"{prefix}/g") == b"after"
    warnings = [record.getMessage() for record in caplog.records if record.name == "pipelines.io.retry"]
    assert any(f"put_object {prefix}/g: EndpointConnectionError; retry" in line for line in warnings)
    assert all(record.levelname == "WARNING" for record in caplog.records if record.name == "pipelines.io.retry")


def test_a_store_that_stays_away_is_one_line_within_the_bound(proxy, client, prefix, monkeypatch):
    monkeypatch.setattr(retry, "TOTAL_SECONDS", 0.6)
    proxy.fail(1.0, kinds=("503",))
    with pytest.raises(LakeError, match=f"s3://{prefix}/f: cannot write it: not now; credentials"):
        Store(f"s3://{prefix}").write("f", b"x")
    proxy.fail(1.0, kinds=("truncated",))
    with pytest.raises(LakeError, match="cannot read it: Connection was closed"):
        Store(f"s3://{prefix}").read("f")
    proxy.stop()
    began = time.monotonic()
    for act in (expand, lambda places: open_input(places[0])):
        with pytest.raises(InputError, match="cannot read it: Could not connect to the endpoint URL") as caught:
            act([f"s3://{prefix}/in"])
        assert "\n" not in str(caught.value)
    with pytest.raises(LakeError, match="Could not connect"):
        Store(f"s3://{prefix}").exists("f")
    assert 1.5 < time.monotonic() - began < 5
    proxy.start()


def test_a_failure_of_the_moment_is_no_missing_file(proxy, client, prefix, monkeypatch):
    client.pipe_file(f"{prefix}/f", b"x")
    monkeypatch.setattr(retry, "TOTAL_SECONDS", 0.2)
    proxy.fail(1.0, kinds=("500",))
    with pytest.raises(LakeError, match="cannot read it"):
        Store(f"s3://{prefix}").exists("f")
    with pytest.raises(InputError, match="cannot read it"):
        expand([f"s3://{prefix}/f"])


def test_the_attempts_that_botocore_is_told_are_kept(proxy, client, prefix, monkeypatch):
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "3")
    forget_clients()
    proxy.fail(1.0, kinds=("500",))
    with pytest.raises(LakeError):
        Store(f"s3://{prefix}").write("f", b"x")
    assert proxy.requests == {"PUT": 3}


def test_a_permanent_failure_is_raised_at_once(proxy, client, prefix, monkeypatch):
    proxy.fail(0)
    store = Store(f"s3://{prefix}")
    store.write("f", b"x")
    proxy.requests.clear()
    with within(2), pytest.raises(LakeError, match="/none: not found; check the path"):
        store.read("none")
    with within(2), pytest.raises(LakeError, match="not found; check the path"):
        Store("s3://no-such-bucket-at-all/lake").read("f")  # SeaweedFS makes the bucket that is written to
    with within(2), pytest.raises(InputError, match="no such file, folder or prefix"):
        expand([f"s3://{prefix}/none"])
    with within(2), pytest.raises(OSError, match="range"):
        filesystem(f"s3://{prefix}/f")[0].cat_file(f"{prefix}/f", start=10, end=20)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET[::-1])
    forget_clients()
    with within(2), pytest.raises(LakeError, match="no permission to write it; credentials"):
        store.write("f", b"x")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    forget_clients()
    with within(2), pytest.raises(LakeError, match="cannot write it: Unable to locate credentials"):
        store.write("f", b"x")
    assert sum(proxy.requests.values()) < 12
    forget_clients()

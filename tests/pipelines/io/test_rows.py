import io
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.io.lake import Lake
from pipelines.io.rows import table_rows, thread_rows, threads
from pipelines.io.threads import thread_runs
from schemas.errors import ConfigError, LakeError
from tests.lakes import arrow, message, run, write_lake

KEYS = st.tuples(st.sampled_from(["", "acme", "é"]), st.text(st.characters(exclude_categories=["Cs"]), max_size=4))


def messages(threads: list[tuple[str, str]], count: int = 5) -> list[dict[str, object]]:
    return [
        message(0, position, "user", f"{thread} {position}", tenant_id=tenant, thread_id=thread)
        for tenant, thread in threads
        for position in range(count)
    ]


@given(st.lists(KEYS, unique=True, max_size=8), st.integers(0, 3), KEYS)
@settings(max_examples=60, deadline=None)
def test_reading_a_thread_returns_exactly_its_rows(tmp_path_factory, known, bits, stranger):
    place = str(tmp_path_factory.mktemp("lake"))
    lake = write_lake(place, {"messages": messages(known)}, bits=bits)
    for tenant, thread in [*known, stranger]:
        own = [row for row in messages(known) if (row["tenant_id"], row["thread_id"]) == (tenant, thread)]
        assert thread_rows(lake, "messages", thread, tenant).equals(arrow("messages", own))
        shared = [row for row in messages(known) if row["thread_id"] == thread]
        assert thread_rows(lake, "messages", thread).equals(arrow("messages", shared))


def test_rows_of_several_nights_and_bucket_sizes_come_together(tmp_path):
    first = [run(0), run(1, 0)]
    second = [run(2, 1), run(0, thread_id="other")]
    write_lake(str(tmp_path), {"runs": first}, night="n1", bits=0)
    lake = write_lake(str(tmp_path), {"runs": second}, night="n2", bits=4, day="2026-11-30")
    assert thread_rows(lake, "runs", "t", "").column("run").to_pylist() == [0, 1, 2]
    assert thread_rows(lake, "usage", "t", "").num_rows == 0
    assert table_rows(lake, "runs").num_rows == 4
    assert table_rows(lake, "runs", ["run", "thread_id"]).column_names == ["run", "thread_id"]
    assert table_rows(lake, "runs", ["status"]).column_names == ["status"]
    assert threads(lake) == [("", "other"), ("", "t")]


def test_only_the_row_groups_that_can_hold_the_thread_are_read(tmp_path, monkeypatch):
    known = [("", f"thread-{index:05d}") for index in range(12_000)]
    rows = [row | {"text": sha256(row["text"].encode()).hexdigest()} for row in messages(known, 4)]
    lake = write_lake(str(tmp_path), {"messages": rows})
    size = lake.files("messages")[0].bytes
    read = count_reads(lake, monkeypatch)
    assert thread_rows(lake, "messages", "thread-00007", "").num_rows == 4
    assert sum(read) < size / 3


def test_only_the_bucket_of_the_thread_is_read(tmp_path, monkeypatch):
    lake = write_lake(str(tmp_path), {"messages": messages([("a", f"t{index}") for index in range(200)])}, bits=6)
    assert len(lake.files("messages")) > 40
    opened = []
    monkeypatch.setattr(type(lake.store), "open", recorded(opened, type(lake.store).open))
    assert thread_rows(lake, "messages", "t17", "a").num_rows == 5
    assert len(opened) == 1


def test_a_thread_is_read_from_an_object_store(s3):
    lake = write_lake(f"{s3}/a lake [1]", {"messages": messages([("a", "x"), ("a", "y")])}, bits=1)
    assert thread_rows(lake, "messages", "y", "a").equals(arrow("messages", messages([("a", "y")])))


def test_a_file_that_is_gone_or_damaged_is_named(tmp_path):
    lake = write_lake(str(tmp_path), {"runs": [run(0)]})
    path = tmp_path / lake.files("runs")[0].path
    path.write_bytes(b"PAR1 or so it says")
    with pytest.raises(LakeError, match=r"bucket-000\.parquet: damaged"):
        thread_rows(lake, "runs", "t")
    path.unlink()
    with pytest.raises(LakeError, match=r"bucket-000\.parquet: not found"):
        table_rows(lake, "runs")


def test_an_unknown_thread_gets_a_hint(tmp_path):
    lake = write_lake(str(tmp_path), {"runs": [run(0, thread_id="thread-1"), run(0, thread_id="zebra", tenant_id="a")]})
    assert thread_runs(lake, "zebra", None).num_rows == 1
    with pytest.raises(ConfigError, match="did you mean thread-1\\?"):
        thread_runs(lake, "thread-l", None)
    with pytest.raises(ConfigError, match="another tenant than 'b': 'a'"):
        thread_runs(lake, "zebra", "b")
    with pytest.raises(ConfigError, match="no thread yet"):
        thread_runs(Lake.create_or_open(f"{tmp_path}/new"), "t", None)


def test_a_thread_of_two_tenants_must_be_told_apart(tmp_path):
    lake = write_lake(str(tmp_path), {"runs": [run(0, tenant_id="a"), run(0, tenant_id="b")]})
    with pytest.raises(ConfigError, match="'a', 'b'; choose one with --tenant"):
        thread_runs(lake, "t", None)
    assert thread_runs(lake, "t", "b").column("tenant_id").to_pylist() == ["b"]


def recorded(calls, function):
    def call(*args):
        calls.append(args[1:])
        return function(*args)

    return call


def count_reads(lake: Lake, monkeypatch) -> list[int]:
    """The sizes of all reads that the lake's open files do from here on."""
    sizes: list[int] = []

    class Counted(io.FileIO):
        def read(self, *size):
            payload = super().read(*size)
            sizes.append(len(payload))
            return payload

    monkeypatch.setattr(type(lake.store), "open", lambda store, path, _: Counted(store.uri(path)))
    return sizes

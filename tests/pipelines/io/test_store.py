import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from pipelines.io.places import filesystem
from pipelines.io.store import Store
from schemas.errors import LakeError

NAMES = ["a.json", "d/e/f.parquet", "d/[x]*y?#z 'q'.json", "d/grüße-日本.json", "dt=2026-01-01/n.parquet"]


@pytest.fixture(params=["disk", "s3", "memory"])
def store(request, tmp_path) -> Store:
    if request.param == "disk":
        return Store(f"{tmp_path}/la[k]e #1?")
    if request.param == "memory":
        return Store(f"memory://{tmp_path.name}/lake")
    return Store(f"{request.getfixturevalue('s3')}/lake/")


def test_what_is_written_is_read_listed_and_deleted(store):
    assert store.is_empty()
    assert store.list() == []
    for name in NAMES:
        assert not store.exists(name)
        store.write(name, b"former")
        store.write(name, name.encode())
    assert store.list() == sorted(NAMES)
    assert store.list("d") == sorted(name for name in NAMES if name.startswith("d/"))
    assert not store.is_empty()
    for name in NAMES:
        assert store.exists(name)
        assert store.read(name) == name.encode()
        store.delete(name)
        store.delete(name)
        assert not store.exists(name)
    assert store.list() == []


def test_an_open_file_is_read_in_places(store):
    store.write("f", bytes(range(200)))
    with store.open("f") as file:
        file.seek(100)
        assert file.read(3) == b"def"
        file.seek(-1, os.SEEK_END)
        assert file.read() == b"\xc7"


def test_a_missing_file_is_named(store):
    store.write("other", b"x")
    for act in (store.read, store.open):
        with pytest.raises(LakeError, match="/none: not found"):
            act("none")


def test_a_store_travels_to_a_worker(store):
    store.write("f", b"x")
    assert pickle.loads(pickle.dumps(store)).read("f") == b"x"  # noqa: S301 - our own bytes


def test_a_file_is_created_where_there_is_none(store):
    for name in NAMES:
        assert store.create(name, b"first")
        assert not store.create(name, b"second")
        assert store.read(name) == b"first"
        store.delete(name)
        assert store.create(name, b"third")
    assert store.list() == sorted(NAMES)


@pytest.mark.parametrize("kind", ["disk", "s3"])
def test_of_eight_that_create_a_file_at_once_one_does(kind, request, tmp_path, monkeypatch):
    store = Store(f"{tmp_path}/lake" if kind == "disk" else f"{request.getfixturevalue('s3')}/lake")
    if kind == "s3":  # all eight get to the conditional put
        monkeypatch.setattr(type(filesystem(store.place)[0]), "exists", Mock(return_value=False))
    gate = threading.Barrier(8)

    def create(letter):
        gate.wait()
        return store.create("d/f", bytes([letter]) * 100_000)

    with ThreadPoolExecutor(8) as pool:
        told = dict(zip(b"abcdefgh", pool.map(create, b"abcdefgh"), strict=True))
    (winner,) = [letter for letter, was_created in told.items() if was_created]
    assert store.read("d/f") == bytes([winner]) * 100_000
    assert [path.name for path in tmp_path.rglob("*.tmp")] == []


def test_a_creator_that_fails_leaves_nothing_and_says_so(tmp_path, monkeypatch):
    def die(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", die)
    with pytest.raises(LakeError, match="cannot write it: No space left"):
        Store(str(tmp_path)).create("f", b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("refusal", [TypeError, NotImplementedError, ValueError])
def test_a_client_without_a_conditional_put_looks_and_then_puts(tmp_path, monkeypatch, refusal):
    store = Store(f"memory://{tmp_path.name}/lake")
    memory = type(filesystem(store.place)[0])
    put = memory.pipe_file

    def put_always(self, path, payload, mode="overwrite"):
        if mode != "overwrite":
            raise refusal
        put(self, path, payload)

    monkeypatch.setattr(memory, "pipe_file", put_always)
    assert store.create("f", b"first")
    assert not store.create("f", b"second")
    assert store.read("f") == b"first"


@pytest.mark.parametrize(("status", "is_refusal"), [(409, True), (412, True), (400, False), (503, False)])
def test_a_conditional_put_that_fails_otherwise_is_an_error(tmp_path, monkeypatch, status, is_refusal):
    class ClientError(Exception):
        response = {"ResponseMetadata": {"HTTPStatusCode": status}}  # noqa: RUF012 - as botocore's

    def put(self, path, payload, mode):
        raise OSError(22, "Invalid argument") from ClientError()

    store = Store(f"memory://{tmp_path.name}/lake")
    monkeypatch.setattr(type(filesystem(store.place)[0]), "pipe_file", put)
    if is_refusal:
        assert not store.create("f", b"x")
    else:
        with pytest.raises(LakeError, match="cannot write it: Invalid argument"):
            store.create("f", b"x")


def test_a_file_is_met_whole_while_it_is_written_by_many(tmp_path):
    store = Store(str(tmp_path))
    payloads = [bytes([letter]) * 300_000 for letter in b"abcd"]
    store.write("f", payloads[0])
    writers = [threading.Thread(target=lambda p=p: [store.write("f", p) for _ in range(5)]) for p in payloads]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert store.read("f") in payloads
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_writer_that_dies_leaves_nothing_that_a_reader_meets(tmp_path, monkeypatch):
    store = Store(str(tmp_path))
    seen = []

    def die(self, target):
        seen.extend(path.name for path in tmp_path.iterdir())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(LakeError, match="cannot write it: No space left"):
        store.write("f.parquet", b"x")
    assert len(seen) == 1
    assert seen[0].startswith(".f.parquet.")
    assert not seen[0].endswith(".parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_that_a_crash_left_is_not_listed(tmp_path):
    (tmp_path / ".f.parquet.12ab.tmp").write_bytes(b"half")
    assert Store(str(tmp_path)).list() == []
    assert Store(str(tmp_path)).is_empty()


def test_no_permission_names_the_place(tmp_path, monkeypatch):
    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(LakeError, match="no permission to write"):
        Store(str(tmp_path)).write("f", b"x")


def test_a_file_where_a_folder_should_be_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    for act in (Store(f"{tmp_path}/file").is_empty, lambda: Store(f"{tmp_path}/file").write("a", b"x")):
        with pytest.raises(LakeError, match="file"):
            act()


def test_wrong_credentials_are_one_line(s3, monkeypatch):
    import s3fs

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(LakeError, match="AWS variables") as caught:
        Store(f"{s3}/lake").write("a", b"x")
    assert "wrong" not in str(caught.value)
    s3fs.S3FileSystem.clear_instance_cache()

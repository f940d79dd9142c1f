"""``threadlake verify``: each kind of damage is found and named, and nothing where there is none."""

import hashlib
import json

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pipelines.io.lake import Lake
from pipelines.io.parquet import read_parquet
from schemas.findings import FINDINGS
from schemas.tables import TABLES
from tests.lakes import write_parquet
from tests.threads import lines_of, random_log, write_objects


def run(name, seq, **started):
    ids = {"threadId": "t", "runId": name}
    message = [{"type": f"TEXT_MESSAGE_{part}", "messageId": f"m-{name}"} for part in ("START", "CONTENT", "END")]
    message[1]["delta"] = f"words of {name}"
    events = [{"type": "RUN_STARTED", **ids, **started}, *message, {"type": "RUN_FINISHED", **ids}]
    return [(name, event) for event in events]


@pytest.fixture
def raw(envelopes):
    return envelopes("raw/log.ndjson", [*run("a", 0), *run("b", 5), *run("c", 10, parentRunId="a")])


@pytest.fixture
def lake(threadlake, raw, tmp_path):
    assert threadlake("compact", raw, "--lake", tmp_path / "lake")[0] == 0
    return Lake.open(str(tmp_path / "lake"))


@pytest.fixture
def verified(threadlake, lake):
    def call(*words):
        status, out, err = threadlake("verify", "--lake", lake.place, "--json", *words)
        assert err == ""
        found = json.loads(out)
        assert status == (1 if found["findings"] else 0)
        return set(found["kinds"])

    return call


def commit_of(lake):
    [commit] = lake.commits()
    return commit


def rewrite(lake, table, change):
    """Change the rows of a table, and the commit with them, as a writer that errs would."""
    commit, files = commit_of(lake), []
    for entry in commit.files:
        if entry.table == table:
            rows = change(read_parquet(lake.store.read(entry.path)))
            payload = write_parquet(rows)
            lake.store.write(entry.path, payload)
            digest = hashlib.sha256(payload).hexdigest()
            files.append(msgspec.structs.replace(entry, rows=rows.num_rows, bytes=len(payload), sha256=digest))
        else:
            files.append(entry)
    lake.write_commit(msgspec.structs.replace(commit, files=files))


def with_column(name, value):
    def change(rows):
        at = rows.column_names.index(name)
        values = [value(index, old) for index, old in enumerate(rows[name].to_pylist())]
        return rows.set_column(at, rows.schema.field(name), pa.array(values, rows.schema.field(name).type))

    return change


def path_of(lake, table):
    return next(entry.path for entry in commit_of(lake).files if entry.table == table)


def delete_plan(lake, raw):
    lake.store.delete(f"_commits/{commit_of(lake).night}.plan.json")


def delete_commit(lake, raw):
    lake.store.delete(f"_commits/{commit_of(lake).night}.json")


def delete_messages(lake, raw):
    lake.store.delete(path_of(lake, "messages"))


def flip_a_byte(lake, raw):
    payload = bytearray(lake.store.read(path_of(lake, "messages")))
    payload[len(payload) // 4] ^= 0xFF
    lake.store.write(path_of(lake, "messages"), bytes(payload))


def cut_a_file(lake, raw):
    lake.store.write(path_of(lake, "messages"), lake.store.read(path_of(lake, "messages"))[:-20])


def add_a_file(lake, raw):
    lake.store.write("runs/dt=2020-01-01/other-bucket-000.parquet", lake.store.read(path_of(lake, "runs")))


def count_wrong(lake, raw):
    commit = commit_of(lake)
    files = [msgspec.structs.replace(entry, rows=entry.rows + 1) for entry in commit.files]
    lake.write_commit(msgspec.structs.replace(commit, files=files))


def lose_a_column(lake, raw):
    rewrite(lake, "messages", lambda rows: rows.drop_columns(["name"]))


def reverse(lake, raw):
    rewrite(lake, "messages", lambda rows: rows.take(list(range(rows.num_rows))[::-1]))


def move_to_another_day(lake, raw):
    rewrite(lake, "runs", with_column("ended_at", lambda _, old: old.replace(year=2001)))


def tell_other_totals(lake, raw):
    commit = commit_of(lake)
    commit.totals.messages += 1
    lake.write_commit(commit)


def repeat_a_run(lake, raw):
    rewrite(lake, "runs", lambda rows: pa.concat_tables([rows.slice(0, 1), rows]))


def lose_a_run(lake, raw):
    for table in ("runs", "messages"):
        rewrite(lake, table, lambda rows: rows.filter(pc.not_equal(rows["run"], 1)))


def lose_the_row_of_a_run(lake, raw):
    rewrite(lake, "runs", lambda rows: rows.filter(pc.not_equal(rows["run"], 2)))


def name_a_later_parent(lake, raw):
    rewrite(lake, "runs", with_column("parent", lambda index, old: 2 if index == 1 else old))


def lose_a_message(lake, raw):
    rewrite(lake, "messages", lambda rows: rows.slice(0, rows.num_rows - 1))


def break_a_message(lake, raw):
    rewrite(lake, "messages", with_column("metadata", lambda index, old: "{" if index == 0 else old))


def change_a_word(lake, raw):
    rewrite(lake, "messages", with_column("text", lambda index, old: old.upper() if index == 2 else old))


def delete_raw(lake, raw):
    raw.unlink()


def cut_raw(lake, raw):
    raw.write_text(raw.read_text()[:-1])


def change_raw(lake, raw):
    raw.write_text(raw.read_text().replace("words of b", "WORDS of b"))


DAMAGE = [
    (delete_plan, {"no_plan"}),
    (delete_commit, {"open_night"}),
    (delete_messages, {"missing_file", "broken_view"}),
    (flip_a_byte, {"changed_file"}),
    (cut_a_file, {"changed_file", "unreadable_file", "broken_view"}),
    (add_a_file, {"orphan_file"}),
    (count_wrong, {"wrong_rows"}),
    (lose_a_column, {"wrong_columns"}),
    (reverse, {"unsorted"}),
    (move_to_another_day, {"wrong_place", "other_rows"}),
    (tell_other_totals, {"wrong_total"}),
    (repeat_a_run, {"repeated_run", "wrong_total"}),
    (lose_a_run, {"run_gap", "wrong_total"}),
    (lose_the_row_of_a_run, {"stray_row", "wrong_total"}),
    (name_a_later_parent, {"bad_parent"}),
    (lose_a_message, {"broken_view"}),
    (break_a_message, {"broken_view"}),
    (change_a_word, {"other_rows"}),
    (delete_raw, {"missing_raw"}),
    (cut_raw, {"changed_raw"}),
    (change_raw, {"other_rows"}),
]


@pytest.mark.parametrize(("damage", "kinds"), DAMAGE, ids=lambda value: getattr(value, "__name__", ""))
def test_damage_is_found_and_named(lake, raw, verified, damage, kinds):
    assert verified() == set()
    damage(lake, raw)
    assert kinds <= verified() <= kinds | ({"unreadable_file", "broken_view"} if damage is flip_a_byte else set())


def test_every_kind_of_finding_is_found():
    assert {kind for _, kinds in DAMAGE for kind in kinds} | {"missing_night"} == set(FINDINGS)


def test_a_raw_object_may_grow(raw, verified):
    with raw.open("a") as file:
        file.write('{"threadId": "other"')
    assert verified() == set()


def test_without_raw_only_the_lake_is_read(lake, raw, verified):
    raw.unlink()
    assert verified("--against-raw", "none") == set()
    assert verified("--against-raw", "full") == {"missing_raw"}


def test_a_person_is_told_what_and_where(threadlake, lake):
    status, out, _ = threadlake("verify", "--lake", lake.place)
    assert (status, out.splitlines()) == (
        0,
        ["nights 1, runs 3, threads compared with their raw records 1", "nothing found"],
    )
    lose_a_message(lake, None)
    status, out, _ = threadlake("verify", "--lake", lake.place)
    assert status == 1
    assert "broken_view: thread 't' #2 (1 messages, the run says 2)" in out
    assert FINDINGS["broken_view"] in out


def test_a_sample_in_many_buckets_is_verified(threadlake, tmp_path):
    threadlake("sample", "--threads", "30", "--seed", "6", "--out", tmp_path / "raw")
    threadlake("compact", tmp_path / "raw", "--lake", tmp_path / "lake", "--bucket-bits", "3")
    status, out, _ = threadlake("verify", "--lake", tmp_path / "lake", "--json")
    assert (status, json.loads(out)["threads_compared"]) == (0, 20)
    status, out, _ = threadlake("verify", "--lake", tmp_path / "lake", "--json", "--against-raw", "full")
    assert (status, json.loads(out)["threads_compared"]) == (0, 30)


def test_a_lake_in_object_storage_is_verified(threadlake, raw, s3):
    threadlake("compact", raw, "--lake", f"{s3}/lake")
    assert threadlake("verify", "--lake", f"{s3}/lake")[0] == 0
    lose_a_message(Lake.open(f"{s3}/lake"), raw)
    assert threadlake("verify", "--lake", f"{s3}/lake")[0] == 1


def test_verbatim_runs_and_random_threads_are_whole(threadlake, tmp_path, monkeypatch):
    monkeypatch.setattr("transforms.runs.compactor.is_rebuilt", lambda rows, *_: rows.run.run % 2 == 0)
    write_objects(tmp_path / "raw", [lines_of(random_log(n, thread_id=f"t{n}"), f"t{n}") for n in range(20)])
    threadlake("compact", tmp_path / "raw", "--lake", tmp_path / "lake")
    status, out, _ = threadlake("verify", "--lake", tmp_path / "lake", "--json", "--against-raw", "full")
    assert json.loads(out)["findings"] == []
    assert status == 0
    assert sum(file.rows for table in TABLES for file in Lake.open(str(tmp_path / "lake")).files(table)) > 100

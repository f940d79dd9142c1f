import os
from pathlib import Path

import pytest

from pipelines.io.files import expand, open_input
from pipelines.io.listing import Days
from pipelines.io.store import Store
from schemas.errors import InputError

HOSTILE = [
    "a b.jsonl",
    "it's.jsonl",
    "[1].jsonl",
    "x*y.jsonl",
    "grüße-日本.jsonl",
    "h#1.jsonl",
    "q?1.jsonl",
    "p%20.jsonl",
]


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def names(sources, folder) -> list[str]:
    return [source.uri.removeprefix(f"{folder}/") for source in sources]


def test_a_folder_is_searched_down_in_natural_order(tmp_path):
    put(tmp_path, "part-10.jsonl", "part-2.jsonl", "part-2/b.gz", "a/z/1.json")
    sources = expand([str(tmp_path)])
    assert names(sources, tmp_path) == ["a/z/1.json", "part-2.jsonl", "part-2/b.gz", "part-10.jsonl"]
    assert [source.index for source in sources] == [0, 1, 2, 3]


def test_size_and_time_are_the_files(tmp_path):
    put(tmp_path, "a.jsonl")
    os.utime(tmp_path / "a.jsonl", ns=(0, 1_700_000_000_123_456_789))
    (source,) = expand([str(tmp_path / "a.jsonl")])
    assert (source.size, source.modified_us) == (7, 1_700_000_000_123_456)


def test_hidden_files_temporaries_and_lakes_are_passed_over(tmp_path):
    put(tmp_path, "a.jsonl", ".h", "_SUCCESS", "x/_temporary/b.jsonl", ".git/c", "d.jsonl.tmp")
    put(tmp_path, "out/lake/_lake.json", "out/lake/runs/dt=2026-01-01/n.parquet", "out/lakeside.jsonl")
    assert names(expand([str(tmp_path)]), tmp_path) == ["a.jsonl", "out/lakeside.jsonl"]


def test_the_sidecars_of_a_sqlite_file_are_passed_over(tmp_path):
    put(tmp_path, "runs.db", "runs.db-wal", "runs.db-shm", "lone-journal")
    assert names(expand([str(tmp_path)]), tmp_path) == ["lone-journal", "runs.db"]


def test_a_file_that_is_named_is_read_whatever_its_name(tmp_path):
    put(tmp_path, "_a.jsonl", ".b.jsonl")
    sources = expand([str(tmp_path / "_a.jsonl"), str(tmp_path / ".b.jsonl")])
    assert names(sources, tmp_path) == [".b.jsonl", "_a.jsonl"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.jsonl", ["1.jsonl", "2.jsonl"]),
        ("**/*.jsonl", ["1.jsonl", "2.jsonl", "d1/3.jsonl", "d1/e/4.jsonl", "d2/5.jsonl"]),
        ("d?/*.jsonl", ["d1/3.jsonl", "d2/5.jsonl"]),
        ("[!1].jsonl", ["2.jsonl"]),
        ("[0-1].jsonl", ["1.jsonl"]),
        ("d*", ["d1/3.jsonl", "d1/e/4.jsonl", "d1/e/6.csv", "d2/5.jsonl"]),
        ("d1/**", ["d1/3.jsonl", "d1/e/4.jsonl", "d1/e/6.csv"]),
        ("_*/*.jsonl", ["_s/8.jsonl"]),
    ],
)
def test_globs_are_expanded_here(tmp_path, pattern, expected):
    put(tmp_path, "1.jsonl", "2.jsonl", "d1/3.jsonl", "d1/e/4.jsonl", "d1/e/6.csv", "d2/5.jsonl", "d2/.h.jsonl")
    put(tmp_path, "_s/8.jsonl")
    assert names(expand([f"{tmp_path}/{pattern}"]), tmp_path) == expected


def test_a_file_that_is_named_twice_is_read_once(tmp_path):
    put(tmp_path, "d/a.jsonl")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "d" / "a.jsonl")
    inputs = [
        str(tmp_path / "d"),
        f"{tmp_path}/d/*.jsonl",
        f"file://{tmp_path}/d/a.jsonl",
        str(tmp_path / "link.jsonl"),
    ]
    assert names(expand(inputs), tmp_path) == ["d/a.jsonl"]


def test_a_link_to_a_folder_is_followed_but_not_in_a_circle(tmp_path):
    put(tmp_path, "logs/a.jsonl", "elsewhere/b.jsonl")
    (tmp_path / "logs" / "more").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "logs" / "round").symlink_to(tmp_path / "logs")
    assert names(expand([str(tmp_path / "logs")]), tmp_path) == ["logs/a.jsonl", "logs/more/b.jsonl"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_a_name(tmp_path, name):
    put(tmp_path, f"{name}.d/{name}", f"{name}.d/other.jsonl", "1.jsonl", "xzy.jsonl")
    folder = tmp_path / f"{name}.d"
    for place, expected in [
        (folder / name, [name]),
        (folder, sorted([name, "other.jsonl"])),
        (folder / "o*.jsonl", ["other.jsonl"]),
    ]:
        sources = expand([str(place)])
        assert sorted(names(sources, folder)) == expected
        with open_input(sources[0].uri) as file:
            assert file.read()


def test_a_relative_input_has_an_absolute_key(tmp_path, monkeypatch):
    put(tmp_path, "logs/a.jsonl")
    monkeypatch.chdir(tmp_path)
    assert expand(["logs"]) == expand(["./logs/"]) == expand([str(tmp_path / "logs")])


@pytest.mark.parametrize("place", ["none", "none/*.jsonl", "empty", "*.none", "", "[", "a.jsonl/x"])
def test_an_input_that_is_not_there_is_named(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "a.jsonl")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as caught:
        expand(["a.jsonl", place])
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_lake_is_no_input(tmp_path):
    put(tmp_path, "_lake.json", "runs/n.parquet")
    with pytest.raises(InputError, match="is a lake"):
        expand([str(tmp_path)])


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    put(tmp_path, "a/b.jsonl")

    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match="no permission"):
        expand([str(tmp_path)])


def test_a_name_that_is_no_text_is_shown_in_escapes(tmp_path):
    (tmp_path / os.fsdecode(b"bad\xff.jsonl")).write_bytes(b"x")
    with pytest.raises(InputError, match=r"not UTF-8; rename"):
        expand([str(tmp_path)])


def test_an_unknown_scheme_is_one_line():
    with pytest.raises(InputError, match="nope://x"):
        expand(["nope://x/y"])


def test_objects_are_found_like_files(s3):
    import s3fs

    for name in ["in/part-10.jsonl", "in/part-2.jsonl", "in/_s/x", "in/lake/_lake.json", "in/lake/p", *HOSTILE]:
        s3fs.S3FileSystem().pipe_file(f"{s3}/{name}", name.encode())
    assert names(expand([f"{s3}/in"]), s3) == ["in/part-2.jsonl", "in/part-10.jsonl"]
    assert names(expand([f"{s3}/i*/*-1*"]), s3) == ["in/part-10.jsonl"]
    assert sorted(names(expand([s3]), s3)) == sorted(["in/part-2.jsonl", "in/part-10.jsonl", *HOSTILE])
    for name in HOSTILE:
        (source,) = expand([f"{s3}/{name}"])
        assert (source.uri, source.size) == (f"{s3}/{name}", len(name.encode()))
        assert source.modified_us > 1_600_000_000_000_000
        with open_input(source.uri) as file:
            assert file.read() == name.encode()


def test_a_missing_object_and_a_missing_bucket_are_named(s3):
    for place in [f"{s3}/none", f"{s3}/*.none", "s3://no-such-bucket-here/x"]:
        with pytest.raises(InputError) as caught:
            expand([place])
        assert place in str(caught.value)


def test_an_endpoint_that_is_away_is_one_line(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(InputError, match="AWS variables"):
        expand(["s3://bucket/x"])
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.parametrize("kind", ["disk", "s3"])
def test_folders_of_other_dates_are_passed_over(request, tmp_path, kind):
    place = request.getfixturevalue("s3") if kind == "s3" else str(tmp_path)
    store = Store(place)
    for path in ("dt=2026-11-01/a", "dt=2026-11-02/b", "dt=2026-11-02/deep/c", "other/d", "e"):
        store.write(f"raw/{path}.ndjson", b"{}")
    days = Days("2026-11-02", "2026-11-30")
    found = [source.uri.partition("raw/")[2] for source in expand([f"{place}/raw"], days)]
    assert (found, days.passed) == (
        ["dt=2026-11-02/b.ndjson", "dt=2026-11-02/deep/c.ndjson", "e.ndjson", "other/d.ndjson"],
        1,
    )
    assert expand([f"{place}/raw/dt=*/*.ndjson"], Days("2026-12-01", "2026-12-02")) == []

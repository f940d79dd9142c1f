"""The command: files that are whole, a place that is respected, a summary that counts."""

import argparse
import gzip
import json

import pytest
import zstandard

from pipelines.commands import sample
from schemas.errors import ConfigError
from transforms.sample.log import sample_log


def run(*argv):
    parser = argparse.ArgumentParser()
    sample.configure(parser)
    return sample.run(parser.parse_args([str(argument) for argument in argv]))


def files_below(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def made():
    return {made.name: made.data for made in sample_log(4, 5)}


def test_files_are_the_log(tmp_path, made):
    assert run("--threads", 4, "--seed", 5, "--out", tmp_path / "raw") == 0
    assert files_below(tmp_path / "raw") == made


def test_summary_counts_and_names_the_next_command(tmp_path, made, capsys):
    out = tmp_path / "my raw"
    run("--threads", 4, "--seed", 5, "--out", out)
    text = capsys.readouterr().out
    assert "4 threads" in text
    assert text.endswith(f"threadlake compact '{out}' --lake lake\n")
    assert f"{len(made)} objects" in text


def test_json_is_one_document(tmp_path, made, capsys):
    run("--threads", 4, "--seed", 5, "--out", tmp_path, "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary["bytes"] == sum(map(len, made.values()))
    assert summary["objects"] == len(made)
    assert summary["threads"] == 4
    lines = sum(data.count(b"\n") for data in made.values())
    assert summary["events"] + summary["duplicates"] == lines


@pytest.mark.parametrize(
    ("method", "suffix", "expand"),
    [("gzip", ".gz", gzip.decompress), ("zstd", ".zst", lambda data: zstandard.ZstdDecompressor().decompress(data))],
)
def test_compressed_objects_hold_the_same_and_are_made_the_same(tmp_path, made, method, suffix, expand):
    for folder in ("a", "b"):
        run("--threads", 4, "--seed", 5, "--out", tmp_path / folder, "--compress", method)
    found = files_below(tmp_path / "a")
    assert {name: expand(data) for name, data in found.items()} == {name + suffix: data for name, data in made.items()}
    assert found == files_below(tmp_path / "b")


def test_same_sample_again_is_no_error_and_completes_what_is_missing(tmp_path, made):
    run("--threads", 4, "--seed", 5, "--out", tmp_path)
    (tmp_path / min(made)).unlink()
    assert run("--threads", 4, "--seed", 5, "--out", tmp_path) == 0
    assert files_below(tmp_path) == made


def test_another_seed_is_refused_and_nothing_is_written(tmp_path, made):
    run("--threads", 4, "--seed", 5, "--out", tmp_path)
    with pytest.raises(ConfigError, match="would not write"):
        run("--threads", 4, "--seed", 6, "--out", tmp_path)
    assert files_below(tmp_path) == made


def test_a_strange_file_is_refused_by_name(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"notes\.txt"):
        run("--threads", 1, "--out", tmp_path)
    assert list(files_below(tmp_path)) == ["notes.txt"]


def test_wrong_numbers_are_refused(tmp_path):
    with pytest.raises(ConfigError):
        run("--threads", 0, "--out", tmp_path / "raw")


def test_a_url_is_a_place(made):
    out = "memory://sample-command/raw"
    run("--threads", 4, "--seed", 5, "--out", out)
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    assert {name.partition("/raw/")[2]: fs.cat_file(name) for name in fs.find("/sample-command/raw")} == made

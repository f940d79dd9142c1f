"""Rows become whole files with one writer each, reported as they are."""

import hashlib
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that

from pipelines.io.lake import Lake
from pipelines.stages.compact import CompactThreads
from pipelines.stages.decode import DecodeObjects
from pipelines.stages.write import WriteTables
from schemas.errors import LakeError


def built(pipeline, place, plan):
    shipments = pipeline | beam.Create(plan.sources) | DecodeObjects(plan)
    return shipments | CompactThreads(place, plan) | WriteTables(place, plan)


def test_files_are_what_the_reports_say(pipeline, counted, plan, tmp_path):
    place = str(tmp_path / "lake")

    def check(reports):
        for report in reports:
            assert report.totals.bytes_out == sum(file.bytes for file in report.files)
            for file in report.files:
                payload = (Path(place) / file.path).read_bytes()
                assert (len(payload), hashlib.sha256(payload).hexdigest()) == (file.bytes, file.sha256)
                assert file.path == Lake.path_of(file.table, file.day, plan.night, file.bucket)
                assert file.rows > 0

    assert_that(built(pipeline, place, plan), check)
    found = counted(pipeline)
    files = [path for path in Path(place).rglob("*") if path.is_file()]
    assert found["write", "ok"] == len(files) > 0
    assert {path.suffix for path in files} == {".parquet", ".heads"}
    assert all(path.parent.name == "_heads" for path in files if path.suffix == ".heads")


def test_a_lake_that_cannot_be_written_is_named(pipeline, plan, tmp_path):
    (tmp_path / "file").touch()
    _ = built(pipeline, f"{tmp_path}/file", plan)
    with pytest.raises(LakeError, match="cannot write it"):
        pipeline.run()


def test_a_file_under_way_has_no_name_of_a_table(pipeline, counted, plan, tmp_path, monkeypatch):
    renamed = []
    replace = Path.replace

    def watched(self, target):
        renamed.append((self.name, Path(target).name))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    _ = built(pipeline, str(tmp_path / "lake"), plan)
    counted(pipeline)
    written = [(temporary, name) for temporary, name in renamed if name.endswith(".parquet")]
    assert written
    assert not [temporary for temporary, _ in written if temporary.endswith(".parquet")]

import builtins

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pipelines.io.metrics import write_metrics
from schemas.errors import ConfigError
from schemas.lake import Commit, Totals
from schemas.tables import FORMAT

COMMIT = Commit("n", FORMAT, 0, [], Totals(runs=7, dead_letters={"torn": 2, "no_type": 1}), "0")


def read(path):
    families = text_string_to_metric_families(path.read_text())
    return {(sample.name, *sample.labels.values()): sample.value for one in families for sample in one.samples}


def test_figures_are_gauges_told_apart_by_reason(tmp_path):
    write_metrics(str(tmp_path / "new" / "threadlake.prom"), COMMIT, 1.5, 1_790_000_000.0)
    found = read(tmp_path / "new" / "threadlake.prom")
    assert found["threadlake_compact_runs",] == 7
    assert found["threadlake_compact_dead_letters", "torn"] == 2
    assert found["threadlake_compact_seconds",] == 1.5
    assert found["threadlake_compact_finished_timestamp_seconds",] == 1_790_000_000
    assert {name.removeprefix("threadlake_compact_") for name, *_ in found} >= set(Totals.__struct_fields__) - {
        "violations"
    }


def test_the_former_file_is_replaced_whole(tmp_path):
    path = tmp_path / "threadlake.prom"
    path.write_text("old")
    write_metrics(str(path), COMMIT, 1.0, 2.0)
    assert "old" not in path.read_text()
    assert [one.name for one in tmp_path.iterdir()] == ["threadlake.prom"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot write the metrics"):
        write_metrics(str(tmp_path / "file" / "x.prom"), COMMIT, 1.0, 2.0)


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "prometheus_client":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"threadlake\[jobs\]"):
        write_metrics(str(tmp_path / "x.prom"), COMMIT, 1.0, 2.0)

from datetime import date

import pyarrow.parquet as pq
import pytest

from pipelines.io.lake import Lake
from pipelines.sql.duck import VIEWS, connect, query
from schemas.errors import ConfigError
from schemas.tables import TABLES
from tests.lakes import arrow, message, minute, run, write_lake


def test_an_empty_lake_has_every_table_and_view_with_its_types(tmp_path):
    connection = connect(Lake.create_or_open(str(tmp_path)))
    for name in (*TABLES, *VIEWS):
        columns, rows = query(connection, f"FROM {name}")
        assert rows == []
        if name in TABLES:
            assert columns == [*TABLES[name].schema().names, "dt"]
    shown = {name for (name,) in query(connection, "SHOW TABLES")[1]}
    assert shown == {*TABLES, *VIEWS}


@pytest.mark.parametrize(
    "name", ["a b", "it's", "[1]", "x*y", "q?1", "grüße-日本", "h#1", 'dou"ble', "env=prod", "50%"]
)
def test_a_lake_of_a_hostile_name_is_read(tmp_path, name):
    decoy = tmp_path / name.replace("*", "z").replace("?", "z")
    write_lake(str(decoy), {"runs": [run(5)]})
    lake = write_lake(f"{tmp_path}/{name}/lake", {"runs": [run(0), run(1, 0)]})
    columns, rows = query(connect(lake), "SELECT run, dt FROM runs ORDER BY run")
    assert (columns, rows) == (["run", "dt"], [(0, date(2026, 11, 29)), (1, date(2026, 11, 29))])
    assert "env" not in query(connect(lake), "FROM runs")[0]


def test_a_lake_in_an_object_store_is_read(s3):
    tables = {"runs": [run(0, message_count=1)], "messages": [message(0, 0, "user", "hi")]}
    lake = write_lake(f"{s3}/a b [1] x?*/lake", tables, bits=2)
    assert query(connect(lake), "SELECT text, dt, first_at FROM v_messages")[1] == [
        ("hi", date(2026, 11, 29), minute(0))
    ]


def test_only_files_of_commits_are_seen(tmp_path):
    lake = write_lake(str(tmp_path), {"runs": [run(0)]})
    lake.store.write(Lake.path_of("runs", "2026-11-29", "other", 0), b"not even Parquet")
    assert query(connect(lake), "SELECT run FROM runs")[1] == [(0,)]


def test_files_of_a_former_version_lack_columns_which_are_null(tmp_path):
    write_lake(str(tmp_path), {"runs": [run(1, key_id="k")]}, night="n2", version="2")
    lake = write_lake(str(tmp_path), {"runs": [run(0)]}, night="n1", version="1")
    (entry,) = [entry for entry in lake.files("runs") if "n1" in entry.path]
    former = arrow("runs", [run(0)]).drop_columns(["key_id", "ruleset_id"])
    pq.write_table(former, tmp_path / entry.path)
    sql = "SELECT run, key_id, ruleset_id, violations FROM runs ORDER BY run"
    assert query(connect(lake), sql)[1] == [(0, None, None, {}), (1, "k", "", {})]


def test_the_day_leaves_out_files(tmp_path):
    write_lake(str(tmp_path), {"runs": [run(0)]}, night="n1", day="2026-11-28")
    lake = write_lake(str(tmp_path), {"runs": [run(1)]}, night="n2", day="2026-11-29")
    damaged = next(entry.path for entry in lake.files("runs") if entry.day == "2026-11-29")
    connection = connect(lake)
    lake.store.write(damaged, b"no Parquet")
    assert query(connection, "SELECT run FROM runs WHERE dt = '2026-11-28'")[1] == [(0,)]
    with pytest.raises(ConfigError):
        query(connection, "SELECT run FROM runs")


def test_a_thread_filter_reaches_the_files_through_the_views(tmp_path):
    connection = connect(write_lake(str(tmp_path), {"runs": [run(0)], "messages": [message(0, 0, "user", "x")]}))
    for view in ("v_paths", "v_runs", "v_threads", "v_messages"):
        plan = query(connection, f"EXPLAIN SELECT * FROM {view} WHERE thread_id = 'abc'")[1][0][1]
        assert plan.count("abc") >= plan.count("PARQUET_SCAN"), plan


def test_times_are_utc(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    connection = connect(write_lake(str(tmp_path), {"runs": [run(0)]}))
    assert query(connection, "SELECT started_at::VARCHAR FROM runs")[1] == [("2026-11-29 12:00:00+00",)]


def test_columns_of_one_name_are_told_apart(tmp_path):
    connection = connect(Lake.create_or_open(str(tmp_path)))
    assert query(connection, "SELECT 1 AS a, 2 AS a, $x AS b", {"x": "y"}) == (["a", "a_2", "b"], [(1, 2, "y")])


@pytest.mark.parametrize("sql", ["SELEC", "SELECT nix FROM runs", "SELECT 'a'::INT", "", ";", "SELECT $x"])
def test_a_wrong_query_is_one_line(tmp_path, sql):
    connection = connect(Lake.create_or_open(str(tmp_path)))
    if sql in {"", ";"}:
        assert query(connection, sql) == ([], [])
        return
    with pytest.raises(ConfigError, match=r"^sql: .+") as caught:
        query(connection, sql)
    assert "\n" not in str(caught.value)


def test_a_map_and_a_list_come_as_python_has_them(tmp_path):
    rows = [run(0, violations={"late": 2}, tags=["a", "b"])]
    connection = connect(write_lake(str(tmp_path), {"runs": rows}))
    assert query(connection, "SELECT violations, tags FROM runs")[1] == [({"late": 2}, ["a", "b"])]

import msgspec
import pyarrow as pa
import pytest

from schemas.rows import RunRow
from schemas.tables import TABLES, TIME
from tests.threads import compacted, lines_of, random_log, through_arrow
from transforms.runs.arrow import ROW_TYPES, rows_of_table, table_of_rows


@pytest.mark.parametrize("name", ROW_TYPES)
def test_a_rows_fields_are_the_tables_columns(name):
    assert list(ROW_TYPES[name].__struct_fields__) == [column.name for column in TABLES[name].columns]


@pytest.mark.parametrize("name", ROW_TYPES)
def test_no_rows_make_an_empty_table_of_the_same_schema(name):
    table = table_of_rows(name, [])
    assert (table.num_rows, table.schema) == (0, TABLES[name].schema())
    assert rows_of_table(name, table) == []


@pytest.mark.parametrize("seed", range(30))
def test_rows_come_back(seed):
    runs = compacted(lines_of(random_log(seed))).runs
    assert [msgspec.to_builtins(rows) for rows in through_arrow(runs)] == [msgspec.to_builtins(rows) for rows in runs]


def test_times_lists_and_counts_keep_their_values():
    row = RunRow("", "t", 0, None, started_at=-1, ended_at=1 << 60, tags=["é", ""], violations={"b": 2, "a": 1})
    table = table_of_rows("runs", [row])
    assert table.schema.field("started_at").type == TIME
    assert rows_of_table("runs", table) == [row]


def test_a_required_column_is_not_nullable():
    schema = TABLES["runs"].schema()
    assert not schema.field("thread_id").nullable
    assert schema.field("run_id").nullable
    assert schema.field("run").type == pa.int32()

import io

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.io.parquet import conform, read_parquet
from schemas.tables import FORMAT, MESSAGES, RUNS, TABLES
from tests.lakes import arrow, message, run, write_parquet
from transforms.runs.sheets import GROUP_ROWS


def rows(count: int) -> pa.Table:
    return arrow("messages", [message(index // 10, index % 10, "user", f"text {index}") for index in range(count)])


def test_the_same_table_gives_the_same_bytes():
    table = rows(500)
    chunked = pa.concat_tables([table.slice(at, 100) for at in range(0, 500, 100)])
    assert write_parquet(table) == write_parquet(chunked) == write_parquet(table.slice(0))


def test_every_table_comes_back_as_it_was():
    full = {"violations": {"late": 2}, "tags": ["a"], "dropped_positions": [1, 2], "metadata": '{"a":1}'}
    tables = {name: table.schema().empty_table() for name, table in TABLES.items()}
    tables |= {"runs": arrow("runs", [run(0, **full), run(1, 0)]), "messages": rows(20)}
    for table in tables.values():
        back = read_parquet(write_parquet(table))
        assert back.equals(table)
        assert back.schema.metadata[b"threadlake.format"] == str(FORMAT).encode()


def test_the_file_is_as_docs_say():
    metadata = pq.ParquetFile(io.BytesIO(write_parquet(rows(GROUP_ROWS * 2 + 1)))).metadata
    columns = {metadata.schema.column(index).path: index for index in range(metadata.num_columns)}
    assert metadata.num_row_groups == 3
    group = metadata.row_group(0)
    assert group.num_rows == GROUP_ROWS
    assert {group.column(index).compression for index in columns.values()} == {"ZSTD"}
    assert group.column(columns["thread_id"]).statistics.has_min_max
    assert group.column(columns["thread_id"]).has_dictionary_page
    assert not group.column(columns["message_id"]).has_dictionary_page
    assert str(metadata.schema.column(columns["first_at"]).logical_type) == (
        "Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, "
        "force_set_converted_type=false)"
    )


def test_a_file_of_a_former_version_gets_its_missing_columns_as_nulls():
    former = rows(3).drop_columns(["pieces"]).append_column("gone", pa.nulls(3))
    assert conform(former, MESSAGES.schema()).equals(rows(3))
    assert conform(RUNS.schema().empty_table(), RUNS.schema()).num_rows == 0

"""Arrow: the row structs of a table become an Arrow table, sorted, and an Arrow table becomes row structs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec
import pyarrow as pa

from schemas.rows import EventRow, MessageRow, RunRow, StateRow, ToolCallRow, UsageRow
from schemas.tables import TABLES, TIME, Table

Row = TypeVar("Row", bound=msgspec.Struct)

ROW_TYPES: Final[dict[str, type[msgspec.Struct]]] = {
    "runs": RunRow,
    "usage": UsageRow,
    "messages": MessageRow,
    "tool_calls": ToolCallRow,
    "states": StateRow,
    "events": EventRow,
}
"""The struct of each table's rows; its fields are the table's columns in order."""


def table_of_rows(name: str, rows: Sequence[msgspec.Struct]) -> pa.Table:
    """Return the Arrow table of rows that are in the table's sort order already."""
    table = TABLES[name]
    return table_of_columns(table, [[getattr(row, column.name) for row in rows] for column in table.columns])


def table_of_columns(table: Table, columns: Sequence[Sequence[Any]]) -> pa.Table:
    """Return the Arrow table of columns in the table's order; times are integers, UTC, microseconds since 1970."""
    schema = table.schema()
    arrays = [_array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def rows_of_table(name: str, table: pa.Table) -> list[msgspec.Struct]:
    """Return the rows of an Arrow table with the columns of the named one."""
    row_type = ROW_TYPES[name]
    columns = [_values(table.column(column.name), column.type) for column in TABLES[name].columns]
    return [row_type(*values) for values in zip(*columns, strict=True)]


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_map(kind):
        values = [list(value.items()) for value in values]
    return pa.array(values, kind)


def _values(column: pa.ChunkedArray, kind: pa.DataType) -> list[Any]:
    if kind == TIME:
        column = column.cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return [dict(value) for value in values] if pa.types.is_map(kind) else values

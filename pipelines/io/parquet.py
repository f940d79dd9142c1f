"""Parquet: an Arrow table becomes the bytes of one file, and a file's table comes back in today's columns."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

_ZSTD_LEVEL = 3
_REPEATING = (pa.string(), pa.int32())
_UNIQUE = frozenset(
    {"message_id", "tool_call_id", "parent_run_id", "offset", "system_prompt_hash"}
    | {"text", "parts", "metadata", "encrypted_value", "extra", "pieces", "arguments", "detail"}
    | {"input", "input_messages", "outcome", "result", "error_message", "state", "event"}
)
"""Columns whose values hardly repeat: a dictionary would be written in vain (5 % of a lake's bytes)."""


class ParquetBuilder:
    """A file under way, in memory and compressed; the schema's metadata, with the format version, goes with it."""

    def __init__(self, schema: pa.Schema) -> None:
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(
            self._sink,
            schema,
            compression="zstd",
            compression_level=_ZSTD_LEVEL,
            use_dictionary=_dictionary_columns(schema),
            write_statistics=True,
            coerce_timestamps="us",
            version="2.6",
        )

    def add(self, group: pa.Table) -> None:
        """Write a table as one row group."""
        self._writer.write_table(group.combine_chunks(), row_group_size=max(group.num_rows, 1))

    def close(self) -> bytes:
        """Return the file; the same groups give the same bytes."""
        self._writer.close()
        payload: bytes = self._sink.getvalue().to_pybytes()
        return payload


def read_parquet(payload: bytes, filters: list[tuple[str, str, str]] | None = None) -> pa.Table:
    """Return the table of a file's bytes.

    Read on this thread alone: the pool of Arrow 25 now and then aborts a process that ends soon after it was used.
    """
    return pq.read_table(io.BytesIO(payload), filters=filters, use_threads=False)


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with exactly the schema's columns: an older file's missing ones are null."""
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _dictionary_columns(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if field.type in _REPEATING and field.name not in _UNIQUE]

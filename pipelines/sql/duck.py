"""DuckDB: the lake's tables and views in a connection, over exactly the files that its commits list."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import duckdb
import pyarrow as pa

from pipelines.io.lake import Lake, table_files
from pipelines.io.places import filesystem, is_url
from pipelines.sql.listed import Listed
from schemas.errors import ConfigError
from schemas.lake import Commit
from schemas.tables import TABLES

VIEWS = ("v_paths", "v_runs", "v_threads", "v_messages", "v_tool_calls", "v_interrupts")
"""The views in an order in which each finds what it is made of."""

_WILDCARDS = frozenset("*?[")


def connect(lake: Lake) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that sees the lake as it is committed now. Times are UTC."""
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("CREATE SCHEMA empty")
    commits = lake.commits()
    if is_url(lake.store.uri()):
        sizes = {lake.store.uri(entry.path): entry.bytes for commit in commits for entry in commit.files}
        connection.register_filesystem(Listed(filesystem(lake.store.uri())[0], sizes))
    for table in TABLES:
        _define_table(connection, lake, commits, table)
    for view in VIEWS:
        connection.execute(resources.files("pipelines.sql").joinpath("views", f"{view}.sql").read_text("utf-8"))
    return connection


def query(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, str | int | None] | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the column names and the rows of one query; names that repeat get a number.

    Args:
        parameters: values of ``$name`` in the query.

    Raises:
        ConfigError: the query is wrong, or a file of the lake is gone.
    """
    try:
        connection.execute(sql, parameters or None)
        if not connection.description:
            return [], []
        return _distinct([str(column[0]) for column in connection.description]), connection.fetchall()
    except (duckdb.Error, OSError) as error:
        raise ConfigError(f"sql: {_one_line(str(error))}") from error


def _define_table(connection: duckdb.DuckDBPyConnection, lake: Lake, commits: list[Commit], table: str) -> None:
    """Define a table as the union of an empty one, which has all its columns, and its files.

    One read for each version that wrote: its files have equal columns, so DuckDB opens one of them to know them,
    where ``union_by_name`` would open every file of the lake before the first query.
    """
    schema = TABLES[table].schema().append(pa.field("dt", pa.date32()))
    empty = f"empty.{_name(table)}"
    connection.register("_schema", schema.empty_table())
    connection.execute(f"CREATE TABLE {empty} AS FROM _schema")
    connection.unregister("_schema")
    paths: dict[str, list[str]] = {}
    for commit, entry in table_files(commits, table):
        paths.setdefault(commit.version, []).append(lake.store.uri(entry.path))
    reads = [f"FROM {empty}", *(_read(paths[version]) for version in sorted(paths))]
    columns = ", ".join(_name(name) for name in schema.names)
    union = " UNION ALL BY NAME ".join(reads)
    connection.execute(f"CREATE VIEW {_name(table)} AS SELECT {columns} FROM ({union})")  # noqa: S608 - quoted


def _read(paths: list[str]) -> str:
    listed = ", ".join(_text(_escaped(path)) for path in sorted(paths))
    return f"FROM read_parquet([{listed}], hive_partitioning = true, hive_types = {{'dt': DATE}})"


def _escaped(path: str) -> str:
    """Return the path as a pattern that matches only itself; a URL's is no pattern (`pipelines.sql.listed`).

    >>> _escaped("/lakes/a[1]*/f")
    '/lakes/a[[]1][*]/f'
    """
    return path if is_url(path) else "".join(f"[{letter}]" if letter in _WILDCARDS else letter for letter in path)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _distinct(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return distinct


def _one_line(message: str) -> str:
    return " ".join(message.splitlines()[0].split()) if message.strip() else "failed"

"""Tables page: the schemas of the lake become docs/tables.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import pyarrow as pa

from schemas.records import REASONS
from schemas.tables import TABLES, TIME, Column, Table
from transforms.decode.violations import VIOLATIONS as WHILE_READING
from transforms.fold.reducer import VIOLATIONS as WHILE_FOLDING
from transforms.fold.verify import KINDS as LIFECYCLE
from transforms.runs.lineage import VIOLATIONS as IN_LINEAGE
from transforms.show.views_page import views_chapter

_HEAD: Final = """\
# The tables of a lake

This page is made from `schemas/tables.py` by `make docs`.

A lake is a folder (or a bucket prefix) of Parquet files, `LAKE/<table>/dt=YYYY-MM-DD/<night>-bucket-NNN.parquet`: zstd,
sorted, no empty files. `dt` is the UTC date on which the run ended; of a dead letter, the date of its raw object.
Times are UTC in microseconds. A run is named by (`tenant_id`, `thread_id`, `run`): run ids repeat in real logs,
ordinals do not. JSON columns hold JSON text. Names beside the meaning are attributes of the OpenTelemetry GenAI
semantic conventions.

[Views](#views) put the tables together; [how a view is rebuilt](#how-a-view-is-rebuilt) says what a program needs.
"""

_REBUILD: Final = """\
## How a view is rebuilt

A view is what a client shows: ordered messages and a state. A run's view is its parent's view with three changes: the
positions in `runs.dropped_positions` go; the run's rows of `messages` are put at their `position`; what is left of the
parent fills the gaps in order. The tool calls of a row are the rows of `tool_calls` with its position. The state is the
run's row of `states`, else the parent's, else `{}`.

```
parent's view         u1   a1   t1        dropped_positions = [1]
the run's rows             A1        u2   positions 1 and 3
the run's view        u1   A1   t1   u2
```

Ids play no part: in the wild they are missing or stand twice. A row with `same_as` is the same object as the message at
that position (a client makes one object of two messages when a snapshot meets duplicate ids, and changes both at once).
A run with `is_verbatim` is folded from its rows of `events` instead.

The input that a run was given is `input`, with the run's own ids put back, and the messages of `input_messages`; where
that is null, they are all messages of the parent's view but activities, and then the run's new messages of origin
`input`.

Merged deltas keep neither their boundaries nor keys that the protocol does not know.
"""

_EVOLUTION: Final = """\
## Evolution

A new nullable column may be added at the end of a table; files without it read as null (`union_by_name`). A column is
never renamed, retyped or used for something else. Anything more raises the format in `_lake.json`, and a threadlake
that does not know a format refuses the lake.
"""


def tables_page() -> str:
    """Return docs/tables.md."""
    parts = [_HEAD, *map(_table, TABLES.values()), views_chapter(), _REBUILD, _reasons(), _violations(), _EVOLUTION]
    return "\n".join(parts)


def _table(table: Table) -> str:
    lines = [
        f"## {table.name}",
        "",
        f"A row is {table.row}. Sorted by {', '.join(table.sort)}.",
        "",
        "| column | type | meaning |",
        "| --- | --- | --- |",
        *map(_column, table.columns),
        "",
    ]
    return "\n".join(lines)


def _column(column: Column) -> str:
    otel = f" (`{column.otel}`)" if column.otel else ""
    absent = "" if column.required else ", nullable"
    return f"| `{column.name}` | {_type(column.type)}{absent} | {column.meaning}{otel} |"


def _type(kind: pa.DataType) -> str:
    if kind == TIME:
        return "timestamp (µs, UTC)"
    if pa.types.is_list(kind):
        return f"list of {kind.value_type}"
    return "map of string to int64" if pa.types.is_map(kind) else str(kind)


def _reasons() -> str:
    return "\n".join(["## Reasons of dead letters", "", *_meanings(REASONS), ""])


def _violations() -> str:
    kinds = {**WHILE_READING, **IN_LINEAGE, **WHILE_FOLDING, **LIFECYCLE}
    head = "A violation of the protocol is data: it is folded as a client does, and counted on the run by kind."
    return "\n".join(["## Kinds of violation", "", head, "", *_meanings(kinds), ""])


def _meanings(meanings: Mapping[str, str]) -> Iterator[str]:
    yield from ("| word | meaning |", "| --- | --- |")
    yield from (f"| `{word}` | {meaning} |" for word, meaning in meanings.items())

"""Sheets: the rows of one file gather, and go to it as row groups of a bounded size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

import msgspec
import pyarrow as pa

from schemas.tables import TABLES
from transforms.runs.arrow import table_of_rows

GROUP_ROWS: Final = 8_000
"""Rows of a row group: so few that a thread's rows are found by its statistics."""

GROUP_BYTES: Final = 32 << 20
"""Text of a row group, about; a group ends behind the row that reaches it."""

_INTEGER_BYTES: Final = 36
_HEAVY_COLUMNS: Final = {
    "runs": ("input", "input_messages", "outcome", "result", "metadata", "dropped_positions"),
    "usage": (),
    "messages": ("text", "parts", "extra", "encrypted_value"),
    "tool_calls": ("arguments", "extra", "encrypted_value"),
    "states": ("state",),
    "events": ("event",),
}
"""Columns that can be of any size."""


class TableFile(Protocol):
    """A file under way."""

    def add(self, group: pa.Table, /) -> None:
        """Write a row group."""

    def close(self) -> bytes:
        """Return the whole file."""


OpenFile: TypeAlias = Callable[[pa.Schema], TableFile]


class Sheet:
    """The rows of one table and day, in the order in which they will lie."""

    def __init__(self, table: str, open_file: OpenFile) -> None:
        self.rows = 0
        self._table = table
        self._file = open_file(TABLES[table].schema())
        self._heavy = _HEAVY_COLUMNS[table]
        self._pending: list[msgspec.Struct] = []
        self._bytes = 0

    def add(self, rows: Sequence[msgspec.Struct]) -> None:
        """Add rows; where they make a group full, they are written."""
        for row in rows:
            self._pending.append(row)
            for name in self._heavy:
                self._bytes += _weight(getattr(row, name))
            if len(self._pending) >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
                self._write()

    def close(self) -> bytes:
        """Return the file with all rows."""
        if self._pending:
            self._write()
        return self._file.close()

    def _write(self) -> None:
        self._file.add(table_of_rows(self._table, self._pending))
        self.rows += len(self._pending)
        self._pending, self._bytes = [], 0


def _weight(value: str | list[int] | None) -> int:
    if not value:
        return 0
    return len(value) if isinstance(value, str) else len(value) * _INTEGER_BYTES

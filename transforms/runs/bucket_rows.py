"""Bucket rows: the threads of one bucket become the Arrow tables of its files, one a table and day, and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec
import pyarrow as pa

from schemas.lake import Totals
from schemas.records import DeadLetter
from schemas.rows import RunRows, ThreadRows
from schemas.shipments import DatedLetter, ReadCounts
from schemas.tables import DEAD_LETTERS
from transforms.runs.arrow import table_of_columns, table_of_rows

_MICROSECONDS: Final = 1_000_000


class BucketTable(msgspec.Struct):
    """The rows that one file will hold.

    Args:
        day: the partition, ``YYYY-MM-DD``.
    """

    table: str
    day: str
    rows: pa.Table


def day_of(moment_us: int | None) -> str:
    """Return the UTC date of a time in microseconds since 1970; 1970-01-01 where there is none.

    >>> day_of(1_700_000_000_000_000)
    '2023-11-14'
    """
    return datetime.fromtimestamp((moment_us or 0) // _MICROSECONDS, UTC).date().isoformat()


class BucketRows:
    """Collects the rows of one bucket, thread by thread in key order."""

    def __init__(self, night: str) -> None:
        self.totals = Totals()
        self._night = night
        self._rows: dict[tuple[str, str], list[msgspec.Struct]] = {}
        self._letters: list[DatedLetter] = []

    def add_counts(self, counts: ReadCounts) -> None:
        """Add what an object held."""
        self.totals.objects += counts.objects
        self.totals.records += counts.records
        self.totals.bytes_in += counts.bytes

    def add_letters(self, letters: Iterable[DatedLetter]) -> None:
        """Add dead letters, which count among the records."""
        for dated in letters:
            self._letters.append(dated)
            reasons = self.totals.dead_letters
            reasons[dated.letter.reason] = reasons.get(dated.letter.reason, 0) + dated.letter.count

    def add_thread(self, thread: ThreadRows, days: dict[str, str]) -> None:
        """Add a thread's rows.

        Args:
            days: day of each object that the thread's dead letters name.
        """
        for rows in thread.runs:
            self._add_run(rows)
        self.add_letters(DatedLetter(days.get(letter.uri, day_of(None)), letter) for letter in thread.dead_letters)
        _count_thread(self.totals, thread)

    def tables(self) -> list[BucketTable]:
        """Return a table for each file, by table and day; none is empty."""
        tables = [BucketTable(name, day, table_of_rows(name, rows)) for (name, day), rows in self._rows.items()]
        return sorted([*tables, *self._letter_tables()], key=lambda table: (table.table, table.day))

    def _add_run(self, rows: RunRows) -> None:
        day = day_of(rows.run.ended_at)
        parts: dict[str, list[msgspec.Struct]] = {
            "runs": [rows.run],
            "usage": [*rows.usage],
            "messages": [*rows.messages],
            "tool_calls": [*rows.tool_calls],
            "states": [] if rows.state is None else [rows.state],
            "events": [*rows.events],
        }
        for name, part in parts.items():
            if part:
                self._rows.setdefault((name, day), []).extend(part)

    def _letter_tables(self) -> Iterable[BucketTable]:
        by_day: dict[str, list[DeadLetter]] = {}
        for dated in self._letters:
            by_day.setdefault(dated.day, []).append(dated.letter)
        for day, letters in by_day.items():
            letters.sort(key=lambda letter: (letter.uri, letter.offset, letter.reason))
            yield BucketTable(DEAD_LETTERS.name, day, _letters_table(letters, self._night))


def _letters_table(letters: list[DeadLetter], night: str) -> pa.Table:
    names = ("uri", "offset", "size", "count", "reason", "detail", "stage", "thread_id", "run_id")
    columns = [[getattr(letter, name) for letter in letters] for name in names]
    return table_of_columns(DEAD_LETTERS, [*columns, [night] * len(letters)])


def _count_thread(totals: Totals, thread: ThreadRows) -> None:
    totals.threads += bool(thread.runs)
    totals.duplicates += thread.duplicates
    children = Counter(rows.run.parent for rows in thread.runs)
    totals.branches += sum(children[rows.run.run] == 0 for rows in thread.runs)
    for rows in thread.runs:
        _count_run(totals, rows)


def _count_run(totals: Totals, rows: RunRows) -> None:
    run = rows.run
    totals.runs += 1
    totals.events_in += run.events
    totals.runs_without_user_message += not run.has_user_message
    totals.messages += run.new_messages
    totals.tool_calls += run.tool_call_count
    totals.verbatim_runs += run.is_verbatim
    totals.approximate_runs += run.is_approximate
    for kind, count in run.violations.items():
        totals.violations[kind] = totals.violations.get(kind, 0) + count

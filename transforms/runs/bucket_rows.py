"""Bucket rows: the threads of one bucket become its files, one a table and day, and figures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec
import pyarrow as pa

from schemas.lake import Totals
from schemas.records import DeadLetter
from schemas.rows import RunRows
from schemas.shipments import DatedLetter, ReadCounts
from schemas.tables import DEAD_LETTERS
from transforms.runs.arrow import table_of_columns
from transforms.runs.sheets import GROUP_ROWS, OpenFile, Sheet
from transforms.runs.thread import Compaction

_MICROSECONDS: Final = 1_000_000


class BucketFile(msgspec.Struct):
    """One file, not yet in its place.

    Args:
        day: the partition, ``YYYY-MM-DD``.
        rows: how many it holds, n >= 1.
    """

    table: str
    day: str
    rows: int
    payload: bytes


class BucketFiles(msgspec.Struct):
    """All files of a bucket, by table and day, and its figures."""

    files: list[BucketFile]
    totals: Totals


def day_of(moment_us: int | None) -> str:
    """Return the UTC date of a time in microseconds since 1970; 1970-01-01 where there is none.

    >>> day_of(1_700_000_000_000_000)
    '2023-11-14'
    """
    return datetime.fromtimestamp((moment_us or 0) // _MICROSECONDS, UTC).date().isoformat()


class BucketRows:
    """Takes in the rows of one bucket, thread by thread in key order; what it holds are files under way.

    Args:
        open_file: starts a file of a schema.
    """

    def __init__(self, night: str, open_file: OpenFile) -> None:
        self.totals = Totals()
        self._night = night
        self._open_file = open_file
        self._sheets: dict[tuple[str, str], Sheet] = {}
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

    def add_thread(self, thread: Compaction, days: dict[str, str]) -> int:
        """Add a thread's rows, run by run; return how many runs it has.

        Args:
            days: day of each object that the thread's dead letters name.
        """
        parents: set[int | None] = {None}
        count = 0
        for rows in thread.runs():
            self._add_run(rows)
            _count_run(self.totals, rows)
            parents.add(rows.run.parent)
            count += 1
        self.add_letters(DatedLetter(days.get(letter.uri, day_of(None)), letter) for letter in thread.dead_letters)
        self.totals.threads += count > 0
        self.totals.duplicates += thread.duplicates
        self.totals.branches += count - (len(parents) - 1)
        return count

    def files(self) -> BucketFiles:
        """End the files, and return them; none is empty."""
        files = [self._file(table, day) for table, day in list(self._sheets)]
        files = sorted([*files, *self._letter_files()], key=lambda file: (file.table, file.day))
        self.totals.bytes_out = sum(len(file.payload) for file in files)
        return BucketFiles(files, self.totals)

    def _file(self, table: str, day: str) -> BucketFile:
        sheet = self._sheets.pop((table, day))
        payload = sheet.close()
        return BucketFile(table, day, sheet.rows, payload)

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
                if (name, day) not in self._sheets:
                    self._sheets[name, day] = Sheet(name, self._open_file)
                self._sheets[name, day].add(part)

    def _letter_files(self) -> Iterable[BucketFile]:
        by_day: dict[str, list[DeadLetter]] = {}
        for dated in self._letters:
            by_day.setdefault(dated.day, []).append(dated.letter)
        for day, letters in by_day.items():
            letters.sort(key=lambda letter: (letter.uri, letter.offset, letter.reason))
            file = self._open_file(DEAD_LETTERS.schema())
            for start in range(0, len(letters), GROUP_ROWS):
                file.add(_letters_table(letters[start : start + GROUP_ROWS], self._night))
            yield BucketFile(DEAD_LETTERS.name, day, len(letters), file.close())


def _letters_table(letters: list[DeadLetter], night: str) -> pa.Table:
    names = ("uri", "offset", "size", "count", "reason", "detail", "stage", "thread_id", "run_id")
    columns = [[getattr(letter, name) for letter in letters] for name in names]
    return table_of_columns(DEAD_LETTERS, [*columns, [night] * len(letters)])


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

"""Bucket rows: the threads of one bucket become its files, one a table and day, and figures."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pyarrow as pa

from schemas.heads import FAMILIES, HEAD_TABLES, HEADS_SCHEMA, Carried, HeadRow
from schemas.lake import Totals
from schemas.records import DeadLetter
from schemas.rows import RunRows
from schemas.shipments import DatedLetter, ReadCounts
from schemas.tables import DEAD_LETTERS
from transforms.decode.times import day_of
from transforms.runs.arrow import table_of_columns
from transforms.runs.headrows import merge_rows, row_groups, thread_row
from transforms.runs.newhead import Place
from transforms.runs.sheets import GROUP_ROWS, OpenFile, Sheet
from transforms.runs.thread import Compaction
from transforms.runs.window import Window


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


class BucketHeads(msgspec.Struct):
    """A file of heads of one family, not yet in its place."""

    family: str
    rows: int
    payload: bytes


class BucketFiles(msgspec.Struct):
    """All files of a bucket, by table and day, its heads by family, its open runs, and its figures."""

    files: list[BucketFile]
    heads: list[BucketHeads]
    carried: list[Carried]
    totals: Totals


class BucketRows:
    """Takes in the rows of one bucket, thread by thread in key order; what it holds are files under way.

    Args:
        night: its name, and the bucket.
        open_file: starts a file of a schema.
        window: None where every day is believed.
    """

    def __init__(self, night: tuple[str, int], open_file: OpenFile, window: Window | None = None) -> None:
        self.totals = Totals()
        self._night = night
        self._open_file = open_file
        self._window = window
        self._sheets: dict[tuple[str, str], Sheet] = {}
        self._letters: list[DatedLetter] = []
        self._heads: list[HeadRow] = []
        self._carried: list[Carried] = []

    def add_counts(self, counts: ReadCounts) -> None:
        """Add what an object held."""
        self.totals.objects += counts.objects
        self.totals.records += counts.records
        self.totals.bytes_in += counts.bytes
        self.totals.duplicates += counts.duplicates

    def add_heads(self, rows: Iterable[HeadRow]) -> None:
        """Add heads that were made elsewhere."""
        self._heads += rows

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
        places: dict[int, Place] = {}
        for rows in thread.runs():
            places[rows.run.run] = self._add_run(rows)
            _count_run(self.totals, rows)
            parents.add(rows.run.parent)
        self.add_letters(DatedLetter(days.get(letter.uri, day_of(None)), letter) for letter in thread.dead_letters)
        self._heads.append(thread_row(thread.head(*self._night, places)))
        self._carried += thread.carried()
        self._count_thread(thread)
        self.totals.threads += bool(places)
        self.totals.branches += len(places) - (len(parents) - 1)
        return len(places)

    def files(self, older: Iterable[HeadRow] = ()) -> BucketFiles:
        """End the files, and return them; none is empty.

        Args:
            older: heads of this bucket that go into its files, where no newer one is there.
        """
        files = [self._file(table, day) for table, day in list(self._sheets)]
        files = sorted([*files, *self._letter_files()], key=lambda file: (file.table, file.day))
        self.totals.bytes_out = sum(len(file.payload) for file in files)
        return BucketFiles(files, list(self._head_files(older)), self._carried, self.totals)

    def _count_thread(self, thread: Compaction) -> None:
        totals = self.totals
        totals.duplicates += thread.duplicates
        totals.records += thread.carried_in - thread.carried_out
        totals.carried_in += thread.carried_in
        totals.carried_out += thread.carried_out
        totals.open_runs += len(thread.open_runs)

    def _head_files(self, older: Iterable[HeadRow]) -> Iterable[BucketHeads]:
        rows = merge_rows(self._heads, older)
        for family in FAMILIES:
            part = [row for row in rows if row.family == family]
            if part:
                file = self._open_file(HEADS_SCHEMA)
                for group in row_groups(part):
                    file.add(group)
                yield BucketHeads(family, len(part), file.close())

    def _file(self, table: str, day: str) -> BucketFile:
        sheet = self._sheets.pop((table, day))
        payload = sheet.close()
        return BucketFile(table, day, sheet.rows, payload)

    def _add_run(self, rows: RunRows) -> Place:
        day = self._day(rows)
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
        return Place(day, sum(1 << bit for bit, name in enumerate(HEAD_TABLES) if parts[name]))

    def _day(self, rows: RunRows) -> str:
        """Return the partition of a run, and note on it where that is not the day on which it ended."""
        day, window = day_of(rows.run.ended_at), self._window
        if window is not None and not window.first <= day <= window.last:
            rows.run.is_day_clamped = True
            return window.day
        return day

    def _letter_files(self) -> Iterable[BucketFile]:
        by_day: dict[str, list[DeadLetter]] = {}
        for dated in self._letters:
            by_day.setdefault(dated.day, []).append(dated.letter)
        for day, letters in by_day.items():
            letters.sort(key=lambda letter: (letter.uri, letter.offset, letter.reason))
            file = self._open_file(DEAD_LETTERS.schema())
            for start in range(0, len(letters), GROUP_ROWS):
                file.add(_letters_table(letters[start : start + GROUP_ROWS], self._night[0]))
            yield BucketFile(DEAD_LETTERS.name, day, len(letters), file.close())


def _letters_table(letters: list[DeadLetter], night: str) -> pa.Table:
    names = ("uri", "offset", "size", "count", "reason", "detail", "stage", "thread_id", "run_id")
    columns = [[getattr(letter, name) for letter in letters] for name in names]
    return table_of_columns(DEAD_LETTERS, [*columns, [night] * len(letters), [letter.tenant_id for letter in letters]])


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

"""Compaction: the segments of one thread become the rows of its runs, from which every view can be rebuilt.

A night goes on where earlier nights ended: a thread's head says what they knew. Runs that are still open are not
written; what the next night needs to know is the new head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.errors import DecodeError
from schemas.heads import Carried, Head
from schemas.records import DeadLetter
from schemas.rows import RunRows, ThreadRows
from schemas.segments import Segment
from transforms.runs.books import Books
from transforms.runs.compactor import CompactOptions, RunCompactor, is_rebuilt
from transforms.runs.lineage import Lineage, trace_runs
from transforms.runs.newhead import Place, new_head
from transforms.runs.past import Sifted, restore_order, sift, wanted
from transforms.runs.pastviews import PastViews, ReadRuns
from transforms.runs.readable import readable
from transforms.runs.runlog import RunLog
from transforms.segments.ordering import Placed, order_items
from transforms.segments.parsing import ParsedItems

__all__ = ["CompactOptions", "Compaction", "compact_thread", "is_rebuilt"]


def compact_thread(segments: Iterable[Segment], options: CompactOptions = CompactOptions()) -> ThreadRows:  # noqa: B008 - frozen
    """Return the rows of one thread, all at once.

    Args:
        segments: all of one thread (tenant and id), n >= 1, in any order.
    """
    thread = Compaction(segments, options)
    runs = list(thread.runs())
    return ThreadRows(thread.tenant_id, thread.thread_id, runs, thread.dead_letters, thread.duplicates)


def _no_rows(head: Head, ordinals: list[int]) -> dict[int, RunRows]:
    raise KeyError((head.thread_id, ordinals))


class Compaction:
    """One thread on its way into rows, run by run.

    Args:
        segments: what this night read of it, n >= 1, in any order.
        head: what earlier nights knew; None where there were none.
        read: gives rows that earlier nights wrote.

    Attributes:
        duplicates: records that were redelivered.
        dead_letters: records that could not be used; complete once the runs are through.
    """

    def __init__(
        self,
        segments: Iterable[Segment],
        options: CompactOptions,
        head: Head | None = None,
        read: ReadRuns = _no_rows,
    ) -> None:
        given = list(segments)
        self.tenant_id, self.thread_id = given[0].owner.tenant_id, given[0].thread_id
        self._options = options
        self._head = head or Head(self.tenant_id, self.thread_id, [], [])
        parts = wanted(self._head, given)
        ordered = order_items(parts)
        sifted = sift(self._head, ordered)
        parsed = ParsedItems()
        lineage, letters = self._trace(sifted, parsed)
        restore_order(lineage.runs, ordered)
        self._runs = lineage.runs
        self._closed = [run for run in lineage.runs if run.past is None and run.ended_by is not None]
        self._opened = [run for run in lineage.runs if run.ended_by is None]
        self._delivered_again = dict(ordered.duplicates)
        self._books = Books(self._head, parts, self._opened)
        told = [*ordered.conflicts, *sifted.letters, *letters, *lineage.dead_letters]
        self.dead_letters = self._books.due_letters(told)
        self.duplicates = self._books.due_count([*ordered.again, *sifted.again])
        self._again = ordered.again
        past = PastViews(head, read)
        self._compactor = RunCompactor((self.tenant_id, self.thread_id), self._closed, parsed, options, past)

    @property
    def carried_in(self) -> int:
        """Records that earlier nights left to this one."""
        return self._books.carried_in

    @property
    def carried_out(self) -> int:
        """Records that are left to the next night."""
        return self._books.carried_out

    @property
    def open_runs(self) -> list[RunLog]:
        """The runs that are still open."""
        return self._opened

    def runs(self) -> Iterator[RunRows]:
        """Yield the rows of each run that has ended, by ordinal, once."""
        for run in self._closed:
            rows = self._compactor.compact(run)
            rows.run.duplicates = self._delivered_again.pop(rows.run.run_id, 0)
            if run.carried is not None:
                rows.run.duplicates += run.carried.duplicates
            yield rows
        self.dead_letters += self._compactor.unreadable

    def head(self, night: str, bucket: int, places: dict[int, Place]) -> Head:
        """Return what later nights need to know; the runs must be through.

        Args:
            places: where the rows of each run lie that was yielded, by ordinal.
        """
        found = new_head(self._head, self._runs, (night, bucket), places, self._compactor.newest)
        for run in self._opened:
            again = [one for one in self._again if one.item.run_id == run.run_id]
            found.runs[run.ordinal].open = self._books.open_run(run, again, self._options.frontier_us)
        return found

    def carried(self) -> list[Carried]:
        """Return pointers to the raw records of the runs that are still open; `head` must be made."""
        return [
            Carried(uri, self.tenant_id, self.thread_id, run.ordinal, run.run_id)
            for run in self._opened
            for uri in self._books.objects_of(run)
        ]

    def _trace(self, sifted: Sifted, parsed: ParsedItems) -> tuple[Lineage, list[DeadLetter]]:
        """Return the lineage, and the letters of what no lineage can be read from."""
        try:
            return self._lineage(sifted, sifted.fresh, parsed), []
        except DecodeError:
            found = readable(sifted.fresh)
            return self._lineage(sifted, found.items, parsed), found.letters

    def _lineage(self, sifted: Sifted, items: list[Placed], parsed: ParsedItems) -> Lineage:
        options = self._options
        former = [run.copy() for run in sifted.former]
        return trace_runs(items, parsed, is_linear=options.is_linear, former=former, frontier_us=options.frontier_us)

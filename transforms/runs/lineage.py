"""Lineage: the ordered items of one thread become its runs, each with its parent.

A run is (thread, ordinal); the ordinal counts from 0 by first record, since run ids repeat in real logs. Its parent, in
this order: ``parentRunId`` of RUN_STARTED, ``input.parentRunId``, the parent column of a store, the run before it in
the thread. A run ends at its terminal, when a run whose parent it is starts, or after 48 hours of silence in log time.
What comes under its id later opens a continuation, unless it could not change the view and the run had ended by its own
terminal.
"""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.events import RUN_STARTED, TERMINALS, VIEW_TYPES, Event
from schemas.records import DeadLetter
from transforms.jsontext import mapping
from transforms.runs.runlog import RunLog, end_at, is_silent, source_key
from transforms.segments.ordering import Placed, dead_letter
from transforms.segments.parsing import ParsedItems

VIOLATIONS: Final = {
    "no_run_started": "the run's first event is no RUN_STARTED",
    "duplicate_run_started": "a second RUN_STARTED while the run was open",
    "unknown_parent": "parentRunId names no earlier run of the thread",
    "self_parent": "parentRunId names the run itself",
    "cyclic_parent": "a run that it descends from named this one as its parent",
    "after_terminal": "an event after the run's terminal",
    "continued": "events came after the run had ended: this run continues it",
    "unstable_run_id": "the run's terminal names another run id than its RUN_STARTED",
    "no_terminal": "the run was closed without RUN_FINISHED or RUN_ERROR",
    "thread_mismatch": "RUN_STARTED names another thread than its envelope",
}
"""Kinds that lineage records on a run, and what they mean."""

_ENDED_BY_OTHERS: Final = {"child": "a child run", "silence": "48 hours of silence", "log": "the end of the log"}
_NEUTRAL_ENDS: Final = frozenset({"TEXT_MESSAGE_END", "TOOL_CALL_END", "REASONING_MESSAGE_END"})


class Lineage(msgspec.Struct):
    """The runs of one thread by ordinal, and the records that belong to none."""

    runs: list[RunLog]
    dead_letters: list[DeadLetter]


def trace_runs(
    items: list[Placed],
    parsed: ParsedItems,
    *,
    is_linear: bool = False,
    former: list[RunLog] | None = None,
    frontier_us: int | None = None,
) -> Lineage:
    """Return the runs of one thread.

    Args:
        items: in order, each once.
        is_linear: every run continues the one before it, whatever parent it names (what a plain client folds).
        former: the runs that earlier nights knew, by ordinal, those that are open with their items.
        frontier_us: log time up to which everything was read; None where the log is closed, and every run with it.
    """
    tracer = _Tracer(parsed, former or [], is_linear=is_linear)
    for placed in items:
        tracer.take(placed)
    tracer.settle(frontier_us)
    return Lineage(tracer.runs, tracer.dead_letters)


class _Tracer:
    def __init__(self, parsed: ParsedItems, former: list[RunLog], *, is_linear: bool) -> None:
        self.runs = list(former)
        self.dead_letters: list[DeadLetter] = []
        self._parsed = parsed
        self._is_linear = is_linear
        self._latest: dict[str | None, RunLog] = {run.run_id: run for run in former}
        self._missed: dict[str | None, list[int]] = {}
        for run in former:
            self._note_missed(run)

    def take(self, placed: Placed) -> None:
        item = placed.item
        run = self._run_of(placed)
        if run is not None and run.ended_by is None and is_silent(run, placed):
            run.ended_by = "silence"
        if item.type == RUN_STARTED or (item.attachment is not None and item.attachment.is_run_start):
            self._start(placed)
        else:
            self._continue(placed)

    def _start(self, placed: Placed) -> None:
        run = self._latest.get(placed.item.run_id)
        if run is not None and run.ended_by is None and _is_same_start(run, placed):
            if placed.item.type == RUN_STARTED:
                seen = any(one.item.type == RUN_STARTED for one in run.items)
                run.violations["duplicate_run_started"] += seen
            run.add(placed)
            return
        self._open(placed)

    def _open(self, placed: Placed) -> RunLog:
        event = self._parsed.event(placed) if placed.item.type == RUN_STARTED else {}
        run = RunLog(len(self.runs), placed.item.run_id, None, "root")
        if placed.item.type != RUN_STARTED:
            run.violations["no_run_started"] += 1
        elif event.get("threadId") not in (None, "", placed.segment.thread_id):
            run.violations["thread_mismatch"] += 1
        self._find_parent(run, placed, event)
        return self._register(run, placed)

    def _register(self, run: RunLog, placed: Placed) -> RunLog:
        run.add(placed)
        if run.parent is not None and self.runs[run.parent].ended_by is None:
            self.runs[run.parent].ended_by = "child"
        self.runs.append(run)
        if run.parent_source != "continuation":
            ancestors = self._missed.get(run.run_id, [])
            run.violations["cyclic_parent"] += sum(self._descends(run, ordinal) for ordinal in ancestors)
        self._latest[run.run_id] = run
        self._note_missed(run)
        return run

    def _note_missed(self, run: RunLog) -> None:
        """Remember what a run named as its parent that was not there: should it come later, that is a cycle."""
        if run.claim is not None and run.violations["unknown_parent"]:
            self._missed.setdefault(run.claim, []).append(run.ordinal)

    def _find_parent(self, run: RunLog, placed: Placed, event: Event) -> None:
        if not self.runs:
            self._note_unknown(run, placed, event)
            return
        run.parent, run.parent_source = len(self.runs) - 1, "previous"
        for source, claim in self._claims(placed, event):
            run.claim = run.claim or claim
            parent = self._latest.get(claim)
            if self._is_linear:
                continue
            if claim == run.run_id:
                run.violations["self_parent"] += 1
            elif parent is None:
                run.violations["unknown_parent"] += 1
            else:
                run.parent, run.parent_source = parent.ordinal, source
                return

    def _note_unknown(self, run: RunLog, placed: Placed, event: Event) -> None:
        for _, claim in self._claims(placed, event):
            run.claim = run.claim or claim
            run.violations["self_parent" if claim == run.run_id else "unknown_parent"] += 1

    def _claims(self, placed: Placed, event: Event) -> list[tuple[str, str]]:
        """Return what names a parent, best first; a weaker claim that repeats a stronger one is left out."""
        attachment = placed.item.attachment
        envelope_input = self._parsed.envelope_input(placed) or {}
        named = (
            ("event", event.get("parentRunId")),
            ("input", mapping(event.get("input")).get("parentRunId")),
            ("input", envelope_input.get("parentRunId")),
            ("store", attachment.store_parent_run_id if attachment is not None else None),
        )
        claims: list[tuple[str, str]] = []
        for source, claim in named:
            if isinstance(claim, str) and claim and all(claim != known for _, known in claims):
                claims.append((source, claim))
        return claims

    def _continue(self, placed: Placed) -> None:
        run = self._run_of(placed)
        if placed.item.type in TERMINALS and self._names_another_run(run, placed):
            run = self.runs[-1]
            run.violations["unstable_run_id"] += 1
        if run is None:
            self._open(placed)
        elif run.ended_by is None:
            run.add(placed)
            if placed.item.type in TERMINALS:
                run.ended_by = "terminal"
        elif run.past is not None and _is_its_own(run, placed):
            self.dead_letters.append(late_letter(placed))
        elif run.ended_by == "terminal" and _is_neutral(placed):
            run.violations["after_terminal"] += placed.item.count
            run.add(placed)
        elif run.ended_by in _ENDED_BY_OTHERS and placed.item.type in TERMINALS:
            detail = f"{placed.item.type} for a run that {_ENDED_BY_OTHERS[run.ended_by]} had ended"
            self.dead_letters.append(dead_letter(placed, "late_terminal", detail))
        else:
            self._continue_after_end(run, placed)

    def _names_another_run(self, named: RunLog | None, placed: Placed) -> bool:
        """Tell whether a terminal ends the open run of its object under an id that this run never had.

        LangGraph's adapter does so (ag-ui-validate AGUI008): RUN_FINISHED carries the graph's own run id. Only where no
        seq is: such records lie in the order in which one connection sent them.
        """
        if placed.item.seq is not None or not self.runs:
            return False
        current = self.runs[-1]
        if named is current or current.ended_by is not None:
            return False
        source = placed.segment.source
        began_here = current.items[0].segment.source == source
        return began_here and (named is None or not named.is_from(source, source_key(placed.segment.uri)))

    def _run_of(self, placed: Placed) -> RunLog | None:
        if placed.item.run_id is not None:
            return self._latest.get(placed.item.run_id)
        return self.runs[-1] if self.runs else None

    def _continue_after_end(self, former: RunLog, placed: Placed) -> None:
        run = RunLog(len(self.runs), former.run_id, former.ordinal, "continuation")
        if self._is_linear:
            run.parent = len(self.runs) - 1
        run.violations["continued"] += 1
        self._register(run, placed)

    def settle(self, frontier_us: int | None) -> None:
        """End what is silent or closed."""
        for run in self.runs:
            if run.past is not None:
                continue
            if run.ended_by is None:
                run.ended_by = end_at(run, frontier_us)
            run.violations = +run.violations
            if run.ended_by not in (None, "terminal"):
                run.violations["no_terminal"] += 1

    def _descends(self, run: RunLog, ancestor: int) -> bool:
        parent = run.parent
        while parent is not None and parent > ancestor:
            parent = self.runs[parent].parent
        return parent == ancestor


def _is_same_start(run: RunLog, placed: Placed) -> bool:
    """Tell whether a RUN_STARTED belongs to the open run of its id: by seq, or by standing in the same object."""
    first = run.items[0]
    return placed.item.seq is not None or first.segment.source == placed.segment.source


def late_letter(placed: Placed) -> DeadLetter:
    """Return the dead letter of what comes too late for a run that is written."""
    letter = dead_letter(placed, "late", "for a run that is written, or one before it; rebuild the thread")
    return msgspec.structs.replace(letter, count=placed.item.count)


def _is_its_own(run: RunLog, placed: Placed) -> bool:
    """Tell whether an item would have gone into a run, had it come before the run was written."""
    if run.ended_by == "terminal":
        return _is_neutral(placed)
    return run.ended_by in ("silence", "log") and not is_silent(run, placed)


def _is_neutral(placed: Placed) -> bool:
    return placed.item.type not in VIEW_TYPES or placed.item.type in _NEUTRAL_ENDS

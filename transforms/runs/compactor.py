"""Run compaction: the runs of one thread, one by one, become rows, each folded on its parent's view.

Law 1 is checked on every run before its rows leave: the view rebuilt from them equals the view that was folded. A run
that fails keeps its events verbatim, and is counted.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec

from schemas.errors import DecodeError
from schemas.events import RUN_STARTED, Event
from schemas.records import DeadLetter
from schemas.rows import RunRow, RunRows
from schemas.view import View, empty_view
from transforms import jsontext
from transforms.digest import text_digest
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import Fold
from transforms.jsontext import text_or_none
from transforms.runs.difference import difference
from transforms.runs.folding import FoldedRun, RunContext, fold_run
from transforms.runs.inputs import Equals, split_input
from transforms.runs.pastviews import PastViews
from transforms.runs.readable import readable
from transforms.runs.rebuild import rebuild_view
from transforms.runs.rows import Change, event_rows, message_rows, state_row
from transforms.runs.runlog import RunLog
from transforms.runs.seqs import seqs_of
from transforms.runs.usage import usage_rows
from transforms.sameness import same_json
from transforms.segments.ordering import Placed
from transforms.segments.parsing import ParsedItems

_PROMPT_ROLES: Final = ("system", "developer")


class CompactOptions(msgspec.Struct, frozen=True):
    """What a job's compactions have in common.

    Args:
        ruleset_id: redaction rules in force; off for none.
        key: of the keyed hashes; ``key_id`` names it.
        is_linear: fold the runs one after the other, whatever parents they name.
        frontier_us: log time up to which everything was read, UTC, microseconds since 1970; None closes every run.
    """

    ruleset_id: str = "off"
    key: bytes = b""
    key_id: str | None = None
    is_linear: bool = False
    frontier_us: int | None = None


class _End(msgspec.Struct):
    """Where a run ended, for the runs that continue it."""

    fold: Fold
    view: View
    chunks: ChunkExpander


class RunCompactor:
    """Compacts runs by ordinal; a fold is let go once the last child has been folded onto it.

    Args:
        thread: tenant and id.
        runs: that are compacted.
        past: the views of runs that earlier nights wrote.

    Attributes:
        unreadable: dead letters of events that no fold can take.
        newest: the view at the end of the run that was compacted last, and its ordinal.
    """

    def __init__(
        self,
        thread: tuple[str, str],
        runs: list[RunLog],
        parsed: ParsedItems,
        options: CompactOptions,
        past: PastViews,
    ) -> None:
        self._tenant_id, self._thread_id = thread
        self._parsed = parsed
        self._options = options
        self._past = past
        self._children = Counter(run.parent for run in runs)
        self._equals = Equals()
        self._ends: dict[int, _End] = {}
        self.unreadable: list[DeadLetter] = []
        self.newest: tuple[int, View] | None = None

    def compact(self, run: RunLog) -> RunRows:
        """Return the rows of a run; its parent was compacted before, or is written."""
        parent = self._take_parent(run.parent)
        try:
            return self._compact(run, parent, [])
        except DecodeError:
            found = readable(run.items)
            run.items = found.items
            self.unreadable += found.letters
            return self._compact(run, parent, found.lost)

    def _compact(self, run: RunLog, parent: _End | None, lost: list[Placed]) -> RunRows:
        base = empty_view() if parent is None else parent.view
        folded = fold_run(run, self._context(run, parent), lost)
        final = folded.fold.close()
        rows = self._rows(run, folded, base, final)
        if not is_rebuilt(rows, base, final):
            self._keep_verbatim(rows, run, parent)
        if self._children[run.ordinal]:
            self._ends[run.ordinal] = _End(folded.fold, final, folded.chunks)
        self.newest = run.ordinal, final
        run.lanes = folded.chunks.dump()
        return rows

    def _take_parent(self, ordinal: int | None) -> _End | None:
        if ordinal is None:
            return None
        self._children[ordinal] -= 1
        if ordinal not in self._ends:
            found = self._past.end(ordinal)
            self._ends[ordinal] = _End(Fold(found.view), found.view, found.chunks)
        return self._ends[ordinal] if self._children[ordinal] else self._ends.pop(ordinal)

    def _context(self, run: RunLog, parent: _End | None, *, keep_all: bool = False) -> RunContext:
        fold = Fold(empty_view()) if parent is None else Fold.after(parent.fold)
        goes_on = parent is not None and not any(placed.item.type == RUN_STARTED for placed in run.items[:1])
        chunks = parent.chunks.fork() if parent is not None and goes_on else None
        return RunContext(fold, self._parsed, self._seed(run), chunks, keep_all)

    def _seed(self, run: RunLog) -> str:
        return f"{self._thread_id}\0{run.run_id}\0{run.ordinal}"

    def _rows(self, run: RunLog, folded: FoldedRun, base: View, final: View) -> RunRows:
        row = self._run_row(run)
        facts = folded.facts
        facts.fill(row)
        found = difference(base, final)
        messages, calls = message_rows(row, Change(base, final, found, folded.fold, facts.marks))
        row.dropped_positions = found.dropped
        row.message_count = len(final.messages)
        row.new_messages = sum(message.is_new for message in messages)
        row.tool_call_count = sum(call.is_new for call in calls)
        row.has_user_message = any(message.is_new and message.role == "user" for message in messages)
        row.violations = dict(sorted(folded.violations.items()))
        if facts.given is not None:
            parts = split_input(facts.given, row, base, final, messages, equals=self._equals)
            row.input, row.input_messages, row.input_source = parts.rest, parts.messages, facts.input_source
            self._fill_hashes(row, facts.given)
        elif any(message.is_new and message.role == "user" and message.origin == "snapshot" for message in messages):
            row.input_source = "snapshot"
        usage = usage_rows(row, facts.usage, folded.kept, folded.raw_usage)
        return RunRows(row, usage, messages, calls, state_row(row, base, final), event_rows(row, folded.kept))

    def _run_row(self, run: RunLog) -> RunRow:
        row = RunRow(self._tenant_id, self._thread_id, run.ordinal, run.run_id, run.parent)
        row.parent_source, row.parent_run_id = run.parent_source, text_or_none(run.claim)
        options = self._options
        row.ruleset_id, row.key_id = options.ruleset_id, options.key_id
        for placed in run.items:
            item, owner = placed.item, placed.segment.owner
            row.events += item.count
            row.bytes += item.size
            row.raw_events += item.raw_events
            row.raw_bytes += item.raw_bytes
            row.user_id = row.user_id or owner.user_id
            row.agent_id = row.agent_id or owner.agent_id
        row.seqs = seqs_of(run.items)
        return row

    def _fill_hashes(self, row: RunRow, given: Event) -> None:
        messages, tools = given.get("messages"), given.get("tools")
        sent = messages if isinstance(messages, list) else []
        prompt = [m.get("content") for m in sent if isinstance(m, dict) and m.get("role") in _PROMPT_ROLES]
        key = self._options.key
        row.system_prompt_hash = text_digest(jsontext.dumps(prompt), key) if prompt else None
        row.tools_hash = text_digest(jsontext.dumps(tools), key) if tools else None

    def _keep_verbatim(self, rows: RunRows, run: RunLog, parent: _End | None) -> None:
        again = fold_run(run, self._context(run, parent, keep_all=True))
        rows.run.is_verbatim = True
        rows.events = event_rows(rows.run, again.events)


def is_rebuilt(rows: RunRows, base: View, final: View) -> bool:
    """Tell whether a run's rows rebuild its view: law 1.

    Messages that the rows leave alone are the same objects in both lists, so that comparing is cheap; the others are
    compared as JSON, since Python holds 1 and True for equal.
    """
    rebuilt = rebuild_view(base, rows)
    if rebuilt.messages != final.messages or not same_json(rebuilt.state, final.state):
        return False
    return all(same_json(rebuilt.messages[row.position], final.messages[row.position]) for row in rows.messages)

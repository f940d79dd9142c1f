"""Run fold: the items of one run are folded onto its parent's view, and what the view does not hold is set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from schemas.events import ACTIVITY_TYPES, RUN_STARTED, TERMINALS, VIEW_TYPES, Event
from schemas.records import Attachment
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import Fold
from transforms.fold.thinking import ThinkingNames
from transforms.fold.verify import Lifecycle
from transforms.runs.facts import RunFacts
from transforms.runs.runlog import RunLog
from transforms.segments.ordering import Placed
from transforms.segments.parsing import ParsedItems

_SPANS: Final = frozenset({"REASONING_START", "REASONING_END", "THINKING_START", "THINKING_END"})
"""Types that a replay makes again from the messages."""


class KeptEvent(msgspec.Struct, gc=False):
    """An event for the events table: when it came, and how many messages the view had."""

    event: Event
    at_us: int | None
    at_message: int


class FoldedRun(msgspec.Struct):
    """A run's events, folded.

    Args:
        events: every event as it was folded; only filled when asked for.
        chunks: what chunk was open at the end, for a run that goes on without a RUN_STARTED.
        raw_usage: JSON arrays of usage taken from what the RAW policy dropped.
    """

    fold: Fold
    facts: RunFacts
    kept: list[KeptEvent]
    violations: Counter[str]
    raw_usage: list[bytes]
    events: list[KeptEvent]
    chunks: ChunkExpander


class RunContext(msgspec.Struct):
    """What a run's items are folded in.

    Args:
        fold: on the parent's view; it is changed.
        parsed: the thread's events.
        seed: text that names the run, from which ids of legacy THINKING_* blocks are made.
        chunks: the parent's, where this run begins without a RUN_STARTED.
        keep_all: also return every event, for a run that must be kept verbatim.
    """

    fold: Fold
    parsed: ParsedItems
    seed: str
    chunks: ChunkExpander | None = None
    keep_all: bool = False


def fold_run(run: RunLog, context: RunContext, lost: Iterable[Placed] = ()) -> FoldedRun:
    """Fold one run's items.

    Args:
        lost: items of the run that cannot be read; the run's times are theirs too.
    """
    folder = _RunFolder(run, context)
    for placed in lost:
        folder.note(placed)
    for placed in run.items:
        folder.take(placed)
    return folder.finish()


class _RunFolder:
    def __init__(self, run: RunLog, context: RunContext) -> None:
        self._parsed = context.parsed
        self._keep_all = context.keep_all
        self._thinking = ThinkingNames(context.seed)
        self._chunks = ChunkExpander() if context.chunks is None else context.chunks
        self._lifecycle = Lifecycle()
        self._result = FoldedRun(context.fold, RunFacts(), [], Counter(run.violations), [], [], self._chunks)

    def note(self, placed: Placed) -> None:
        """Take in when an item was, and nothing of what it says."""
        self._result.facts.note_item(placed)

    def take(self, placed: Placed) -> None:
        item, result = placed.item, self._result
        self.note(placed)
        if item.usage is not None:
            result.raw_usage.append(item.usage)
        given = None if item.attachment is None else self._take_attachment(placed, item.attachment)
        if item.event is None and item.text is None:
            return
        event = self._parsed.event(placed)
        slips = self._parsed.violations.pop(id(item), None)
        if slips is not None:
            result.violations.update(slips)
        if given is not None and item.type == RUN_STARTED and "input" not in event:
            event = {**event, "input": given}  # as stores do when they read such a run back
        for one in self._chunks.expand(self._thinking.translate(event)):
            self._apply(one, placed)

    def _apply(self, event: Event, placed: Placed) -> None:
        item, result = placed.item, self._result
        violation = self._lifecycle.check(event)
        if violation is not None:
            result.violations[violation] += 1
        kind = event["type"]
        result.facts.note_event(event, item)
        if kind not in VIEW_TYPES or kind in ACTIVITY_TYPES:
            self._keep(event, item.first_us)
        elif "rawEvent" in event:
            self._keep_raw(event, item.first_us)
        if self._keep_all:
            result.events.append(KeptEvent(event, item.first_us, len(result.fold.messages)))
        result.fold.apply(event, item.first_us, item.last_us)

    def _keep(self, event: Event, at_us: int | None) -> None:
        if event["type"] not in TERMINALS and event["type"] not in _SPANS:
            self._result.kept.append(KeptEvent(event, at_us, len(self._result.fold.messages)))
        if "rawEvent" in event and event["type"] in TERMINALS | _SPANS:
            self._keep_raw(event, at_us)

    def _keep_raw(self, event: Event, at_us: int | None) -> None:
        raw = {"type": "RAW", "source": event["type"], "event": event["rawEvent"]}
        self._result.kept.append(KeptEvent(raw, at_us, len(self._result.fold.messages)))

    def _take_attachment(self, placed: Placed, attachment: Attachment) -> Event | None:
        """Take in what stood around the run, and return the input among it."""
        self._result.violations.update(attachment.violations)
        given = self._parsed.envelope_input(placed)
        if given is not None:
            self._result.facts.note_envelope_input(given)
        return given

    def finish(self) -> FoldedRun:
        result = self._result
        result.violations.update(self._chunks.violations)
        result.violations.update(result.fold.violations)
        return result

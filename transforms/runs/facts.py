"""Run facts: the events of one run become what its row says besides messages and state.

Status, times, outcome, error, metadata, tags, and the marks that a replay left on ends which it had to add.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from schemas.events import RUN_ERROR, RUN_FINISHED, RUN_STARTED, Event, Json
from schemas.records import Attachment
from schemas.rows import RunRow
from schemas.segments import Item
from transforms import jsontext
from transforms.jsontext import mapping, text_or_none
from transforms.segments.ordering import Placed

MARK_KEY: Final = "threadlake"
"""Key of a terminal's metadata under which a replay marks the ends that it had to add."""

_STATUS_OF_OUTCOME: Final = {"interrupt": "interrupted", "cancelled": "cancelled"}
_TIME_SOURCES: Final = ("event", "envelope", "path", "object")
_RANKS: Final[dict[str | None, int]] = {source: rank for rank, source in enumerate(_TIME_SOURCES)}


class Marks(msgspec.Struct, omit_defaults=True):
    """Ends that a replay added, so that status survives a second compaction.

    Args:
        status: of the run, where it had no terminal.
        open_messages: positions in the final view of messages without an end.
        open_calls: [position, call index] of tool calls without an end.
    """

    status: Literal["abandoned"] | None = None
    open_messages: list[int] = []
    open_calls: list[tuple[int, int]] = []


class RunFacts:
    """Collects the facts of one run, event by event."""

    def __init__(self) -> None:
        self.marks = Marks()
        self.given: Event | None = None
        self.input_source = "none"
        self.usage: list[Json] = []
        self._terminal: Event | None = None
        self._start: Event | None = None
        self._first_us: int | None = None
        self._latest_us: int | None = None
        self._terminal_us: int | None = None
        self._first_text_us: int | None = None
        self._source_rank = len(_TIME_SOURCES)
        self._fallback_us: int | None = None

    def note_item(self, placed: Placed) -> None:
        """Take in an item's times and sizes."""
        item = placed.item
        if item.first_us is not None:
            self._note_time(item.first_us, item.time_source)
        if item.last_us is not None and item.last_us != item.first_us:
            self._note_time(item.last_us, item.time_source)
        if self._fallback_us is None:
            self._note_fallback(placed)

    def note_event(self, event: Event, item: Item) -> None:
        """Take in an event that opens or closes the run, or its first text."""
        kind = event["type"]
        if kind == RUN_STARTED:
            self._start = self._start or event
            given = event.get("input")
            if isinstance(given, dict) and self.given is None:
                self.given, self.input_source = given, "event"
        elif kind in (RUN_FINISHED, RUN_ERROR):
            self._end(event, item)
        elif kind == "TEXT_MESSAGE_CONTENT" and self._first_text_us is None:
            self._first_text_us = item.first_us

    def note_envelope_input(self, given: Event) -> None:
        """Take the input that stood around the run: it is what the agent was given, the event's may be normalised."""
        self.given, self.input_source = given, "envelope"

    def fill(self, row: RunRow) -> None:
        """Write the facts into a run's row."""
        self._fill_times(row)
        self._fill_terminal(row)
        metadata = self._metadata()
        row.metadata = jsontext.dumps(metadata) if metadata else None
        row.tags = self._tags(metadata)
        start, given = self._start or {}, self.given or {}
        version = start.get("protocolVersion") or given.get("protocolVersion")
        row.protocol_version = text_or_none(version)

    def _note_time(self, moment: int, source: str | None) -> None:
        if self._latest_us is None:
            self._first_us = self._latest_us = moment
        elif moment > self._latest_us:
            self._latest_us = moment
        self._source_rank = min(self._source_rank, _RANKS.get(source, len(_TIME_SOURCES)))

    def _note_fallback(self, placed: Placed) -> None:
        attachment: Attachment | None = placed.item.attachment
        if attachment is not None and attachment.created_us is not None:
            self._fallback_us, rank = attachment.created_us, _TIME_SOURCES.index("envelope")
        elif placed.segment.fallback_us is not None:
            self._fallback_us = placed.segment.fallback_us
            rank = _TIME_SOURCES.index(placed.segment.fallback_source or "object")
        else:
            return
        if self._first_us is None:
            self._source_rank = rank

    def _end(self, event: Event, item: Item) -> None:
        if self._terminal is not None:
            return
        self._terminal = event
        self._terminal_us = item.last_us
        usage = event.get("usage")
        self.usage = [entry for entry in usage if isinstance(entry, dict)] if isinstance(usage, list) else []
        mark = mapping(event.get("metadata")).get(MARK_KEY)
        if isinstance(mark, dict):
            try:
                self.marks = msgspec.convert(mark, Marks)
            except (msgspec.ValidationError, UnicodeEncodeError):
                self.marks = Marks()

    def _fill_times(self, row: RunRow) -> None:
        row.started_at = self._fallback_us if self._first_us is None else self._first_us
        row.first_text_at = self._first_text_us
        row.ended_at = self._terminal_us or (self._fallback_us if self._latest_us is None else self._latest_us)
        if self._source_rank < len(_TIME_SOURCES):
            row.time_source = _TIME_SOURCES[self._source_rank]

    def _fill_terminal(self, row: RunRow) -> None:
        event = self._terminal
        if self.marks.status is not None:
            row.status = self.marks.status
            return
        if event is None:
            row.status = "abandoned"
        elif event["type"] == RUN_ERROR:
            row.status = "error"
            row.error_code = text_or_none(event.get("code"))
            row.error_message = text_or_none(event.get("message"))
        else:
            outcome = event.get("outcome")
            kind = outcome.get("type") if isinstance(outcome, dict) else None
            row.status = _STATUS_OF_OUTCOME.get(kind, "finished") if isinstance(kind, str) else "finished"
            row.outcome = jsontext.dumps(outcome) if outcome is not None else None
            row.result = jsontext.dumps(event["result"]) if "result" in event else None

    def _metadata(self) -> dict[str, Json]:
        merged: dict[str, Json] = {}
        for event in (self._start, self._terminal):
            if event is not None:
                merged.update(mapping(event.get("metadata")))
        merged.pop(MARK_KEY, None)
        return merged

    def _tags(self, metadata: dict[str, Json]) -> list[str]:
        forwarded = mapping((self.given or {}).get("forwardedProps"))
        found = metadata.get("tags", forwarded.get("tags"))
        return [tag for tag in map(text_or_none, found) if tag] if isinstance(found, list) else []

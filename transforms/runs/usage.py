"""Usage: the token counts that a run's events tell become rows, one for each provider and model.

The terminal's ``usage`` is the word of the agent and wins; else vendor events; else what was inside RAW payloads, where
a model call that is told twice counts once.
"""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.events import Json
from schemas.rows import RunRow, UsageRow
from transforms import jsontext
from transforms.jsontext import text_or_none
from transforms.runs.folding import KeptEvent
from transforms.vendors.usage import UsageEntry, usage_entry

_COUNTS: Final = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "reasoning_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
)
_VENDOR_TYPES: Final = frozenset({"USAGE_METADATA", "USAGE", "TOKEN_USAGE"})
_EVENT_KEYS: Final = frozenset({"type", "timestamp", "rawEvent", "metadata"})


def usage_rows(run: RunRow, terminal: list[Json], kept: list[KeptEvent], raw: list[bytes]) -> list[UsageRow]:
    """Return a run's usage, from the best source that has any.

    Args:
        terminal: entries of the terminal's ``usage``.
        kept: events of the events table.
        raw: JSON arrays of entries that were taken from RAW payloads.
    """
    by_source = (
        ("terminal", [usage_entry(entry) for entry in terminal if isinstance(entry, dict)]),
        ("vendor", [_vendor_entry(one) for one in kept if one.event["type"] in _VENDOR_TYPES]),
        ("raw", list(_once(raw))),
    )
    for source, found in by_source:
        entries = [entry for entry in found if entry is not None]
        if entries:
            return _sum_up(run, source, entries)
    return []


def _vendor_entry(one: KeptEvent) -> UsageEntry | None:
    counts = {key: value for key, value in one.event.items() if key not in _EVENT_KEYS and not key.startswith("_")}
    return usage_entry(counts)


def _once(raw: list[bytes]) -> list[UsageEntry]:
    """Return the entries, of each model call the last that was told."""
    last: dict[object, UsageEntry] = {}
    for text in raw:
        for entry in msgspec.convert(jsontext.loads(text), list[UsageEntry]):
            last[entry.call_id if entry.call_id is not None else object()] = entry
    return list(last.values())


def _sum_up(run: RunRow, source: str, entries: list[UsageEntry]) -> list[UsageRow]:
    rows: dict[tuple[str | None, str | None], UsageRow] = {}
    for entry in entries:
        key = (text_or_none(entry.provider), text_or_none(entry.model))
        row = rows.get(key)
        if row is None:
            row = rows[key] = UsageRow(run.tenant_id, run.thread_id, run.run, run.run_id, *key, source=source)
        for count in _COUNTS:
            told = getattr(entry, count)
            if told is not None:
                setattr(row, count, (getattr(row, count) or 0) + told)
        if entry.extra:
            row.extra = jsontext.dumps(entry.extra)
    return [rows[key] for key in sorted(rows, key=lambda key: (key[0] or "", key[1] or ""))]

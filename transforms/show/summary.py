"""Summaries: a plan or a commit becomes figures for a program and lines for a person."""

from __future__ import annotations

import shlex
from typing import Final

import msgspec

from schemas.events import Json
from schemas.lake import Commit
from schemas.records import REASONS

_UNITS: Final = ("bytes", "KB", "MB", "GB", "TB")
_THOUSAND: Final = 1000
_SHARE_WITHOUT_INPUT: Final = 0.5


def summary(commit: Commit, seconds: float, now: float, *, was_written: bool = False) -> dict[str, Json]:
    """Return the figures of ``compact --json``: events_in + dead letters + duplicates = records.

    Args:
        now: seconds since 1970; the lag is how long ago that was which the lake now holds up to.
        was_written: by an earlier command.
    """
    figures: dict[str, Json] = msgspec.to_builtins(commit.totals)
    lag = None if commit.frontier_us is None else round(now - commit.frontier_us / 1e6, 3)
    return {
        "night": commit.night,
        "was_written": was_written,
        **figures,
        "files": len(commit.files),
        "seconds": round(seconds, 3),
        "lag_seconds": lag,
    }


def summary_lines(figures: dict[str, Json], lake: str) -> list[str]:
    """Return the summary for a person, with what the data lacks and the next command to type."""
    if figures["was_written"]:
        return [f"{figures['night']} is written already ({figures['files']:,} files); nothing to do"]
    ratio = figures["bytes_in"] / figures["bytes_out"] if figures["bytes_out"] else 0.0
    raw, kept, rebuilt = (
        size(figures["bytes_in"]),
        size(figures["bytes_out"]),
        figures["runs"] - figures["verbatim_runs"],
    )
    letters = figures["dead_letters"]
    accounted = (
        f"  {figures['events_in']:,} events + {figures['duplicates']:,} duplicates + "
        f"{sum(letters.values()):,} dead letters = {figures['records']:,} records"
    )
    night = f"night {figures['night']}: " if figures["lag_seconds"] is not None else ""
    lines = [
        f"{night}{figures['objects']:,} objects, {figures['records']:,} records in {figures['seconds']:.1f} s",
        f"  {raw} raw → {kept} in {figures['files']:,} files ({ratio:.0f} : 1)",
        f"  {figures['threads']:,} threads, {figures['runs']:,} runs, {figures['branches']:,} branches",
        f"  {figures['messages']:,} messages, {figures['tool_calls']:,} tool calls",
        accounted,
    ]
    lines += _nightly(figures)
    lines += _counted("protocol violations", figures["violations"])
    lines += [f"  dead letters: {reason} {count:,} ({REASONS[reason]})" for reason, count in letters.items()]
    lines.append(f"  views that the rows rebuild: {rebuilt:,} of {figures['runs']:,} runs")
    return [*lines, *_lacks(figures), "", f"next: threadlake threads --lake {shlex.quote(lake)}"]


def size(count: int) -> str:
    """Return a number of bytes for a person.

    >>> size(999), size(25_200_000)
    ('999 bytes', '25.2 MB')
    """
    amount, unit = float(count), _UNITS[0]
    for unit in _UNITS:
        if amount < _THOUSAND or unit == _UNITS[-1]:
            break
        amount /= _THOUSAND
    return f"{count} bytes" if unit == _UNITS[0] else f"{amount:.1f} {unit}"


def _nightly(figures: dict[str, Json]) -> list[str]:
    """Return what a night took over, left open and could not read."""
    lines = []
    if figures["carried_in"] or figures["carried_out"]:
        lines.append(
            f"  {figures['open_runs']:,} runs are open: {figures['carried_out']:,} records are left to the next night, "
            f"{figures['carried_in']:,} came from the one before"
        )
    if figures["rewritten"]:
        lines.append(
            f"  {figures['rewritten']:,} objects were rewritten after they had been read; they were left out: "
            "`threadlake plan` names them, `threadlake rebuild --object URI` takes one in"
        )
    return lines


def _counted(label: str, counts: dict[str, int]) -> list[str]:
    if not counts:
        return []
    return [f"  {label}: " + ", ".join(f"{kind} {count:,}" for kind, count in counts.items())]


def _lacks(figures: dict[str, Json]) -> list[str]:
    """Return what the data lacks and how to get it."""
    lines = ["", "personal data is not redacted (--redact off)"]
    without, runs = figures["runs_without_user_message"], figures["runs"]
    if runs and without / runs > _SHARE_WITHOUT_INPUT:
        lines.append(
            f"{without:,} of {runs:,} runs hold no message of the user: record RUN_STARTED with its input "
            "(or an envelope with `input`), so that the user's words are kept"
        )
    return lines

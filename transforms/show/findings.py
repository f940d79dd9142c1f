"""Findings: what a check of a lake found becomes one JSON document, or lines for a person."""

from __future__ import annotations

from collections import Counter

import msgspec

from schemas.events import Json
from schemas.findings import FINDINGS, Finding
from schemas.lake import Totals
from transforms.show.terminal import one_line


def findings_document(found: list[Finding], totals: list[Totals], compared: int) -> dict[str, Json]:
    """Return the document of ``verify --json``.

    Args:
        totals: of the lake's nights.
        compared: threads that were compacted again.
    """
    return {
        "nights": len(totals),
        "runs": sum(one.runs for one in totals),
        "threads_compared": compared,
        "findings": msgspec.to_builtins(found),
        "kinds": dict(sorted(Counter(one.kind for one in found).items())),
    }


def finding_lines(found: list[Finding], totals: list[Totals], compared: int, shown: int) -> list[str]:
    """Return the findings for a person, `shown` of them one by one."""
    runs = sum(one.runs for one in totals)
    lines = [f"nights {len(totals):,}, runs {runs:,}, threads compared with their raw records {compared:,}"]
    for one in found[:shown]:
        detail = f" ({one_line(one.detail)})" if one.detail else ""
        lines.append(f"  {one.kind}: {one_line(one.where)}{detail}")
    if len(found) > shown:
        lines.append(f"  and {len(found) - shown:,} more")
    kinds = Counter(one.kind for one in found)
    lines += [f"{count:,} {kind}: {FINDINGS[kind]}" for kind, count in sorted(kinds.items())]
    return lines if found else [*lines, "nothing found"]

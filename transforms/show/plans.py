"""Plans: what a compaction would read and write becomes lines for a person."""

from __future__ import annotations

from typing import Final

from schemas.lake import Plan
from schemas.records import Source
from transforms.show.summary import size
from transforms.show.terminal import one_line

_SHOWN: Final = 20


def plan_lines(plan: Plan, lake: str) -> list[str]:
    """Return a plan for a person."""
    fresh = [source for source in plan.sources if source.size > source.known_bytes]
    carried = [source for source in plan.sources if source.carried]
    lines = [
        f"night {plan.night}: {len(fresh):,} objects, {size(sum(map(_new_bytes, fresh)))}",
        f"  into {lake}, {2**plan.bucket_bits:,} buckets",
        f"  RAW payloads: {plan.raw_policy}; redaction: {plan.ruleset_id}",
    ]
    if carried:
        again = sum(source.known_bytes for source in carried)
        lines.append(f"  {len(carried):,} objects are read again ({size(again)}): runs are open in them")
    lines += [f"  {size(_new_bytes(source)):>10}  {_named(source)}" for source in fresh[:_SHOWN]]
    if len(fresh) > _SHOWN:
        lines.append(f"  … and {len(fresh) - _SHOWN:,} more")
    if plan.outside:
        lines.append(
            f"  {plan.outside:,} objects are dated before the lookback ({plan.lookback_days} days), or behind the night"
        )
    if plan.rewritten:
        lines.append(f"  {len(plan.rewritten):,} objects were rewritten after they had been read, and are left out:")
        lines += [f"              {one_line(uri)}" for uri in plan.rewritten[:_SHOWN]]
    return lines


def _new_bytes(source: Source) -> int:
    return source.size - source.known_bytes


def _named(source: Source) -> str:
    if source.copy_of:
        return f"{one_line(source.uri)} (a copy of {one_line(source.copy_of)})"
    return one_line(source.uri) + (" (has grown)" if source.known_bytes else "")

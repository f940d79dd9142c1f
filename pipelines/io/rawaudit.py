"""Raw audit: the raw objects of a lake's plans are compacted again, and compared with the rows that the lake has."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pipelines.io.files import open_input
from pipelines.io.lake import Lake, order_of
from pipelines.io.meter import Meter
from schemas.errors import InputError
from schemas.findings import Finding
from schemas.lake import Commit, Plan
from schemas.records import Source
from schemas.segments import Segment
from transforms.audit.threads import Fingerprint, place_of, raw_findings
from transforms.bucket import bucket_of
from transforms.decode.order import natural_key
from transforms.runs.thread import CompactOptions, compact_thread
from transforms.segments.rawpolicy import RawChoice
from transforms.segments.reading import Reading

Thread = tuple[str, str]
"""Tenant and thread id."""


def plan_findings(lake: Lake, commits: list[Commit], threads: dict[Thread, list[Fingerprint]]) -> Iterator[Finding]:
    """Yield the raw objects that are not as they were, and the runs that they do not give.

    Objects are read once for each bucket that one of the threads is in, so that one bucket is in memory at a time.

    Args:
        threads: those to compact again.
    """
    plans = [lake.read_plan(commit.night) for commit in sorted(commits, key=lambda commit: order_of(commit.night))]
    sources = read_sources(plans)
    lost = [finding for source in sources for finding in _source_findings(source)]
    yield from lost
    if lost or not plans:
        return
    homes: dict[int, dict[Thread, list[Fingerprint]]] = {}
    for (tenant, thread), runs in threads.items():
        homes.setdefault(bucket_of(tenant, thread, plans[0].bucket_bits), {})[tenant, thread] = runs
    for wanted in homes.values():
        yield from _bucket_findings(sources, plans[-1], wanted)


def read_sources(plans: list[Plan]) -> list[Source]:
    """Return the objects that nights have read, as far as they have, in natural order.

    Args:
        plans: in the order of the nights.
    """
    read: dict[str, Source] = {}
    for plan in plans:
        for source in plan.sources:
            if not plan.only or source.uri in plan.rewritten:
                read[source.uri] = msgspec.structs.replace(source, stops=[], known_bytes=0, carried=[])
    ordered = sorted(read.values(), key=lambda source: (natural_key(source.uri), source.uri))
    return [msgspec.structs.replace(source, index=index) for index, source in enumerate(ordered)]


def _source_findings(source: Source) -> Iterator[Finding]:
    try:
        with open_input(source.uri) as stream:
            size = stream.seek(0, 2)
    except InputError:
        yield Finding("missing_raw", source.uri)
        return
    if size < source.size:
        yield Finding("changed_raw", source.uri, f"{size:,} bytes, its plan says {source.size:,}")


def _bucket_findings(sources: list[Source], plan: Plan, wanted: dict[Thread, list[Fingerprint]]) -> Iterator[Finding]:
    segments: dict[Thread, list[Segment]] = {thread: [] for thread in wanted}
    for source in sources:
        for segment in _segments(source, RawChoice(plan.raw_policy)):
            key = (segment.owner.tenant_id, segment.thread_id)
            if key in segments:
                segments[key].append(segment)
    options = CompactOptions(ruleset_id=plan.ruleset_id, frontier_us=plan.frontier_us)
    for thread, parts in sorted(segments.items()):
        if parts:
            yield from raw_findings(wanted[thread], compact_thread(parts, options).runs)
        else:
            yield Finding("other_rows", place_of(*thread), "no raw record of it")


def _segments(source: Source, choice: RawChoice) -> Iterator[Segment]:
    reading = Reading(source, choice)
    with Meter(open_input(source.uri), source) as stream:
        for segments, _ in reading.parts(stream):
            yield from segments

"""Raw audit: the raw objects of a lake's plans are compacted again, and compared with the rows that the lake has."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.io.files import open_input
from pipelines.io.lake import Lake
from schemas.errors import InputError
from schemas.findings import Finding
from schemas.lake import Commit, Plan
from schemas.records import Source
from schemas.segments import Segment
from transforms.audit.threads import Fingerprint, place_of, raw_findings
from transforms.bucket import bucket_of
from transforms.decode.limits import Limits
from transforms.decode.objects import decode_batches
from transforms.decode.pathdate import object_time
from transforms.runs.thread import CompactOptions, compact_thread
from transforms.segments.builder import SegmentBuilder
from transforms.segments.rawpolicy import RawChoice, RawPolicy

Thread = tuple[str, str]
"""Tenant and thread id."""


def plan_findings(lake: Lake, commits: list[Commit], threads: dict[Thread, list[Fingerprint]]) -> Iterator[Finding]:
    """Yield the raw objects that are not as they were, and the runs that they do not give.

    Objects are read once for each bucket that one of the threads is in, so that one bucket is in memory at a time.

    Args:
        threads: those to compact again.
    """
    for commit in commits:
        plan = lake.read_plan(commit.night)
        lost = [finding for source in plan.sources for finding in _source_findings(source)]
        yield from lost
        if lost:
            continue
        homes: dict[int, dict[Thread, list[Fingerprint]]] = {}
        for (tenant, thread), runs in threads.items():
            homes.setdefault(bucket_of(tenant, thread, plan.bucket_bits), {})[tenant, thread] = runs
        for wanted in homes.values():
            yield from _bucket_findings(plan, wanted)


def _source_findings(source: Source) -> Iterator[Finding]:
    try:
        with open_input(source.uri) as stream:
            size = stream.seek(0, 2)
    except InputError:
        yield Finding("missing_raw", source.uri)
        return
    if size != source.size:
        yield Finding("changed_raw", source.uri, f"{size:,} bytes, its plan says {source.size:,}")


def _bucket_findings(plan: Plan, wanted: dict[Thread, list[Fingerprint]]) -> Iterator[Finding]:
    segments: dict[Thread, list[Segment]] = {thread: [] for thread in wanted}
    for source in plan.sources:
        for segment in _segments(source, RawChoice(plan.raw_policy)):
            key = (segment.owner.tenant_id, segment.thread_id)
            if key in segments:
                segments[key].append(segment)
    options = CompactOptions(ruleset_id=plan.ruleset_id)
    for thread, parts in sorted(segments.items()):
        if parts:
            yield from raw_findings(wanted[thread], compact_thread(parts, options).runs)
        else:
            yield Finding("other_rows", place_of(*thread), "no raw record of it")


def _segments(source: Source, choice: RawChoice) -> Iterator[Segment]:
    builder = SegmentBuilder(source, RawPolicy(choice), object_time(source))
    with open_input(source.uri) as stream:
        for batch in decode_batches(stream, source, Limits()):
            yield from builder.add_all(batch)[0]
    yield from builder.finish()

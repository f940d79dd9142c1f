"""The compaction job: raw objects become a committed night of the lake.

::

    Source → DecodeObjects → (bucket, shipment) → CompactThreads → (bucket, rows) → WriteTables → report → CommitNight
"""

from __future__ import annotations

import hashlib
from typing import Final

import apache_beam as beam
import msgspec
from apache_beam.options.pipeline_options import PipelineOptions

from pipelines.io.files import expand
from pipelines.io.lake import Lake
from pipelines.io.progress import shown
from pipelines.options import CompactRequest, runner_of
from pipelines.stages.commit import CommitNight
from pipelines.stages.compact import CompactThreads
from pipelines.stages.decode import DecodeObjects
from pipelines.stages.write import WriteTables
from schemas.errors import LakeError
from schemas.lake import Commit, Plan
from schemas.records import Source
from schemas.tables import FORMAT
from threadlake import __version__
from transforms.decode.pattern import compile_pattern

_BYTES_A_BUCKET: Final = 256 << 20
"""Raw bytes that one bucket should hold: it bounds what a worker keeps while it compacts."""

_MAX_BUCKET_BITS: Final = 12
_PACKED_ENDINGS: Final = (".gz", ".zst", ".zstd")
_PACKED_RATIO: Final = 10
_NIGHT_DIGITS: Final = 16


def make_plan(request: CompactRequest) -> Plan:
    """Return what a compaction of these inputs reads and how; the same request on the same objects gives the same plan.

    Raises:
        ConfigError: an input is missing, or the path pattern is none.
    """
    sources = expand(request.inputs)
    if request.path_pattern is not None:
        pattern = compile_pattern(request.path_pattern)
        sources = [msgspec.structs.replace(source, fields=pattern.fields(source.uri)) for source in sources]
    bits = request.bucket_bits if request.bucket_bits is not None else _bucket_bits(sources)
    draft = Plan("", FORMAT, bits, sources, request.raw_policy, request.ruleset_id, __version__)
    digest = hashlib.sha256(msgspec.json.encode(draft)).hexdigest()[:_NIGHT_DIGITS]
    return msgspec.structs.replace(draft, night=digest)


def compact(place: str, plan: Plan, options: PipelineOptions) -> Commit:
    """Carry out a plan and return its commit.

    Raises:
        LakeError: the lake cannot be written, is of a newer format, or holds another compaction.
    """
    lake = Lake.create_or_open(place)
    _check_alone(lake, plan.night)
    lake.write_plan(plan)
    total = sum(source.size for source in plan.sources)
    with shown(total, "reading"), beam.Pipeline(runner=runner_of(options), options=options) as pipeline:
        _build(pipeline, place, plan)
    return next(commit for commit in lake.commits() if commit.night == plan.night)


def _build(pipeline: beam.Pipeline, place: str, plan: Plan) -> None:
    _ = (
        pipeline
        | "objects" >> beam.Create(plan.sources, reshuffle=False)
        | "DecodeObjects" >> DecodeObjects(plan)
        | "CompactThreads" >> CompactThreads(plan)
        | "WriteTables" >> WriteTables(place, plan)
        | "CommitNight" >> CommitNight(place, plan)
    )


def _check_alone(lake: Lake, night: str) -> None:
    """Refuse a lake that holds the compaction of other inputs: their threads would meet twice."""
    others = [name for name in lake.nights() if name != night]
    if others:
        raise LakeError(
            f"{lake.place}: holds the compaction {others[0]} of other inputs; give a new --lake, and all inputs at once"
        )
    lake.discard_uncommitted(keep=night)


def _bucket_bits(sources: list[Source]) -> int:
    size = sum(source.size * (_PACKED_RATIO if source.uri.endswith(_PACKED_ENDINGS) else 1) for source in sources)
    return min(_MAX_BUCKET_BITS, (max(1, -(-size // _BYTES_A_BUCKET)) - 1).bit_length())

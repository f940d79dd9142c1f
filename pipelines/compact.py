"""The compaction job: raw objects become a committed night of the lake.

::

    Source → DecodeObjects → (bucket, shipment) → CompactThreads → (bucket, files) → WriteTables → report → CommitNight
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import apache_beam as beam
import msgspec
from apache_beam.options.pipeline_options import PipelineOptions

from pipelines.io.lake import Lake, commit_path
from pipelines.io.lease import Fence
from pipelines.io.progress import shown
from pipelines.io.swap import STAGED_COMMIT, staged_path
from pipelines.options import runner_of
from pipelines.stages.commit import CommitNight
from pipelines.stages.compact import CompactThreads
from pipelines.stages.decode import DecodeObjects
from pipelines.stages.write import WriteTables
from schemas.errors import ConfigError, ThreadlakeError
from schemas.lake import Commit, Plan
from schemas.shipments import Shipment
from transforms.segments.shipping import pack


def compact(
    place: str, plan: Plan, options: PipelineOptions, fence: Fence | None = None, fail_on: float = 1.0
) -> Commit:
    """Carry out a plan and return its commit.

    Args:
        place: of the lake, absolute: a worker may be in another folder. The lake is there, and nobody else writes it.
        fence: of the lease under which this job writes.
        fail_on: share of the records that may become dead letters, 0 to 1.

    Raises:
        ThresholdError: more are, and nothing was committed.
        ConfigError: Beam refuses the options, or a raw object is not what the plan says.
        LakeError: the lake cannot be written, or the lease is lost.
    """
    pipeline = build(place, plan, options, fence, fail_on)
    lake = Lake.open(place)
    lake.write_plan(plan)
    total = sum(source.size for source in plan.sources)
    with shown(total, "reading"), _told_once():
        pipeline.run().wait_until_finish()
    path = staged_path(plan.night, STAGED_COMMIT) if plan.only else commit_path(plan.night)
    if not lake.store.exists(path):
        raise ThreadlakeError(f"the engine ended without the commit of night {plan.night}; see its own log")
    return lake.commit(plan.night, path)


def build(
    place: str, plan: Plan, options: PipelineOptions, fence: Fence | None = None, fail_on: float = 1.0
) -> beam.Pipeline:
    """Return the pipeline of a plan, not yet run.

    Raises:
        ConfigError: Beam refuses the options.
    """
    runner = runner_of(options)
    try:
        pipeline = beam.Pipeline(runner, options)
    except ValueError as error:
        raise ConfigError(f"options of Beam: {' '.join(str(error).split())}") from error
    bare = msgspec.structs.replace(plan, sources=[])  # travels to every worker
    shipments = (
        pipeline | "objects" >> beam.Create(plan.sources, reshuffle=False) | "DecodeObjects" >> DecodeObjects(plan)
    )
    if plan.merged or plan.only:
        buckets = [(bucket, pack(Shipment())) for bucket in range(2**plan.bucket_bits)]
        every = pipeline | "every bucket" >> beam.Create(buckets, reshuffle=False)
        shipments = (shipments, every) | "and every bucket" >> beam.Flatten()
    _ = (
        shipments
        | "CompactThreads" >> CompactThreads(place, bare)
        | "WriteTables" >> WriteTables(place, bare, fence)
        | "CommitNight" >> CommitNight(place, bare, fence, fail_on)
    )
    return pipeline


@contextmanager
def _told_once() -> Iterator[None]:
    """Keep Beam from logging the error of a DoFn before it raises it, and from making a failure of Ctrl-C."""
    logger = logging.getLogger("apache_beam.runners.common")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    except RuntimeError as error:
        if _is_interrupt(error):
            raise KeyboardInterrupt from error
        raise
    finally:
        logger.setLevel(level)


def _is_interrupt(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None

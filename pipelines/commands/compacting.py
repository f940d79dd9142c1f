"""What ``plan`` and ``compact`` share: their arguments, and an engine that is there."""

from __future__ import annotations

import argparse
import logging
from typing import TYPE_CHECKING

from schemas.errors import ConfigError

if TYPE_CHECKING:
    from pipelines.options import PipelineOptions
    from schemas.lake import Plan

_MAX_BUCKET_BITS = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name inputs, lake and policies."""
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="file, folder, glob (** too), or a URL of these")
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument(
        "--path-pattern", metavar="P", help="what paths tell, such as {tenant_id}/{agent_id}/…/{thread_id}.jsonl"
    )
    parser.add_argument(
        "--raw", choices=("drop", "hash", "keep"), default="drop", help="RAW events and rawEvent keys (default: drop)"
    )
    parser.add_argument("--redact", choices=("off",), default="off", help="redaction profile (only off so far)")
    parser.add_argument(
        "--bucket-bits", type=_bits, metavar="N", help="2^N files a table and day (default: by the size of the inputs)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(takes_beam_options=True)


def prepare(args: argparse.Namespace) -> tuple[Plan, PipelineOptions]:
    """Return the plan and Beam's options, everything checked that can be before a pipeline runs.

    Raises:
        ConfigError: Beam is not installed, or the request cannot be carried out.
    """
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)  # Beam warns of cloud packages that nobody asked for
    try:
        from pipelines.compact import make_plan
        from pipelines.options import beam_options, request_of
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("apache_beam"):
            raise ConfigError("Apache Beam is missing; install it with `pip install 'threadlake[jobs]'`") from error
        raise
    finally:
        root.setLevel(level)
    return make_plan(request_of(args)), beam_options(args.rest)


def _bits(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_BUCKET_BITS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bits; give 0 to {_MAX_BUCKET_BITS}")
    return int(text)

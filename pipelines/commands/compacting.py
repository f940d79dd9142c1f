"""What ``plan`` and ``compact`` share: their arguments, and an engine that is there."""

from __future__ import annotations

import argparse
import datetime as dt
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from schemas.errors import ConfigError
from schemas.lake import MAX_BUCKET_BITS

if TYPE_CHECKING:
    from pipelines.options import BeamOptions

_MAX_LEASE_SECONDS: Final = 86_400
_MAX_LOOKBACK: Final = 36_500
EPILOG: Final = """\
Options that are not listed here go to Apache Beam, such as
  --direct_num_workers 2 --direct_running_mode multi_processing
  --runner=PortableRunner --job_endpoint=HOST:PORT
They may stand anywhere: Beam says which of its options take a value, and every other word is an INPUT. What follows a
lone -- is an INPUT, whatever it looks like. Put a glob into quotes, so that threadlake expands it and not the shell.

exit status: 0 clean, 1 done with dead letters or verbatim runs, 2 a usage error or a failure
"""


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
    dates = parser.add_argument_group("nights")
    dates.add_argument(
        "--date", type=day, metavar="D", help="YYYY-MM-DD (UTC) or yesterday: what is dated up to it and not read yet"
    )
    dates.add_argument("--since", type=day, metavar="A", help="with --until: the nights from A on, in order")
    dates.add_argument("--until", type=day, metavar="B", help="the night before which to stop")
    dates.add_argument(
        "--lookback",
        type=_days,
        default=14,
        metavar="N",
        help="days before the night from which objects are taken (14)",
    )
    dates.add_argument("--allow-gap", action="store_true", help="go on though a night before is missing or failed")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(takes_beam_options=True)
    parser.usage = "%(prog)s INPUT [INPUT ...] --lake LAKE [options] [options of Beam]"
    parser.epilog = EPILOG


def dates_of(args: argparse.Namespace) -> list[dt.date]:
    """Return the nights that were asked for, in order; none for an undated compaction.

    Raises:
        ConfigError: the arguments contradict each other.
    """
    if args.date is not None:
        if args.since is not None or args.until is not None:
            raise ConfigError("--date is one night, --since and --until are several; give one or the other")
        return [args.date]
    if args.since is None and args.until is None:
        return []
    if args.since is None or args.until is None or args.since >= args.until:
        raise ConfigError("--since A and --until B go together, A before B: the nights A up to, and not with, B")
    return [args.since + dt.timedelta(days=days) for days in range((args.until - args.since).days)]


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that are ours and those that are Beam's."""
    with _beam():
        from pipelines.options import split_words as split
    return split(words)


def options_of(args: argparse.Namespace) -> BeamOptions:
    """Return Beam's options, checked.

    Raises:
        ConfigError: Beam is not installed, or refuses them.
    """
    with _beam():
        from pipelines.options import beam_options, runner_of
    options = beam_options(args.beam_words)
    runner_of(options)
    return options


@contextmanager
def _beam() -> Iterator[None]:
    """Import Beam without its warnings of cloud packages; where it is missing, say how to get it."""
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("apache_beam"):
            raise ConfigError("Apache Beam is missing; install it with `pip install 'threadlake[jobs]'`") from error
        raise
    finally:
        root.setLevel(level)


def day(text: str) -> dt.date:
    """Return the date of an argument."""
    if text == "yesterday":
        return (dt.datetime.now(dt.UTC) - dt.timedelta(days=1)).date()
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; give YYYY-MM-DD or yesterday") from None


def seconds(text: str) -> float:
    """Return the time of an argument."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= _MAX_LEASE_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; give 1 to {_MAX_LEASE_SECONDS} seconds")
    return float(text)


def _days(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:9]) > _MAX_LOOKBACK:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days; give 0 to {_MAX_LOOKBACK}")
    return int(text)


def _bits(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:9]) > MAX_BUCKET_BITS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bits; give 0 to {MAX_BUCKET_BITS}")
    return int(text)

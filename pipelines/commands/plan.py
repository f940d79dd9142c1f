"""``threadlake plan``: what compact would read and write, nothing of it done."""

from __future__ import annotations

import argparse
import datetime as dt
from typing import TYPE_CHECKING

from pipelines.commands.compacting import add_arguments, dates_of, options_of
from schemas.errors import ConfigError

if TYPE_CHECKING:
    from pipelines.planning import CompactRequest
    from schemas.lake import Plan


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``plan``: those of ``compact``."""
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the plan; what `compact` would refuse is refused here."""
    from pipelines.io.printing import print_json, print_lines
    from pipelines.planning import request_of
    from transforms.show.plans import plan_lines

    dates = dates_of(args)
    if len(dates) > 1:
        raise ConfigError("plan shows one night: the plan of the next one depends on it; give --date")
    request = request_of(args)
    if args.beam_words:
        options_of(args)
    plan, is_there = _dated(request, dates[0]) if dates else _undated(request)
    if args.json:
        import msgspec

        print_json({"lake": request.lake, "is_written": is_there, **msgspec.to_builtins(plan)})
    else:
        print_lines(plan_lines(plan, args.lake))
        if is_there:
            print_lines(["the lake holds this compaction; there is nothing to do"])
    return 0


def _undated(request: CompactRequest) -> tuple[Plan, bool]:
    from pipelines.planning import is_written, make_plan

    plan = make_plan(request)
    return plan, is_written(request.lake, plan)


def _dated(request: CompactRequest, date: dt.date) -> tuple[Plan, bool]:
    from pipelines.io.lake import Lake
    from pipelines.nightly import night_plan, turn_of

    turn = turn_of(request, date)
    if turn.is_written:
        return Lake.open(request.lake).read_plan(date.isoformat()), True
    return turn.frozen or night_plan(request, date, turn.last), False

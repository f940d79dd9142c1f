"""``threadlake compact``: raw logs become a lake."""

from __future__ import annotations

import argparse
import time

from pipelines.commands.compacting import add_arguments, options_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``compact``; what is left over goes to Beam."""
    add_arguments(parser)
    parser.add_argument(
        "--fail-on",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="share of the records, 0 to 1, that may become dead letters; with more, nothing is committed (default: 1)",
    )
    parser.add_argument("--metrics", metavar="FILE", help="also write the figures for Prometheus's textfile collector")


def run(args: argparse.Namespace) -> int:
    """Compact, and print the summary; 1 where there were dead letters or verbatim runs."""
    from pipelines.io.printing import print_json, print_lines
    from pipelines.planning import make_plan, request_of
    from transforms.show.summary import summary, summary_lines

    began = time.monotonic()
    request = request_of(args)
    options = options_of(args)
    plan = make_plan(request)
    from pipelines.compact import compact

    commit = compact(request.lake, plan, options, args.fail_on)
    seconds = time.monotonic() - began
    if args.metrics:
        from pipelines.io.metrics import write_metrics

        write_metrics(args.metrics, commit, seconds, time.time())
    figures = summary(commit, seconds)
    if args.json:
        print_json(figures)
    else:
        print_lines(summary_lines(figures, args.lake))
    return 1 if commit.totals.dead_letters or commit.totals.verbatim_runs else 0


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; give 0 to 1, such as 0.01")
    return share

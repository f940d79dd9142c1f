"""``threadlake compact``: raw logs become a lake."""

from __future__ import annotations

import argparse
import time

from pipelines.commands.compacting import add_arguments, dates_of, options_of, seconds


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
    parser.add_argument("--again", action="store_true", help="write what is written: the same plan, the same files")
    parser.add_argument(
        "--lease-seconds",
        type=seconds,
        default=120.0,
        metavar="S",
        help="how long the lake stays locked for other jobs once this one is gone without a word (default: 120)",
    )
    parser.add_argument("--metrics", metavar="FILE", help="also write the figures for Prometheus's textfile collector")


def run(args: argparse.Namespace) -> int:
    """Compact, and print the summary; 1 where there were dead letters, verbatim runs or rewritten objects."""
    from pipelines.io.printing import print_json, print_lines
    from pipelines.planning import request_of
    from transforms.show.summary import summary, summary_lines

    dates = dates_of(args)
    request = request_of(args)
    if args.beam_words:
        options_of(args)
    from pipelines.nights import Job, run_dates, run_undated

    job = Job(request, lambda: options_of(args), args.fail_on, args.lease_seconds, args.again)
    found = False
    documents = []
    for outcome in run_dates(job, dates) if dates else iter([run_undated(job)]):
        totals = outcome.commit.totals
        found = found or bool(totals.dead_letters or totals.verbatim_runs or totals.rewritten)
        figures = summary(outcome.commit, outcome.seconds, time.time(), was_written=outcome.was_written)
        if args.metrics:
            from pipelines.io.metrics import write_metrics

            write_metrics(args.metrics, outcome.commit, outcome.seconds, time.time())
        if args.json:
            documents.append(figures)
        else:
            print_lines(summary_lines(figures, args.lake))
    if args.json:
        print_json(documents if args.since is not None else documents[0])
    return 1 if found else 0


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; give 0 to 1, such as 0.01")
    return share

"""``threadlake compact``: raw logs become a lake."""

from __future__ import annotations

import argparse
import time

from pipelines.commands.compacting import add_arguments, options_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``compact``; what is left over goes to Beam."""
    add_arguments(parser)


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

    commit = compact(request.lake, plan, options)
    figures = summary(commit, time.monotonic() - began)
    if args.json:
        print_json(figures)
    else:
        print_lines(summary_lines(figures, args.lake))
    return 1 if commit.totals.dead_letters or commit.totals.verbatim_runs else 0

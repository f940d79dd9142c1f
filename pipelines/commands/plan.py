"""``threadlake plan``: what compact would read and write, nothing of it done."""

from __future__ import annotations

import argparse

from pipelines.commands.compacting import add_arguments, options_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``plan``: those of ``compact``."""
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the plan; what `compact` would refuse is refused here."""
    from pipelines.io.printing import print_json, print_lines
    from pipelines.planning import is_written, make_plan, request_of
    from transforms.show.summary import plan_lines

    request = request_of(args)
    if args.beam_words:
        options_of(args)
    plan = make_plan(request)
    is_there = is_written(request.lake, plan)
    if args.json:
        import msgspec

        print_json({"lake": request.lake, "is_written": is_there, **msgspec.to_builtins(plan)})
    else:
        print_lines(plan_lines(plan, args.lake))
        if is_there:
            print_lines(["the lake holds this compaction; doing it again would write the same files"])
    return 0

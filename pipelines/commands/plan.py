"""``threadlake plan``: what compact would read and write, nothing of it done."""

from __future__ import annotations

import argparse

from pipelines.commands.compacting import add_arguments, prepare

HELP = "show what compact would read and write"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``plan``: those of ``compact``."""
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the plan."""
    from pipelines.io.printing import print_json, print_lines
    from transforms.summary import plan_lines

    plan, _ = prepare(args)
    if args.json:
        import msgspec

        print_json(msgspec.to_builtins(plan))
    else:
        print_lines(plan_lines(plan, args.lake))
    return 0

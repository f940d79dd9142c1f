"""The command line: words become one command, and its errors one line and an exit code.

Exit codes: 0 clean, 1 done with findings, 2 usage or failure. Results go to stdout, logs to stderr. A command's module is
imported when it runs, so that ``threadlake --help`` pays for none of them.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Sequence
from typing import Final, Protocol, cast

from schemas.errors import ThreadlakeError
from threadlake import __version__

COMMANDS: Final = {
    "sample": "write a realistic raw log to try things on",
    "plan": "show what compact would read and write",
    "compact": "compact raw AG-UI event logs into a lake of Parquet",
    "replay": "restore any run of any branch: view, events, snapshot or input",
    "tree": "draw the branches of a thread",
    "threads": "list the threads of a lake",
    "sql": "ask a lake in SQL",
}
"""Every command and what it does, in the order of a first visit."""

_EPILOG: Final = """\
a first visit:
  threadlake sample --threads 60 --out raw
  threadlake compact raw --lake lake
  threadlake sql --lake lake "SELECT * FROM v_threads LIMIT 5"
  threadlake tree --lake lake --thread thread-tour
  threadlake replay --lake lake --thread thread-tour --form view
"""


class Command(Protocol):
    """A module of `pipelines.commands`."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Carry the command out and return its exit code; ``args.rest`` holds words that the parser did not know."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    parser = _parser(next((word for word in words if word in COMMANDS), None))
    args, rest = parser.parse_known_args(words)
    args.rest = rest
    try:
        return _run(parser, args)
    except ThreadlakeError as error:
        print(f"threadlake: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:
        logging.getLogger(__name__).exception("failed; this is a fault of threadlake")
        return 2
    except KeyboardInterrupt:
        print("threadlake: interrupted; nothing was committed", file=sys.stderr)
        return 130


def _run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    if args.rest and not args.takes_beam_options:
        parser.error(f"unrecognized arguments: {' '.join(args.rest)}")
    status = _module(args.command).run(args)
    sys.stdout.flush()
    return status


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """Return the parser; only the chosen command's arguments are filled in."""
    parser = argparse.ArgumentParser(
        prog="threadlake",
        description="The cold tier for AG-UI agent conversations: raw event logs become a lake that answers and replays.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"threadlake {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=text, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
        )
        command.set_defaults(takes_beam_options=False)
        if name == chosen:
            _module(name).configure(command)
    return parser


def _module(name: str) -> Command:
    return cast("Command", importlib.import_module(f"pipelines.commands.{name}"))

"""The command line: words become one command, and its errors one line and an exit code.

Exit codes: 0 clean, 1 done with findings, 2 usage or failure; 130, the shell's own, where Ctrl-C ended it. Results go
to stdout, logs to stderr. A command's module is imported when it runs: ``threadlake --help`` pays for none of them.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import select
import sys
import traceback
from collections.abc import Sequence
from typing import Final, NoReturn, Protocol, cast

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
    "rebuild": "compact threads anew from their raw logs, in place of their rows",
    "redrive": "read dead letters again, and take in what can be read now",
    "verify": "check a lake: files, rows, views, and its raw logs again",
}
"""Every command and what it does, in the order of a first visit."""

_INTERRUPTED: Final = 130
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
        """Carry the command out and return its exit code; ``args.beam_words`` holds the words that are Beam's."""


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are one line."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"{self.prog}: {' '.join(message.split())}; see `{self.prog} --help`\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Raises:
        SystemExit: of argparse, after ``--help`` (0) and for words that it cannot read (2).
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        args = parse(list(sys.argv[1:] if argv is None else argv))
        status = _module(args.command).run(args)
        sys.stdout.flush()
    except ThreadlakeError as error:
        print(f"threadlake: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("threadlake: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - a fault is told as exit code 2, never as 1
        if isinstance(error, BrokenPipeError) and _is_reader_gone():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        frames = "".join(traceback.format_tb(error.__traceback__))  # the message may hold what a user wrote
        logging.getLogger(__name__).error("a fault of threadlake: %s\n%s", type(error).__name__, frames)  # noqa: TRY400
        return 2
    return status


def parse(words: list[str]) -> argparse.Namespace:
    """Return the arguments of one command, Beam's words apart in ``beam_words``."""
    parser = _parser(next((word for word in words if word in COMMANDS), None))
    args, rest = parser.parse_known_args(words)
    beam_words: list[str] = []
    if rest and args.takes_beam_options:
        from pipelines.commands.compacting import split_words

        ours, beam_words = split_words(words)
        args, rest = parser.parse_known_args(ours)
    if rest:
        Parser(prog=f"threadlake {args.command}").error(f"unrecognized arguments: {' '.join(rest)}")
    args.beam_words = beam_words
    return args


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """Return the parser; only the chosen command's arguments are filled in."""
    parser = Parser(
        prog="threadlake",
        description="The cold tier for AG-UI agent conversations: raw logs become a lake that answers and replays.",
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


def _is_reader_gone() -> bool:
    """Tell whether whoever read stdout has closed it, as ``head`` does; any other broken pipe is a failure."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), select.POLLOUT)
    return any(event & select.POLLERR for _, event in poll.poll(0))

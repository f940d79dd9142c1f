"""``threadlake redrive``: dead letters are read again from their source, and what can be read now is taken in."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pipelines.commands.compacting import options_of, seconds

if TYPE_CHECKING:
    from pipelines.io.deadletters import Redriven
    from pipelines.rebuilding import Rebuild
    from schemas.lake import Commit

_EPILOG = """\
The threads of what can be read now are rebuilt from all of their raw objects, as `threadlake rebuild` does, so that
every event stands where it belongs; the letters are gone then. Records that came late are no fault of the reader:
--reason late takes them in too.

exit status: 0 no letter of these reasons is left, 1 some are, 2 a usage error or a failure
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``redrive``; what is left over goes to Beam."""
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument(
        "--reason",
        action="append",
        default=[],
        metavar="R",
        help="letters of this reason; several times (default: all that lie in how an object is read)",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what can be read now, and write nothing")
    parser.add_argument("--lease-seconds", type=seconds, default=120.0, metavar="S", help="as of compact")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(takes_beam_options=True)
    parser.usage = "%(prog)s --lake LAKE [options] [options of Beam]"
    parser.epilog = _EPILOG


def run(args: argparse.Namespace) -> int:
    """Read again, rebuild what can be read now, and print figures; 1 where letters are left."""
    from pipelines.io.deadletters import UNREADABLE, read_again
    from pipelines.io.lake import Lake
    from pipelines.io.printing import print_json, print_lines

    options = options_of(args)
    from pipelines.rebuilding import Rebuild
    from pipelines.restoring import restore

    lake = Lake.open(args.lake)
    met: list[Redriven] = []

    def wanted(last: Commit) -> Rebuild:
        met.append(read_again(lake, last, args.reason or UNREADABLE))
        return Rebuild(sorted(met[-1].threads), met[-1].repaired)

    found = restore(lake, wanted, options, args.lease_seconds, is_dry=args.dry_run)
    done = met[-1]
    found |= {"repaired": len(done.repaired), "left": dict(sorted(done.left.items())), "objects_gone": len(done.gone)}
    if args.json:
        print_json(found)
    else:
        print_lines(f"{name.replace('_', ' ')}: {value}" for name, value in found.items())
    return 1 if done.left else 0

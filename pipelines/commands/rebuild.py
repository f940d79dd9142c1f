"""``threadlake rebuild``: threads are compacted anew from their raw logs, in place of their rows."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pipelines.commands.compacting import day, options_of, seconds
from schemas.errors import ConfigError

if TYPE_CHECKING:
    from pipelines.rebuilding import Rebuild
    from schemas.lake import Commit

_EPILOG = """\
All raw objects that may hold records of the threads must still be there: what is gone could not be rebuilt. Readers
that list the lake's files meet no run twice while rows are replaced, and may miss one for a moment.

exit status: 0 done, 2 a usage error or a failure
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rebuild``; what is left over goes to Beam."""
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument("--thread", action="append", default=[], metavar="T", help="id of a thread; several times")
    parser.add_argument("--tenant", metavar="TENANT", help="tenant of the threads, where an id is in several")
    parser.add_argument(
        "--since", type=day, metavar="A", help="every thread with a run that ended on that day or later"
    )
    parser.add_argument(
        "--object", action="append", default=[], metavar="URI", help="every thread of a raw object, as it is now"
    )
    parser.add_argument("--heads", action="store_true", help="make the heads anew from tables and raw objects")
    parser.add_argument("--dry-run", action="store_true", help="say what would be rebuilt, and write nothing")
    parser.add_argument("--lease-seconds", type=seconds, default=120.0, metavar="S", help="as of compact")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(takes_beam_options=True)
    parser.usage = "%(prog)s --lake LAKE (--thread T | --since A | --object URI | --heads) [options] [options of Beam]"
    parser.epilog = _EPILOG


def run(args: argparse.Namespace) -> int:
    """Rebuild, and print what was done."""
    from pipelines.io.lake import Lake
    from pipelines.io.printing import print_json, print_lines
    from pipelines.io.selection import threads_of_objects, threads_since, threads_with_id

    options = options_of(args)
    if args.heads == bool(args.thread or args.since or args.object):
        raise ConfigError("give what to rebuild: --thread T, --since A, --object URI, or --heads alone")
    from pipelines.rebuilding import Rebuild
    from pipelines.restoring import restore, restore_heads

    lake = Lake.open(args.lake)
    if args.heads:
        found = restore_heads(lake, options, args.lease_seconds, is_dry=args.dry_run)
    else:

        def wanted(last: Commit) -> Rebuild:
            threads = set(threads_with_id(lake, args.thread, args.tenant))
            threads |= threads_since(lake, args.since) if args.since is not None else set()
            rewritten, more = threads_of_objects(lake, last, args.object)
            return Rebuild(sorted(threads | more), rewritten=rewritten)

        found = restore(lake, wanted, options, args.lease_seconds, is_dry=args.dry_run)
    if args.json:
        print_json(found)
    else:
        print_lines(f"{name.replace('_', ' ')}: {value}" for name, value in found.items())
    return 0

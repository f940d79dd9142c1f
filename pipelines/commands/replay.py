"""``threadlake replay``: any run of any branch as its view, its events, a snapshot or the input that it was given."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from schemas.errors import ConfigError

if TYPE_CHECKING:
    from pipelines.io.lake import Lake
    from schemas.events import Json
    from schemas.lake import Commit

HELP = "restore any run of any branch: view, events, snapshot or input"
_FORMS = ("view", "events", "snapshot", "input")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``replay``."""
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument(
        "--thread", required=True, metavar="T", help="thread id; - for ids on stdin, all for every thread"
    )
    parser.add_argument("--tenant", metavar="TENANT", help="tenant, where a thread id is in several")
    parser.add_argument("--run", metavar="R", help="run id, #ordinal or all (default: the newest run)")
    parser.add_argument("--form", choices=_FORMS, default="view", help="what to print (default: view)")


def run(args: argparse.Namespace) -> int:
    """Print one JSON document, or NDJSON with a row a run."""
    from pipelines.io.lake import Lake

    lake = Lake.open(args.lake)
    commits = lake.commits()
    if args.run != "all" and args.thread not in ("-", "all"):
        print(_one(lake, commits, args))
        return 0
    missing = 0
    for tenant_id, thread_id in _keys(lake, args):
        try:
            for line in _rows(lake, commits, thread_id, tenant_id, args):
                print(line)
        except ConfigError as error:
            if args.thread != "-":
                raise
            print(f"threadlake: {error}", file=sys.stderr)
            missing += 1
    return 1 if missing else 0


def _keys(lake: Lake, args: argparse.Namespace) -> Iterator[tuple[str | None, str]]:
    if args.thread == "-":
        for line in sys.stdin:
            if line.strip():
                yield args.tenant, line.strip()
    elif args.thread == "all":
        from pipelines.io.rows import threads

        yield from (key for key in threads(lake) if args.tenant in (None, key[0]))
    else:
        yield args.tenant, args.thread


def _one(lake: Lake, commits: list[Commit], args: argparse.Namespace) -> str:
    from pipelines.io.history import find_run, thread_history
    from transforms import jsontext
    from transforms.replay.forms import History

    runs = thread_history(lake, args.thread, args.tenant, commits)
    chosen = find_run(runs, args.run).run
    form: Json = History(runs).form(chosen.run, args.form)
    if form is None:
        raise ConfigError(f"run #{chosen.run} of thread {args.thread!r} has no recorded input")
    return jsontext.dumps(form)


def _rows(
    lake: Lake, commits: list[Commit], thread_id: str, tenant_id: str | None, args: argparse.Namespace
) -> Iterator[str]:
    from pipelines.io.history import find_run, thread_history
    from transforms import jsontext
    from transforms.replay.forms import History

    history = History(thread_history(lake, thread_id, tenant_id, commits))
    for rows in history.runs if args.run == "all" else [find_run(history.runs, args.run)]:
        run = rows.run
        row: dict[str, Json] = {
            "thread_id": run.thread_id,
            "run_id": run.run_id,
            "run": run.run,
            "parent": run.parent,
            args.form: history.form(run.run, args.form),
        }
        yield jsontext.dumps(row)

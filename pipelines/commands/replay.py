"""``threadlake replay``: any run of any branch as its view, its events, a snapshot or the input that it was given."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from schemas.errors import ConfigError, LakeError

if TYPE_CHECKING:
    from pipelines.io.lake import Lake
    from schemas.events import Json
    from schemas.lake import Commit
    from schemas.rows import RunRows

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
    """Print one JSON document, or NDJSON with a row a run; 1 where one of many threads lacks what was asked for."""
    from pipelines.io.history import all_histories, thread_history
    from pipelines.io.lake import Lake

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # JSON is UTF-8 (RFC 8259), whatever the terminal is set to
    lake = Lake.open(args.lake)
    commits = lake.commits()
    missing: list[ConfigError] = []
    if args.thread == "-":
        for thread_id in filter(None, map(str.strip, sys.stdin)):
            with _passed_over(missing):
                _print_rows(thread_history(lake, thread_id, args.tenant, commits), args)
    elif args.thread == "all":
        for runs in all_histories(lake, commits, args.tenant):
            with _passed_over(missing):
                _print_rows(runs, args)
    elif args.run == "all":
        _print_rows(thread_history(lake, args.thread, args.tenant, commits), args)
    else:
        print(_one(lake, commits, args))
    return 1 if missing else 0


@contextmanager
def _passed_over(missing: list[ConfigError]) -> Iterator[None]:
    """Say that one thread of many, or its run, is not there, and go on."""
    try:
        yield
    except LakeError:
        raise
    except ConfigError as error:
        print(f"threadlake: {error}", file=sys.stderr)
        missing.append(error)


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


def _print_rows(runs: list[RunRows], args: argparse.Namespace) -> None:
    from pipelines.io.history import find_run
    from transforms import jsontext
    from transforms.replay.forms import History

    history = History(runs)
    for rows in runs if args.run == "all" else [find_run(runs, args.run)]:
        run = rows.run
        row: dict[str, Json] = {
            "thread_id": run.thread_id,
            "run_id": run.run_id,
            "run": run.run,
            "parent": run.parent,
            args.form: history.form(run.run, args.form),
        }
        print(jsontext.dumps(row))

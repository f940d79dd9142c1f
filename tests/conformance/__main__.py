"""The command behind ``make conformance`` and ``make fuzz``: random threads, and the live reference as the judge.

python -m tests.conformance seeds 0:1000     judge these seeds
python -m tests.conformance fuzz 60          judge new seeds for so many seconds (and --start where it left off)
python -m tests.conformance show 423:3:raw   one run of one seed again, shrunk to the events that matter
python -m tests.conformance logs LOG...      the runs of real logs
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import count, islice

import msgspec

from tests.conformance.judge import Tally, judge
from tests.conformance.real_logs import judge_logs
from tests.conformance.shrink import shown
from tests.reference_client import Reference, install

BATCH_SEEDS = 50


def main() -> int:
    """Run the command line; 0 where nothing differs, 1 where something does, 2 without the reference."""
    options = _parser().parse_args()
    reason = install()
    if reason is not None:
        print(f"the reference client cannot be had: {reason}", file=sys.stderr)
        return 2
    return int(options.run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    commands = parser.add_subparsers(required=True)
    seeds = commands.add_parser("seeds", help="judge a range of seeds")
    seeds.add_argument("range", type=_range, metavar="FROM:TO")
    seeds.set_defaults(run=lambda options: _report(_judged(_batches(options.range), options.jobs)))
    fuzz = commands.add_parser("fuzz", help="judge seeds until the time is up")
    fuzz.add_argument("seconds", type=float)
    fuzz.add_argument("--start", type=int, default=int(time.time()) * 1000, help="the first seed")
    fuzz.set_defaults(run=_fuzz)
    for command in (seeds, fuzz):
        command.add_argument("--jobs", type=int, default=2, help="processes")
    show = commands.add_parser("show", help="one run again")
    show.add_argument("name", metavar="SEED:ORDINAL:FORM")
    show.set_defaults(run=lambda options: print(shown(options.name, Reference())) or 0)
    logs = commands.add_parser("logs", help="judge real logs")
    logs.add_argument("inputs", nargs="+", metavar="INPUT")
    logs.set_defaults(run=lambda options: _report(judge_logs(options.inputs, Reference())))
    return parser


def _range(text: str) -> range:
    first, end = map(int, text.split(":"))
    return range(first, end)


def _fuzz(options: argparse.Namespace) -> int:
    print(f"first seed {options.start}")
    end = time.monotonic() + options.seconds
    batches = (range(first, first + BATCH_SEEDS) for first in count(options.start, BATCH_SEEDS))
    return _report(_judged(_until(end, batches), options.jobs))


def _until(end: float, batches: Iterable[range]) -> Iterator[range]:
    for batch in batches:
        if time.monotonic() > end:
            return
        yield batch


def _batches(seeds: range) -> Iterator[range]:
    return (seeds[first : first + BATCH_SEEDS] for first in range(0, len(seeds), BATCH_SEEDS))


def _judged(batches: Iterable[range], jobs: int) -> Tally:
    """Judge batches in several processes, a few at a time, so that an end by the clock is soon an end."""
    tally = Tally()
    waiting = iter(batches)
    with ProcessPoolExecutor(jobs) as pool:
        running = {pool.submit(judge, batch, Reference()) for batch in islice(waiting, jobs)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                tally.add(one.result())
                running |= {pool.submit(judge, batch, Reference()) for batch in islice(waiting, 1)}
            _progress(tally)
    return tally


def _progress(tally: Tally) -> None:
    if sys.stderr.isatty():
        print(f"\r{tally.runs:,} runs, {len(tally.different)} differ", end="", file=sys.stderr, flush=True)


def _report(tally: Tally) -> int:
    figures = msgspec.to_builtins(tally)
    for name in ("different", "refused", "verbatim"):
        figures[name] = {"count": len(figures[name]), "first": figures[name][:20]}
    print(json.dumps(figures, indent=2))
    return 0 if tally.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())

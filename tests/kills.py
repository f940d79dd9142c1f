"""Kills: the nightly job dies at random moments and is run again, while a reader reads everything that a glob finds.

The job is a fork of this process, which has imported all that it needs: what is killed is the work, not the imports.
"""

import io
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import pyarrow.parquet as pq

from pipelines.cli import main
from pipelines.io.store import Store
from tests.nightly import Arrivals, contents, date, night_lines

_KEYS = ["tenant_id", "thread_id", "run"]


class Reader(threading.Thread):
    """Reads ``runs/*/*.parquet`` again and again, as an analyst's glob does.

    Attributes:
        readings: how often everything was read.
        faults: files that were not whole, and runs that were there twice.
    """

    def __init__(self, place: str) -> None:
        super().__init__(daemon=True)
        self.readings = 0
        self.faults: list[str] = []
        self._place = place
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.is_set():
            self.read()
            self._over.wait(0.02)

    def read(self) -> None:
        """Read once."""
        store = Store(self._place)
        runs: Counter[tuple[object, ...]] = Counter()
        for path in store.list("runs"):
            try:
                payload = store.read(path)
            except Exception:  # noqa: BLE001, S112 - it was listed and is gone: a night that is done again
                continue
            try:
                rows = pq.read_table(io.BytesIO(payload), columns=_KEYS, use_threads=False).to_pylist()
            except Exception as error:  # noqa: BLE001 - whatever it is, the file is not whole
                self.faults.append(f"{path}: {type(error).__name__}")
                continue
            runs.update(tuple(row.values()) for row in rows)
        self.faults += [f"twice: {key}" for key, count in runs.items() if count > 1]
        self.readings += 1

    def stop(self) -> None:
        """End, after one more reading."""
        self._over.set()
        self.join()
        self.read()


class Outcome(NamedTuple):
    """What came of it."""

    kills: int
    readings: int
    faults: list[str]
    different: list[str]


def prepare(place: str, seeds: Iterable[int], nights: int) -> None:
    """Write a log of nights, and the lake of it that no job dies over."""
    raw = Arrivals(f"{place}/raw", 9)
    for night, lines in enumerate(night_lines(seeds, nights)):
        raw.arrive(night, lines)
    for night in range(nights):
        if main(["compact", raw.place, "--lake", f"{place}/whole", "--date", date(night)]) not in (0, 1):
            raise AssertionError(f"night {night} cannot be run")


def kill_and_run_again(place: str, nights: int, kills: int, seed: int) -> Outcome:
    """Kill the job of each night at random moments, run it again until it ends, and compare the lake with a whole one.

    Args:
        place: holds ``raw``, all of the log, and ``whole``, the lake of its nights that no job died over; the killed
            job's lake goes to ``lake-<seed>``.
        kills: so many at least.
    """
    rng = random.Random(seed)
    raw, lake, whole = f"{place}/raw", f"{place}/lake-{seed}", f"{place}/whole"
    reader = Reader(lake)
    reader.start()
    done = 0
    try:
        for night in range(nights):
            words = ["compact", raw, "--lake", lake, "--date", date(night)]
            seconds = 1.2
            for _ in range(kills // nights + 1):
                began = time.monotonic()
                child = _start(words)
                time.sleep(rng.uniform(0, seconds))
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                if os.WIFEXITED(status):  # it was faster, and the night is written
                    seconds = time.monotonic() - began
                    break
                done += 1
            if _wait(_start(words)) not in (0, 1):
                raise AssertionError(f"night {night} cannot be run again")
    finally:
        reader.stop()
    ours, theirs = contents(lake), contents(whole)
    different = sorted({path for path in {*ours, *theirs} if ours.get(path) != theirs.get(path)})
    return Outcome(done, reader.readings, reader.faults, different)


def _start(words: list[str]) -> int:
    child = os.fork()
    if child:
        return child
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    try:
        _forget_connections()
        os._exit(main(words))
    finally:
        os._exit(3)


def _forget_connections() -> None:
    """Let clients of the parent's threads go: a fork has none of these threads."""
    import fsspec
    import fsspec.asyn

    fsspec.asyn.reset_lock()
    fsspec.asyn.iothread[0] = fsspec.asyn.loop[0] = None
    for kind in set(fsspec.registry.values()):
        kind.clear_instance_cache()


def _wait(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

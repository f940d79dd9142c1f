"""Raw logs that arrive night by night as objects, on a disk or in a store, and the lakes that nights make of them."""

import datetime as dt
import zlib
from collections.abc import Iterable
from random import Random

from pipelines.io.history import all_histories
from pipelines.io.lake import Lake
from pipelines.io.store import Store
from schemas.rows import RunRows
from tests.laws import without_counters
from tests.threads import MOMENT_MS, lines_of, random_log
from transforms.decode.times import day_of

DAY_MS = 86_400_000
FIRST = dt.date.fromisoformat(day_of(MOMENT_MS * 1000))


def date(night: int) -> str:
    """The date of a night, 0 being the first."""
    return (FIRST + dt.timedelta(days=night)).isoformat()


def night_lines(seeds: Iterable[int], nights: int) -> list[list[bytes]]:
    """The lines of random threads, cut into nights; each event has a time in its night, and each thread its order."""
    cut: list[list[bytes]] = [[] for _ in range(nights)]
    for seed in seeds:
        rng, name = Random(seed), f"t{seed}"
        lines = lines_of(random_log(seed, seed % 4 / 30, name), name)
        first = rng.randrange(nights)
        span = rng.randrange(1, nights - first + 1)
        for seq, line in enumerate(lines):
            night = first + seq * span // len(lines)
            moved = b'"ts":%d' % (MOMENT_MS + seq + night * DAY_MS)
            cut[night].append(line.replace(b'"ts":%d' % (MOMENT_MS + seq), moved, 1))
    return cut


class Arrivals:
    """Objects below a place, as they come.

    Args:
        pieces: objects a night.
    """

    def __init__(self, place: str, seed: int, pieces: int = 3) -> None:
        self.place = place
        self._store = Store(place)
        self._rng = Random(seed)
        self._pieces = pieces
        self._objects: dict[str, bytes] = {}
        self._waiting: list[tuple[str, bytes]] = []

    def arrive(self, night: int, lines: list[bytes], *, again: float = 0.0, late: float = 0.0) -> None:
        """Write a night's objects: some new, some grown from the night before, some a copy, some only the night after.

        Args:
            again: share of the lines that are delivered once more, and of the objects that come twice.
            late: share of the objects, those of the last threads, that come a night late.
        """
        rng = self._rng
        for path, payload in self._waiting:
            self._put(path, payload)
        self._waiting = []
        parts: dict[str, list[bytes]] = {}
        for line in lines:
            of_thread = zlib.crc32(line[: line.find(b'"runId"')]) % self._pieces
            grows = night and (of_thread == 0)
            parts.setdefault(f"dt={date(night - bool(grows))}/part-{of_thread}.ndjson", []).append(line)
            if rng.random() < again:
                parts.setdefault(f"dt={date(night)}/again.ndjson", []).append(line)
        for path, part in sorted(parts.items()):
            payload = self._objects.get(path, b"") + b"".join(line + b"\n" for line in part)
            if rng.random() < late and path not in self._objects:
                self._waiting.append((path, payload))
            else:
                self._put(path, payload)
            if rng.random() < again:
                self._put(f"dt={date(night)}/copy-of-{path.replace('/', '-')}", payload)

    def _put(self, path: str, payload: bytes) -> None:
        self._objects[path] = payload
        self._store.write(path, payload)


def contents(place: str) -> dict[str, bytes]:
    """Every file of a lake but the lease."""
    store = Store(place)
    return {path: store.read(path) for path in store.list() if not path.startswith("_lease/")}


def runs_of(place: str) -> dict[str, list[RunRows]]:
    """The runs of each thread of a lake, without what a redelivery or the night may change."""
    lake = Lake.open(place)
    found = {}
    for runs in all_histories(lake, lake.commits()):
        for rows in runs:
            rows.run.is_day_clamped = False
        found[runs[0].run.thread_id] = list(map(without_counters, runs))
    return found

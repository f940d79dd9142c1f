"""Lines in time order become objects, as a hot tier flushes them: cut by size and day, delivered at least once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from random import Random
from typing import Final

import msgspec

from transforms.sample.envelope import Line

DAY_MS: Final = 86_400_000
REDELIVERY_SHARE: Final = 1 / 4_000
REDELIVERY_AT_FLUSH_SHARE: Final = 0.4
MAX_REDELIVERED: Final = 16


class SampleObject(msgspec.Struct, frozen=True):
    """One object of the log.

    Args:
        name: key below the log's root, such as ``dt=2026-11-29/events-0007.ndjson``.
        data: NDJSON; only the newest object ends in a torn line.
        threads: threads that begin in it.
        runs: runs that begin in it.
        events: records, without those delivered before and without the torn one.
        duplicates: records that were delivered before, byte for byte the same.
    """

    name: str
    data: bytes
    threads: int
    runs: int
    events: int
    duplicates: int


def flush_lines(rng: Random, lines: Iterable[Line], object_bytes: int, torn: bytes) -> Iterator[SampleObject]:
    """Yield the objects in the order in which they were flushed.

    Records of the last moment are delivered again now and then, also over a flush, but never over midnight.

    Args:
        lines: by time.
        object_bytes: an object is flushed when it is this long, and at midnight UTC.
        torn: what stands behind the last line of the newest object, without a line feed.
    """
    recent: deque[bytes] = deque(maxlen=MAX_REDELIVERED)
    current: _Object | None = None
    for line in lines:
        day = line.ts_ms // DAY_MS
        if current is None or current.day != day:
            if current is not None:
                yield current.close()
            recent.clear()
            current = _Object(day, 0)
        elif current.size >= object_bytes:
            yield current.close()
            current = _Object(day, current.number + 1)
            if rng.random() < REDELIVERY_AT_FLUSH_SHARE:
                current.repeat(_last(rng, recent))
        current.add(line)
        recent.append(line.data)
        if rng.random() < REDELIVERY_SHARE:
            current.repeat(_last(rng, recent))
    if current is not None:
        yield current.close(torn)


class _Object:
    """The object that is being filled."""

    def __init__(self, day: int, number: int) -> None:
        self.day = day
        self.number = number
        self.size = 0
        self.parts: list[bytes] = []
        self.threads = self.runs = self.events = self.duplicates = 0

    def add(self, line: Line) -> None:
        self._append(line.data)
        self.events += 1
        self.threads += line.seq == 0
        self.runs += line.is_run_start

    def repeat(self, lines: Iterable[bytes]) -> None:
        for data in lines:
            self._append(data)
            self.duplicates += 1

    def close(self, torn: bytes = b"") -> SampleObject:
        date = datetime.fromtimestamp(self.day * DAY_MS / 1_000, UTC).date()
        name = f"dt={date.isoformat()}/events-{self.number:04d}.ndjson"
        data = b"".join([*self.parts, torn])
        return SampleObject(name, data, self.threads, self.runs, self.events, self.duplicates)

    def _append(self, data: bytes) -> None:
        self.parts.append(data)
        self.size += len(data)


def _last(rng: Random, recent: deque[bytes]) -> list[bytes]:
    return list(recent)[-rng.randint(1, MAX_REDELIVERED) :]

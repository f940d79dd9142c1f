"""A seed becomes a raw log: threads side by side, cut into the objects that a hot tier flushes."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from schemas.errors import ConfigError
from transforms.sample.envelope import Line, Owner, write_lines
from transforms.sample.flush import SampleObject, flush_lines
from transforms.sample.person import invent_person
from transforms.sample.thread import Teller, draw_length
from transforms.sample.tour import TOUR_OWNER, tell_tour

LAST_DAY: Final = datetime(2026, 11, 29, tzinfo=UTC)
"""The day on which the last threads start; runs after a night's pause come later."""

THREADS_PER_DAY: Final = 400
MIN_DAYS: Final = 3
OPENING_HOUR: Final = 8
OPEN_MS: Final = 12 * 3_600_000

OBJECT_BYTES: Final = 4 * 2**20

BRANCHY_EVERY: Final = 20
MIN_BRANCHY_RUNS: Final = 4
HOT_THREAD: Final = "thread-hot"
HOT_NUMBER: Final = -1


def sample_log(
    threads: int, seed: int, *, raw_share: float = 0.02, hot_runs: int = 0, object_bytes: int = OBJECT_BYTES
) -> Iterator[SampleObject]:
    """Yield the objects of a log in the order in which they were flushed; the same arguments give the same bytes.

    Memory holds one object and the threads that are under way.

    Args:
        threads: how many, n >= 1; one of them is ``thread-tour``, which is the same for every seed.
        raw_share: share of the runs that log vendor events as well, 0 to 1.
        hot_runs: runs of one more thread, ``thread-hot``; 0 for none.
        object_bytes: an object is flushed when it is this long, and at midnight UTC.

    Raises:
        ConfigError: an argument is out of its range.
    """
    if threads < 1 or hot_runs < 0 or object_bytes < 1:
        raise ConfigError(f"a sample needs threads >= 1 and hot runs >= 0, not {threads} and {hot_runs}")
    if not 0 <= raw_share <= 1:
        raise ConfigError(f"the raw share is a number from 0 to 1, not {raw_share}")
    lines = merge_threads(begin_threads(threads, seed, raw_share, hot_runs))
    return flush_lines(Random(f"{seed}/flush"), lines, object_bytes, _torn_line(threads))


def begin_threads(threads: int, seed: int, raw_share: float, hot_runs: int) -> Iterator[tuple[int, Iterator[Line]]]:
    """Yield each thread's start (UTC, ms since 1970, never before the one that was yielded last) and its lines."""
    days = max(MIN_DAYS, -(-threads // THREADS_PER_DAY))
    for number in range(threads):
        rng = Random(f"{seed}/thread/{number}")
        start = _start_ms((number + rng.random()) / threads * days, days)
        if number == 0:
            yield start, write_lines(rng, TOUR_OWNER, 0, tell_tour(), start)
            if hot_runs:
                yield start, _tell_hot(Random(f"{seed}/hot"), seed, start, raw_share, hot_runs)
            continue
        yield start, _tell_thread(rng, seed, number, start, raw_share)


def merge_threads(threads: Iterable[tuple[int, Iterator[Line]]]) -> Iterator[Line]:
    """Yield the lines of all threads by time; a thread is begun only when its time has come."""
    waiting = iter(threads)
    start, lines = next(waiting, (None, None))
    active: list[tuple[Line, Iterator[Line]]] = []
    while active or lines is not None:
        while lines is not None and start is not None and (not active or start <= active[0][0].ts_ms):
            heapq.heappush(active, (next(lines), lines))
            start, lines = next(waiting, (None, None))
        line, rest = active[0]
        yield line
        follower = next(rest, None)
        if follower is None:
            heapq.heappop(active)
        else:
            heapq.heapreplace(active, (follower, rest))


def _tell_thread(rng: Random, seed: int, number: int, start_ms: int, raw_share: float) -> Iterator[Line]:
    person = invent_person(seed, rng.randrange(number // 3 + 5))
    is_branchy = number % BRANCHY_EVERY == BRANCHY_EVERY // 2
    runs = max(draw_length(rng), MIN_BRANCHY_RUNS if is_branchy else 1)
    thread_id = f"thread-{number:06d}"
    teller = Teller(rng, person, thread_id, is_branchy=is_branchy, raw_share=raw_share)
    owner = Owner(thread_id, person.user_id, person.tenant_id, teller.agent_id)
    return write_lines(rng, owner, number, teller.tell(runs), start_ms)


def _tell_hot(rng: Random, seed: int, start_ms: int, raw_share: float, runs: int) -> Iterator[Line]:
    person = invent_person(seed, 0)
    teller = Teller(rng, person, HOT_THREAD, is_branchy=False, raw_share=raw_share)
    owner = Owner(HOT_THREAD, person.user_id, person.tenant_id, teller.agent_id)
    return write_lines(rng, owner, HOT_NUMBER, teller.tell(runs), start_ms)


def _start_ms(position: float, days: int) -> int:
    day = min(int(position), days - 1)
    opening = LAST_DAY - timedelta(days=days - 1 - day, hours=-OPENING_HOUR)
    return int(opening.timestamp() * 1_000) + int((position - day) * OPEN_MS)


def _torn_line(threads: int) -> bytes:
    return b'{"threadId":"thread-%06d","runId":"5b0c' % (threads + 1)

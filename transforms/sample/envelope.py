"""Runs become log lines: an envelope with owner, sequence number and time around each event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Final, NamedTuple

import msgspec

from schemas.events import RUN_STARTED
from transforms.sample.thread import Run

DELTA_MS: Final = 55
WAITS_MS: Final = {
    "TEXT_MESSAGE_START": 900,
    "REASONING_START": 700,
    "TOOL_CALL_START": 600,
    "TOOL_CALL_RESULT": 1_800,
    "ACTIVITY_DELTA": 1_200,
}
"""Longest wait before an event of this type; `DELTA_MS` before any other."""

PAUSE_MS: Final = (15_000, 240_000)
LONG_PAUSE_MS: Final = (18 * 3_600_000, 26 * 3_600_000)
LONG_PAUSE_SHARE: Final = 0.02


class Owner(NamedTuple):
    """Whose thread it is."""

    thread_id: str
    user_id: str
    tenant_id: str
    agent_id: str


class Line(NamedTuple):
    """One record, ready to be written.

    Args:
        ts_ms: UTC, ms since 1970; within a thread it never goes back.
        thread: number of the thread in the sample; with ``ts_ms`` it orders the lines of a log.
        seq: position in the thread, from 0, without a gap.
        data: the record as JSON, with its line feed.
    """

    ts_ms: int
    thread: int
    seq: int
    is_run_start: bool
    data: bytes


def write_lines(rng: Random, owner: Owner, number: int, runs: Iterable[Run], start_ms: int) -> Iterator[Line]:
    """Yield the lines of one thread in order; a user pauses between runs, now and then until the next day."""
    encode = msgspec.json.Encoder().encode
    keys = {"userId": owner.user_id, "tenantId": owner.tenant_id, "agentId": owner.agent_id}
    tail = b"," + encode(keys)[1:-1] + b',"event":'
    now, seq = start_ms, 0
    for run in runs:
        head = encode({"threadId": owner.thread_id, "runId": run.run_id})[:-1] + b',"seq":'
        for event in run.events:
            kind = event["type"]
            now += 5 + int(rng.random() * WAITS_MS.get(kind, DELTA_MS))
            data = b'%b%d,"ts":%d%b%b}\n' % (head, seq, now, tail, encode(event))
            yield Line(now, number, seq, kind == RUN_STARTED, data)
            seq += 1
        now += rng.randint(*(LONG_PAUSE_MS if rng.random() < LONG_PAUSE_SHARE else PAUSE_MS))

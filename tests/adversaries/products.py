"""Adversaries whose output is a product: what one run set up, every later run repeats in its rows."""

from collections.abc import Iterator
from pathlib import Path

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import Event, conversation, message, patch, scaled, snapshot, write_lines

_SMALL = 0.05
"""A scale up to which the rows are read back: beyond, they would not fit into the memory that the job had."""


def _write_states(folder: Path, scale: float) -> None:
    write_lines(folder / "log.ndjson", _states(scaled(1_000, scale, 10), scaled(50_000, scale, 100)))


def _states(runs: int, items: int) -> Iterator[str]:
    text = ",".join(f'{{"n":{number},"text":"{"x" * 80}"}}' for number in range(items))
    yield from conversation("state-runs", [snapshot(f'{{"items":[{text}]}}')], "r0", 0)
    for run in range(1, runs):
        change: Event = patch({"op": "replace", "path": f"/items/{run % items}/n", "value": -run})
        yield from conversation("state-runs", [change], f"r{run}", run * 10)


def _check_states(outcome: Outcome, scale: float) -> None:
    last = scaled(1_000, scale, 10) - 1
    if scale > _SMALL:
        assert outcome.rows("states") == last + 1
        return
    assert outcome.view("state-runs")["state"]["items"][last]["n"] == -last


def _write_drops(folder: Path, scale: float) -> None:
    write_lines(folder / "log.ndjson", _drops(scaled(10_000, scale, 30)))


def _drops(count: int) -> Iterator[str]:
    events = [event for number in range(count) for event in message(f"m{number}", "x")]
    yield from conversation("drops", events, "r0", 0)
    empty: Event = {"type": "MESSAGES_SNAPSHOT", "messages": []}
    for run in range(1, count):
        yield from conversation("drops", [empty], f"r{run}", 4 * count + run * 10, parentRunId="r0")


def _check_drops(outcome: Outcome, scale: float) -> None:
    if scale > _SMALL:
        assert outcome.rows("runs") == scaled(10_000, scale, 30)
        return
    assert outcome.contents("drops") == []
    assert len(outcome.runs("drops")) == scaled(10_000, scale, 30)


PRODUCTS = [
    Adversary("state-runs", "a state of 5 MB, changed a little by each of 1,000 runs", _write_states, _check_states),
    Adversary("drops", "10,000 runs that each drop the 10,000 messages of the first", _write_drops, _check_drops),
]
"""Small logs whose rows are large."""

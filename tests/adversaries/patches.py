"""Adversaries in JSON Patch: operations that grow, move and compare more than they seem to."""

from pathlib import Path
from typing import Any

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import conversation, message, patch, scaled, snapshot, write_lines


def _write(folder: Path, thread: str, *events: Any) -> None:
    write_lines(folder / f"{thread}.ndjson", conversation(thread, [*events, *message("m", "after")]))


def _write_deep_path(folder: Path, scale: float) -> None:
    path = "/a" * scaled(10_000, scale, 5_000)
    ways: list[dict[str, Any]] = [{"op": "add", "value": 1}, {"op": "remove"}, {"op": "test", "value": 1}]
    events = [patch({**way, "path": path}) for way in ways]
    events.append(patch({"op": "copy", "from": path, "path": "/b"}, {"op": "move", "from": "/a", "path": path}))
    _write(folder, "deep-path", snapshot('{"a":{"a":1}}'), *events)


def _check_deep_path(outcome: Outcome, _: float) -> None:
    assert outcome.view("deep-path")["state"] == {"a": {"a": 1}}
    assert outcome.contents("deep-path") == ["after"]
    assert sum(outcome.violations("deep-path").values()) == 4


def _write_front(folder: Path, scale: float) -> None:
    count = scaled(20_000, scale, 200)
    events = [patch({"op": "add", "path": "/list/0", "value": number}) for number in range(count)]
    _write(folder, "front", snapshot('{"list":[]}'), *events)
    one = patch(*({"op": "add", "path": "/list/0", "value": number} for number in range(count)))
    _write(folder, "front-at-once", snapshot('{"list":[]}'), one)


def _check_front(outcome: Outcome, scale: float) -> None:
    expected = list(range(scaled(20_000, scale, 200)))[::-1]
    assert outcome.view("front")["state"] == {"list": expected}
    assert outcome.view("front-at-once")["state"] == {"list": expected}


def _write_doubling(folder: Path, scale: float) -> None:
    times = range(scaled(40, scale, 22))
    doubling = [patch({"op": "copy", "from": "/a", "path": f"/a/k{power}"}) for power in times]
    _write(folder, "doubling", snapshot('{"a":{"text":"0123456789"}}'), *doubling)


def _check_doubling(outcome: Outcome, _: float) -> None:
    assert outcome.contents("doubling") == ["after"]
    assert sum(outcome.violations("doubling").values()) > 0


def _write_cycle(folder: Path, _: float) -> None:
    moves = [{"op": "move", "from": "/a", "path": "/a/b"}, {"op": "move", "from": "", "path": "/a"}]
    _write(folder, "own-child", snapshot('{"a":{"b":{}}}'), *map(patch, moves))


def _check_cycle(outcome: Outcome, _: float) -> None:
    assert outcome.view("own-child")["state"] == {"a": {"b": {}}}
    assert sum(outcome.violations("own-child").values()) == 2


def _write_test(folder: Path, scale: float) -> None:
    numbers = list(range(scaled(100_000, scale, 1_000)))
    right = {"op": "test", "path": "/list", "value": numbers}
    wrong = {"op": "test", "path": "/list", "value": [*numbers[:-1], -1]}
    changed = {"op": "add", "path": "/passed", "value": True}
    tests = [patch(right, changed), *[patch(wrong, {"op": "remove", "path": "/list"})] * 20]
    _write(folder, "test-huge", {"type": "STATE_SNAPSHOT", "snapshot": {"list": numbers}}, *tests)


def _check_test(outcome: Outcome, scale: float) -> None:
    numbers = list(range(scaled(100_000, scale, 1_000)))
    assert outcome.view("test-huge")["state"] == {"list": numbers, "passed": True}
    assert sum(outcome.violations("test-huge").values()) == 20


PATCHES = [
    Adversary("deep-path", "paths of 10,000 segments", _write_deep_path, _check_deep_path),
    Adversary("front", "20,000 elements, each put before all others", _write_front, _check_front),
    Adversary("own-child", "a value that is moved into itself", _write_cycle, _check_cycle),
    Adversary("test-huge", "tests of an array of 100,000 numbers", _write_test, _check_test),
]

GROWING = [
    Adversary(
        "doubling",
        "a value that 40 patches copy into itself, which doubles it each time",
        _write_doubling,
        _check_doubling,
    ),
]
"""Patches without a bound to what they make."""

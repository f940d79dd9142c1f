"""What an adversary writes: raw lines, as JSON text where no encoder would write such a thing."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

START_MS = 1_764_500_000_000
Event: TypeAlias = dict[str, Any] | str
"""An event, or its JSON text."""


def text_of(event: Event) -> str:
    return event if isinstance(event, str) else json.dumps(event, separators=(",", ":"))


def envelope(event: Event, thread: str, run: str, seq: int) -> str:
    """One line. A lone surrogate in an id stays an escape."""
    around = f'"threadId":{json.dumps(thread)},"runId":{json.dumps(run)},"seq":{seq},"ts":{START_MS + seq}'
    return f'{{{around},"event":{text_of(event)}}}'


def conversation(thread: str, events: Iterable[Event], run: str = "r", first: int = 0, **started: Any) -> Iterator[str]:
    """The lines of one run, its start and end around the events."""
    ids = {"threadId": thread, "runId": run}
    seq = first
    for event in ({"type": "RUN_STARTED", **ids, **started}, *events, {"type": "RUN_FINISHED", **ids}):
        yield envelope(event, thread, run, seq)
        seq += 1


def message(identity: str, *deltas: str) -> Iterator[dict[str, Any]]:
    """The events of one message of the assistant."""
    yield {"type": "TEXT_MESSAGE_START", "messageId": identity, "role": "assistant"}
    yield from ({"type": "TEXT_MESSAGE_CONTENT", "messageId": identity, "delta": delta} for delta in deltas)
    yield {"type": "TEXT_MESSAGE_END", "messageId": identity}


def snapshot(text: str) -> str:
    """A STATE_SNAPSHOT around a state's JSON text."""
    return f'{{"type":"STATE_SNAPSHOT","snapshot":{text}}}'


def patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"type": "STATE_DELTA", "delta": list(operations)}


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write an object of lines, each ended."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line + "\n")


def scaled(full: int, scale: float, least: int) -> int:
    """A size between what shows the shape and what hurts."""
    return max(least, int(full * scale))

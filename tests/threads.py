"""Random branching threads as raw logs: their envelopes, their compaction, and the events of each run's path."""

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from schemas.events import Event
from schemas.records import DeadLetter, Source
from schemas.rows import RunRows, ThreadRows
from schemas.segments import Segment
from tests.strategies import random_thread, spoil
from transforms import jsontext
from transforms.decode.objects import decode_batches
from transforms.fold.thinking import ThinkingNames
from transforms.runs.arrow import rows_of_table, table_of_rows
from transforms.runs.lineage import trace_runs
from transforms.runs.runlog import RunLog
from transforms.runs.thread import compact_thread
from transforms.segments.builder import SegmentBuilder
from transforms.segments.ordering import order_items
from transforms.segments.parsing import ParsedItems
from transforms.segments.rawpolicy import RawChoice, RawPolicy

MOMENT_MS = 1_790_000_000_000
Placed = tuple[str, Event]


def random_log(seed: int, spoiled: float = 0.0, thread_id: str = "t") -> list[Placed]:
    """Return (run id, event) of a seed's thread in order; of every other seed, two runs at a time are interleaved.

    Args:
        spoiled: the share of events that hold a value of the wrong type, or lack one.
    """
    return drawn_log(Random(seed), spoiled, thread_id, at_a_time=2 if seed % 2 else 1)


def drawn_log(rng: Random, spoiled: float = 0.0, thread_id: str = "t", at_a_time: int = 1) -> list[Placed]:
    """Return (run id, event) of a random thread in order, so many of its runs interleaved at a time."""
    queues = []
    for number, run in enumerate(random_thread(rng)):
        started = [event for event in run if event["type"] == "RUN_STARTED"]
        for event in run:
            if "threadId" in event:
                event["threadId"] = thread_id
        queues.append((started[0]["runId"] if run and run[0] in started else f"x{number}", list(run)))
    log: list[Placed] = []
    while queues := [queue for queue in queues if queue[1]]:
        run_id, events = queues[rng.randrange(min(at_a_time, len(queues)))]
        event = events.pop(0)
        is_spoiled = rng.random() < spoiled
        log.append((run_id, spoil(rng, event) if is_spoiled else event))
    return log


def lines_of(log: Iterable[Placed], thread_id: str = "t") -> list[bytes]:
    """Return a log as NDJSON lines, seq in the thread."""
    return [
        jsontext.dumps(
            {"threadId": thread_id, "runId": run_id, "seq": seq, "ts": MOMENT_MS + seq, "event": event}
        ).encode()
        for seq, (run_id, event) in enumerate(log)
    ]


def write_objects(folder: Path, objects: Iterable[list[bytes]]) -> Path:
    """Write raw objects, each a list of lines, into a new folder; return it."""
    folder.mkdir()
    for index, lines in enumerate(objects):
        (folder / f"part-{index}.ndjson").write_bytes(b"".join(line + b"\n" for line in lines))
    return folder


def segments_of(objects: Iterable[list[bytes]]) -> list[Segment]:
    """Return the segments of raw objects, each a list of lines."""
    return [segment for index, lines in enumerate(objects) for segment in _segments(index, lines)]


def _segments(index: int, lines: list[bytes]) -> Iterator[Segment]:
    source = Source(f"object-{index}", index)
    builder = SegmentBuilder(source, RawPolicy(RawChoice.DROP), (1, "object"))
    for batch in decode_batches(io.BytesIO(b"".join(line + b"\n" for line in lines)), source):
        assert not [found for found in batch if isinstance(found, DeadLetter)]
        yield from builder.add_all(batch)[0]
    yield from builder.finish()


def compacted(lines: list[bytes]) -> ThreadRows:
    """Return the rows of one object's only thread."""
    return compact_thread(segments_of([lines]))


def through_arrow(runs: list[RunRows]) -> list[RunRows]:
    """Return the rows of runs after they were an Arrow table."""

    def again(name: str, rows: Sequence[msgspec.Struct]) -> list[Any]:
        return list(rows_of_table(name, table_of_rows(name, rows)))

    return [
        RunRows(
            again("runs", [rows.run])[0],
            again("usage", rows.usage),
            again("messages", rows.messages),
            again("tool_calls", rows.tool_calls),
            again("states", [rows.state])[0] if rows.state is not None else None,
            again("events", rows.events),
        )
        for rows in runs
    ]


def events_by_run(log: list[Placed], lines: list[bytes], thread_id: str = "t") -> dict[int, list[Event]]:
    """Return the raw events of each run by ordinal, as they were made, but for the ids of THINKING_*.

    What the reader and the segments made of them plays no part: the code is asked only which run an event belongs to.
    """
    segments = segments_of([lines])
    runs = trace_runs(order_items(segments).items, ParsedItems()).runs
    offsets = [sum(len(line) + 1 for line in lines[:index]) for index in range(len(lines))]
    return {run.ordinal: list(_events(run, log, offsets, thread_id)) for run in runs}


def _events(run: RunLog, log: list[Placed], offsets: list[int], thread_id: str) -> Iterator[Event]:
    thinking = ThinkingNames(f"{thread_id}\0{run.run_id}\0{run.ordinal}")
    for placed in run.items:
        first = offsets.index(placed.item.offset)
        for _, event in log[first : first + placed.item.count]:
            yield thinking.translate(event)

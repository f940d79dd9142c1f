"""Recorded verdicts: what the live reference said of some threads, so that the suite means something without Node."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from schemas.events import Event
from tests.conformance.cases import case, judged_runs, thread_of, written
from tests.reference_client import Reference
from tests.streams import legal_stream
from transforms import jsontext

FILE = Path(__file__).with_name("recorded.ndjson.zst")
THREADS = range(900_000, 900_300)
STREAMS = range(910_000, 910_300)


class Thread(msgspec.Struct, tag=True):
    """A raw log as it was written, and the reference's view at the end of each run's path."""

    seed: int
    lines: list[str]
    views: list[dict[str, Any]]


class Stream(msgspec.Struct, tag=True):
    """A stream of events, and the index of the one at which verifyEvents stops; None where it accepts all."""

    seed: int
    events: list[Event]
    stops_at: int | None


def recorded() -> list[Thread | Stream]:
    """Return what is on file."""
    with zstandard.open(FILE, "rt", encoding="utf-8") as lines:
        return [msgspec.convert(jsontext.loads(line), Thread | Stream) for line in lines]


def record(reference: Reference) -> None:
    """Ask the reference again, and write the file."""
    rows = [*_threads(reference), *_streams(reference)]
    text = "".join(jsontext.dumps(msgspec.to_builtins(row)) + "\n" for row in rows)
    FILE.write_bytes(zstandard.ZstdCompressor(level=19).compress(text.encode()))


def _threads(reference: Reference) -> Iterator[Thread]:
    runs = {seed: list(judged_runs(seed)) for seed in THREADS}
    found = reference.fold(case(one, "raw") for thread in runs.values() for one in thread)
    for seed, thread in runs.items():
        views = [found[f"{one.name}:raw"] for one in thread]
        lines = [line.decode() for line in written(seed, thread_of(seed))]
        yield Thread(seed, lines, [{key: view[key] for key in ("messages", "state")} for view in views])


def _streams(reference: Reference) -> Iterator[Stream]:
    streams = {seed: legal_stream(seed) for seed in STREAMS}
    found = reference.verify({"id": seed, "events": events} for seed, events in streams.items())
    for seed, events in streams.items():
        yield Stream(seed, events, found[seed]["index"])

"""A log in nights, without Beam: its objects arrive night by night, and each night goes on from the last one's head."""

import io
from collections.abc import Iterator
from random import Random

import msgspec

from schemas.heads import Head
from schemas.records import DeadLetter, Source
from schemas.rows import RunRows
from schemas.segments import Segment
from tests.threads import MOMENT_MS
from transforms.runs.newhead import Place
from transforms.runs.thread import Compaction, CompactOptions
from transforms.segments.rawpolicy import RawChoice
from transforms.segments.reading import Reading

FRONTIER_US = (MOMENT_MS + 100_000) * 1000
"""Log time that lies behind every event of a random log, and not so far that its open runs are given up."""

Night = dict[str, bytes]
"""The objects that are new or have grown in a night, all that is in them by then."""


class Nights:
    """One thread on its way through nights.

    Attributes:
        rows: of the runs that are written, by ordinal.
        letters: all dead letters.
    """

    def __init__(self) -> None:
        self.rows: dict[int, RunRows] = {}
        self.letters: list[DeadLetter] = []
        self.head: Head | None = None
        self.read = self.duplicates = self.carried = 0
        self._objects: dict[str, tuple[list[int], bytes]] = {}

    @property
    def is_balanced(self) -> bool:
        """Whether every record that was read is accounted for, once."""
        events = sum(rows.run.events for rows in self.rows.values())
        return self.read == events + sum(one.count for one in self.letters) + self.duplicates + self.carried

    def advance(self, name: str, objects: Night, frontier_us: int | None, day: str = "2026-09-21") -> None:
        """Carry out a night."""
        segments = [one for index, uri in enumerate(self._uris(objects)) for one in self._segments(index, uri, objects)]
        if not segments:
            return
        thread = Compaction(segments, CompactOptions(frontier_us=frontier_us), self.head, self._rows)
        assert thread.carried_in == self.carried
        places: dict[int, Place] = {}
        for rows in thread.runs():
            assert rows.run.run not in self.rows, "a run is written once"
            self.rows[rows.run.run] = _travelled(rows, RunRows)
            places[rows.run.run] = Place(day, 0)
        self.head = _travelled(thread.head(name, 0, places), Head)
        self.carried = thread.carried_out
        self.duplicates += thread.duplicates
        self.letters += thread.dead_letters

    def _uris(self, objects: Night) -> list[str]:
        runs = self.head.runs if self.head is not None else []
        carried = {stretch.uri for run in runs if run.open is not None for stretch in run.open.stretches}
        return sorted(carried) + sorted(set(objects) - carried)

    def _segments(self, index: int, uri: str, objects: Night) -> Iterator[Segment]:
        stops, former = self._objects.get(uri, ([], b""))
        payload = objects.get(uri, former)
        reading = Reading(Source(uri, index, len(payload), 1, stops=stops), RawChoice.DROP)
        for segments, letters in reading.parts(io.BytesIO(payload)):
            yield from segments
            self.letters += letters
        self.read += reading.records
        self._objects[uri] = reading.head("", "").stops, payload

    def _rows(self, _head: Head, ordinals: list[int]) -> dict[int, RunRows]:
        return {ordinal: self.rows[ordinal] for ordinal in ordinals}


def _travelled(value, shape):
    """The value after it was bytes, so that nothing is shared with it."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=shape)


def through_nights(nights: list[Night]) -> Nights:
    """Carry out all nights, the last of which closes what is open."""
    done = Nights()
    for index, night in enumerate(nights):
        done.advance(f"night-{index}", night, None if index + 1 == len(nights) else FRONTIER_US)
    if done.carried:
        done.advance("end", {}, None)
    return done


def cut_in_order(rng: Random, lines: list[bytes], count: int) -> list[Night]:
    """Cut a log into nights, its lines in their order, dealt out to objects some of which grow."""
    cuts = sorted(rng.randrange(len(lines) + 1) for _ in range(count - 1))
    spans = zip([0, *cuts], [*cuts, len(lines)], strict=True)
    return _growing(rng, [lines[start:end] for start, end in spans])


def cut_at_random(rng: Random, lines: list[bytes], count: int) -> list[Night]:
    """Cut a log into nights; some lines come a night late, and some again in any later night."""
    again, late = rng.choice([0, 0.1, 0.3]), rng.choice([0, 0, 0.02, 0.1])
    size = max(1, len(lines) // count)
    nights: list[list[bytes]] = [[] for _ in range(count)]
    for index, line in enumerate(lines):
        night = min(count - 1, index // size + (rng.random() < late))
        nights[night].append(line)
        if rng.random() < again:
            nights[rng.randrange(night, count)].append(line)
    return _growing(rng, nights)


def _growing(rng: Random, nights: list[list[bytes]]) -> list[Night]:
    whole: Night = {}
    found = []
    for lines in nights:
        changed: Night = {}
        for line in lines:
            uri = f"part-{rng.randrange(3)}"
            changed[uri] = whole[uri] = whole.get(uri, b"") + line + b"\n"
        found.append(changed)
    return found

"""Reading: the bytes of one raw object become segments and dead letters, and what later nights must know of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from schemas.heads import ObjectHead
from schemas.records import DeadLetter, Record, Source
from schemas.segments import Segment
from schemas.shipments import ReadCounts
from transforms.decode.blocks import Readable
from transforms.decode.limits import Limits
from transforms.decode.objects import decode_batches
from transforms.decode.pathdate import object_time
from transforms.decode.reach import Reach
from transforms.decode.reader import Found
from transforms.decode.times import day_of
from transforms.segments.builder import SegmentBuilder
from transforms.segments.rawpolicy import RawChoice, RawPolicy

Part: TypeAlias = tuple[list[Segment], list[DeadLetter]]


class Reading:
    """One object on its way into segments.

    Attributes:
        day: of the object, ``YYYY-MM-DD``; its dead letters go there.
        records: that no earlier night has read, ``dead`` of them without use.
    """

    def __init__(self, source: Source, choice: RawChoice) -> None:
        fallback = object_time(source)
        self.day = day_of(fallback[0])
        self.records = self.dead = 0
        self._source = source
        self._reach = Reach(source.stops)
        self._is_copy: bool | None = None if source.copy_of else False
        self._builder = SegmentBuilder(source, RawPolicy(choice), fallback)

    def parts(self, stream: Readable) -> Iterator[Part]:
        """Yield segments, and letters of what is new; of a copy of another object nothing, since all came before.

        Equal bytes are a copy where something in them would tell two deliveries apart. Without a time, a seq or an
        event id, an agent that said the same thing twice leaves two equal objects.
        """
        passed = 0
        for batch in decode_batches(stream, self._source, Limits(), self._reach):
            if self._is_copy is None:
                self._is_copy = _tells_apart(batch)
            begun: list[Segment] = []
            if self._reach.passed != passed:
                passed = self._reach.passed
                begun = list(self._builder.begin_part(is_old=not self._reach.is_new))
            segments, letters = self._builder.add_all(batch)
            if self._reach.is_new:
                self.records += sum(record.count for record in batch)
                self.dead += sum(letter.count for letter in letters)
            if not self._is_copy:
                yield begun + segments, letters if self._reach.is_new else []
        if not self._is_copy:
            yield list(self._builder.finish()), []

    def counts(self, stored: int) -> ReadCounts:
        """Return what the object brought.

        Args:
            stored: bytes that were read.
        """
        source = self._source
        objects = int(stored > source.known_bytes or not source.stops)
        duplicates = self.records if self._is_copy else 0
        return ReadCounts(objects, self.records, stored - source.known_bytes, duplicates)

    def head(self, night: str, sha256: str) -> ObjectHead:
        """Return what later nights must know."""
        source, end = self._source, self._reach.end
        stops = source.stops if end in source.stops else [*source.stops, end]
        fields = {name: value for name, value in source.fields.items() if name != "date"}
        return ObjectHead(source.uri, source.size, source.modified_us, source.etag, sha256, stops, fields, night)


def _tells_apart(batch: list[Found]) -> bool | None:
    """Tell whether records can be told from others of the same words; None where there is no record."""
    records = [found for found in batch if isinstance(found, Record)]
    if not records:
        return None
    return any(one.at_us is not None or one.seq is not None or one.event_id is not None for one in records)


class Wanted:
    """Which segments of an object a plan wants.

    Args:
        only: threads (tenant, id) that are compacted again; all where empty.
    """

    def __init__(self, source: Source, only: frozenset[tuple[str, str]]) -> None:
        self._only = only
        self._carried = frozenset(map(tuple, source.carried))

    @property
    def takes_letters(self) -> bool:
        """Whether the object's dead letters and counts belong to the plan."""
        return not self._only

    def takes(self, segment: Segment) -> bool:
        """Tell whether a segment is wanted."""
        key = (segment.owner.tenant_id, segment.thread_id)
        if self._only and key not in self._only:
            return False
        return not segment.is_old or key in self._carried

"""Shipments: what travels from the readers to the compaction of one bucket."""

from __future__ import annotations

import msgspec

from schemas.heads import HeadRow
from schemas.records import DeadLetter


class Parcel(msgspec.Struct, array_like=True, gc=False):
    """One segment, still encoded, under the key of its thread."""

    tenant_id: str
    thread_id: str
    segment: bytes


class ReadCounts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one object held that no earlier night has read; ``duplicates`` of a copy of another object are all."""

    objects: int = 0
    records: int = 0
    bytes: int = 0
    duplicates: int = 0


class DatedLetter(msgspec.Struct, array_like=True):
    """A dead letter and the day of its object, ``YYYY-MM-DD``."""

    day: str
    letter: DeadLetter


class Shipment(msgspec.Struct, array_like=True):
    """Parcels of one bucket from one object, its dead letters, and (once an object) its counts and heads."""

    parcels: list[Parcel] = []
    letters: list[DatedLetter] = []
    counts: ReadCounts = ReadCounts()
    heads: list[HeadRow] = []

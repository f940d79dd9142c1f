"""Shipping: segments and dead letters of one object become compressed shipments for the buckets, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import zstandard

from schemas.heads import HeadRow
from schemas.records import DeadLetter
from schemas.segments import Segment
from schemas.shipments import DatedLetter, Parcel, ReadCounts, Shipment
from transforms.bucket import KEY_BITS, bucket_of

MAX_SHIPMENT_BYTES: Final = 6 << 20
"""Encoded bytes after which a bucket's shipment is sent."""

_MAX_LETTERS: Final = 10_000
_LEVEL: Final = 1
_encode: Final = msgspec.msgpack.Encoder().encode
_segments: Final = msgspec.msgpack.Decoder(Segment)
_shipments: Final = msgspec.msgpack.Decoder(Shipment)


class Shipper:
    """Collects what one object gave, by bucket.

    Args:
        day: the object's day, for its dead letters.
    """

    def __init__(self, uri: str, bucket_bits: int, day: str) -> None:
        self._bits = bucket_bits
        self._day = day
        self._home = bucket_of("", uri, bucket_bits)
        self._open: dict[int, Shipment] = {}
        self._weights: dict[int, int] = {}

    def ship(self, segment: Segment) -> Iterator[tuple[int, bytes]]:
        """Take in a segment; yield (bucket, shipment) where one is full."""
        tenant_id, thread_id = segment.owner.tenant_id, segment.thread_id
        bucket = bucket_of(tenant_id, thread_id, self._bits)
        encoded = _encode(segment)
        self._shipment(bucket).parcels.append(Parcel(tenant_id, thread_id, encoded))
        yield from self._weigh(bucket, len(encoded))

    def ship_letter(self, letter: DeadLetter) -> Iterator[tuple[int, bytes]]:
        """Take in a dead letter; it goes to the bucket of its object."""
        self._shipment(self._home).letters.append(DatedLetter(self._day, letter))
        yield from self._weigh(self._home, MAX_SHIPMENT_BYTES // _MAX_LETTERS)

    def ship_heads(self, rows: Iterable[HeadRow]) -> None:
        """Take in heads; each goes to the bucket of its key."""
        for row in rows:
            self._shipment(row.key >> (KEY_BITS - self._bits)).heads.append(row)

    def finish(self, counts: ReadCounts) -> Iterator[tuple[int, bytes]]:
        """Yield what is left; the object's counts go to its own bucket."""
        self._shipment(self._home).counts = counts
        for bucket in sorted(self._open):
            yield bucket, pack(self._open[bucket])

    def _shipment(self, bucket: int) -> Shipment:
        return self._open.setdefault(bucket, Shipment())

    def _weigh(self, bucket: int, weight: int) -> Iterator[tuple[int, bytes]]:
        total = self._weights.get(bucket, 0) + weight
        if total < MAX_SHIPMENT_BYTES:
            self._weights[bucket] = total
            return
        self._weights[bucket] = 0
        yield bucket, pack(self._open.pop(bucket))


def unpack(packed: bytes) -> Shipment:
    """Return a shipment; its segments are still encoded."""
    return _shipments.decode(zstandard.ZstdDecompressor().decompress(packed))


def segment_of(parcel: Parcel) -> Segment:
    """Return the segment of a parcel."""
    return _segments.decode(parcel.segment)


def pack(shipment: Shipment) -> bytes:
    """Return a shipment as it travels."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(_encode(shipment))

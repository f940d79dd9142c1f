"""Reach: how far an object was read before, and how far this time. An object that grows is read on from there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

import msgspec

EVERYTHING: Final = 1 << 62
"""Beyond the end of any object: what is left of one that is read as a whole."""


class Reach(msgspec.Struct):
    """Where reading stands.

    Args:
        stops: offsets in the decompressed object where it was left before, rising; what is read is cut at each of them,
            so that it comes in the same pieces again.
        end: offset up to which it has been read now; a last line that is torn is not.
        passed: how many of the stops lie before what was yielded last, or where it begins.
    """

    stops: list[int] = []
    end: int = EVERYTHING
    passed: int = 0

    @property
    def is_new(self) -> bool:
        """Whether what was yielded last was never read before."""
        return self.passed == len(self.stops)

    def blocks(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield an object's blocks, cut so that one begins at each stop."""
        at = 0
        for block in blocks:
            start = at
            for stop in self.stops:
                if start < stop < at + len(block):
                    yield block[start - at : stop - at]
                    start = stop
            yield block[start - at :]
            at += len(block)

    def enter(self, offset: int) -> None:
        """Note where what is yielded next begins."""
        self.passed = bisect_right(self.stops, offset)

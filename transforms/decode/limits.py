"""Limits: how much of one object may be in memory."""

from __future__ import annotations

from typing import Final

import msgspec

MIB: Final = 1 << 20


class Limits(msgspec.Struct, frozen=True):
    """Sizes in bytes, after decompression.

    Args:
        block: read at a time.
        line: the longest line (record, SSE field); a longer one becomes a dead letter ``too_large``.
        document: the largest object of a form that is read whole (array, export over many lines, sqlite).
        unpacked, ratio: a compressed object may unpack to `unpacked`, and to `ratio` times its size beyond that.
    """

    block: int = MIB // 4
    line: int = 64 * MIB
    document: int = 1024 * MIB
    unpacked: int = 1024 * MIB
    ratio: int = 256

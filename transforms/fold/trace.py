"""Traces: how a message or a tool call came into a view, beside the view, which says only what it is."""

from __future__ import annotations

import msgspec

from transforms.fold.growth import Owned


class Trace(msgspec.Struct, gc=False):
    """How a message or a tool call came into a run's view, or was changed in it.

    Args:
        origin: input, stream, tool (made by a tool call), result, snapshot, activity or reasoning.
        is_new: it was not in the base view.
        first_us, last_us: times of the events that touched it, UTC, microseconds since 1970.
        is_ended: its END was seen, or it came whole.
        pieces: (``text`` or ``reasoning``, length) of each stretch, where streams of both kinds met in one message.
        is_owned: the fold may mutate the dict.
        content: ``id()`` of the lists and dicts of an activity's content that the fold may mutate.
    """

    origin: str
    is_new: bool = True
    first_us: int | None = None
    last_us: int | None = None
    is_ended: bool = False
    pieces: list[tuple[str, int]] | None = None
    is_owned: bool = True
    content: Owned | None = None

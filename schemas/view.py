"""A view: what an AG-UI client shows at one moment, the ordered messages and the state."""

from __future__ import annotations

import msgspec

from schemas.events import Json, Message


class View(msgspec.Struct, frozen=True):
    """The messages in order, and the state.

    Messages are shared between views (a branch shares its parent's): whoever holds a view never mutates what is in it.
    The same object may stand at two positions: the reference client makes one object of them when a
    MESSAGES_SNAPSHOT meets duplicate ids, and later text changes both.
    """

    messages: list[Message]
    state: Json


def empty_view() -> View:
    """Return the view of a thread before its first run: no messages, state ``{}``."""
    return View([], {})

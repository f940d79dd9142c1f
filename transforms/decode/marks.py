"""What a log wrote beside an event to order it becomes a sequence number and an event id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schemas.errors import DecodeError
from schemas.events import Json
from transforms import jsontext

_INT64_MAX: Final = 2**63 - 1

SEQ_KEY: Final = "cpki_event_seq"
EVENT_ID_KEY: Final = "cpki_event_id"
"""CopilotKit Intelligence stamps both into every event's metadata."""


def whole(value: Json) -> int | None:
    """Return a sequence number: a 64-bit integer, also one written as text or as ``3.0``.

    >>> whole("7"), whole(7.0), whole("x"), whole(True)
    (7, 7, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = int(value) if value.is_integer() else None
    elif isinstance(value, str):
        value = int(value) if value.isdecimal() and len(value) < 20 else None
    if isinstance(value, int) and -_INT64_MAX <= value <= _INT64_MAX:
        return value
    return None


def metadata_mark(metadata: Mapping[str, bytes]) -> tuple[int | None, str | None]:
    """Return sequence number and event id from an event's metadata (values as JSON text)."""
    seq, event_id = metadata.get(SEQ_KEY), metadata.get(EVENT_ID_KEY)
    return (
        None if seq is None else whole(_value(seq)),
        None if event_id is None else identity(_value(event_id)),
    )


def identity(value: Json) -> str | None:
    """Return an id as Unicode text; None for an empty one, null, and what is no id; a number is its JSON text."""
    if isinstance(value, int | float):
        return jsontext.dumps(value)
    if isinstance(value, str) and value and jsontext.is_text(value):
        return value
    return None


def _value(text: bytes) -> Json:
    try:
        return jsontext.loads(bytes(text))
    except DecodeError:
        return None

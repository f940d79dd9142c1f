"""Readable items: those whose JSON is a value, apart from those whose numbers no double holds."""

from __future__ import annotations

import msgspec

from schemas.errors import DecodeError
from schemas.records import DeadLetter
from transforms import jsontext
from transforms.segments.ordering import Placed, dead_letter
from transforms.segments.parsing import ParsedItems


class Readable(msgspec.Struct):
    """Items, and those that are JSON and yet no value (a number that no double holds), each with a letter."""

    items: list[Placed]
    lost: list[Placed]
    letters: list[DeadLetter]


def readable(items: list[Placed]) -> Readable:
    """Return the items sorted so."""
    found = Readable([], [], [])
    parsed = ParsedItems()
    for placed in items:
        try:
            jsontext.dumps(parsed.event(placed))
            jsontext.dumps(parsed.envelope_input(placed))
        except DecodeError as error:
            found.letters.append(dead_letter(placed, error.reason, error.detail))
            found.lost.append(placed)
        else:
            found.items.append(placed)
    return found

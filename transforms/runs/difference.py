"""Difference: a parent's view and a run's view become the rows that the run brought or changed.

Survivors are the parent's messages that stand unchanged, in order; every other message of the run's view is a row at
its position, and every other position of the parent's view is dropped::

    parent   u1  a1  r1            dropped_positions [1]
    run      u1  A1  r1  u2        rows at 1 (A1) and 3 (u2)
"""

from __future__ import annotations

from collections import Counter
from operator import is_

import msgspec

from schemas.events import Message
from schemas.view import View
from transforms.runs.message_rows import text_id
from transforms.sameness import same_json


class Difference(msgspec.Struct):
    """What stands in the run's view and not in its parent's.

    Args:
        dropped: positions of the parent's view that do not stand unchanged.
        changed: positions of the run's view that need a row.
        same_as: position -> the earlier position that holds the same object; only for positions in ``changed``.
    """

    dropped: list[int]
    changed: list[int]
    same_as: dict[int, int]


def difference(base: View, final: View) -> Difference:
    """Return what a run did to its parent's messages."""
    start = _common_prefix(base.messages, final.messages)
    if start == len(base.messages):
        changed = list(range(start, len(final.messages)))
        return Difference([], changed, _aliases(final.messages, changed, start))
    dropped, changed = _match(base.messages, final.messages, start)
    return Difference(dropped, changed, _aliases(final.messages, changed, start))


def _common_prefix(base: list[Message], final: list[Message]) -> int:
    """Return how many first messages are the same objects."""
    same = list(map(is_, base, final))
    try:
        return same.index(False)
    except ValueError:
        return len(same)


def _match(base: list[Message], final: list[Message], start: int) -> tuple[list[int], list[int]]:
    """Match survivors in order, by identity and then by id and content.

    An object that stands twice is matched by identity alone: as survivors, its copies would be two objects again.
    """
    by_identity = {id(message): position for position, message in enumerate(base[start:], start)}
    by_id: dict[str, list[int]] = {}
    for position, message in enumerate(base[start:], start):
        by_id.setdefault(text_id(message), []).append(position)
    times = Counter(map(id, final[start:]))
    survivors: list[int] = []
    changed: list[int] = []
    last = start - 1
    for position, message in enumerate(final[start:], start):
        namesakes = by_id.get(text_id(message), []) if times[id(message)] == 1 else []
        match = _survivor(message, base, last, by_identity, namesakes)
        if match is None:
            changed.append(position)
        else:
            survivors.append(match)
            last = match
    kept = set(survivors)
    return [position for position in range(start, len(base)) if position not in kept], changed


def _survivor(
    message: Message, base: list[Message], last: int, by_identity: dict[int, int], namesakes: list[int]
) -> int | None:
    position = by_identity.get(id(message))
    if position is not None and position > last:
        return position
    for position in namesakes:
        if position > last and same_json(base[position], message):
            return position
    return None


def _aliases(messages: list[Message], changed: list[int], start: int) -> dict[int, int]:
    """Return, for the changed positions, where the same object stands earlier (never before ``start``)."""
    first: dict[int, int] = {}
    for position, message in enumerate(messages[start:], start):
        first.setdefault(id(message), position)
    places = ((position, first[id(messages[position])]) for position in changed)
    return {position: place for position, place in places if place != position}

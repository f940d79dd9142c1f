"""Measures: a JSON value becomes its depth and its weight."""

from __future__ import annotations

from typing import Final

from schemas.events import Json

_NODE: Final = 16
_CONTAINER: Final = 64


def measure(value: Json) -> tuple[int, int]:
    """Return how many levels of lists and dicts a value has, and about how many bytes it takes in memory.

    Works without recursion, level by level.

    >>> measure({"a": [1, "four"]})
    (2, 197)
    """
    depth = weight = 0
    level = [value]
    while level:
        inner: list[Json] = []
        containers = 0
        for item in level:
            kind = type(item)
            if kind is dict:
                containers += 1
                weight += sum(map(len, item))
                inner += item.values()
            elif kind is list:
                containers += 1
                inner += item
            elif kind is str:
                weight += len(item)
        weight += _NODE * len(level) + _CONTAINER * containers
        depth += containers > 0
        level = inner
    return depth, weight

"""Growth: what patches put into a document is measured, so that none outgrows the job.

An event is as big as its text, but forty copies of a value into itself double it a million million times, and patches
can dig deeper than an encoder goes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from schemas.events import Json
from transforms.fold.operation import PatchError

MAX_DEPTH: Final = 512
"""Levels at which a patch may write; a log's own JSON may have a few more."""

MAX_COPIED_BYTES: Final = 16 << 20
"""What one event may copy."""

MAX_DOCUMENT_BYTES: Final = 64 << 20
"""What a document may weigh after copies."""

_FREE_BYTES: Final = 4 << 10
_NODE_BYTES: Final = 16
_CONTAINER_BYTES: Final = 64


class Owned(set[int]):
    """``id()`` of the lists and dicts of a document that may be changed, and what copies have added to it.

    Attributes:
        unweighed: bytes that were copied into it since it was weighed; the first weighing comes soon.
        is_full: it weighs too much, and no copy is made any more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unweighed = MAX_COPIED_BYTES - _FREE_BYTES
        self.is_full = False


class Measure(NamedTuple):
    """Levels of lists and dicts, and about how many bytes in memory."""

    depth: int
    weight: int


def measure(value: Json, limit: int | None = None) -> Measure:
    """Measure a value, level by level and so without recursion.

    Args:
        limit: bytes; of a heavier value, the measure of its upper levels is given.

    >>> measure({"a": [1, "four"]})
    Measure(depth=2, weight=197)
    """
    depth = weight = 0
    level = [value]
    while level and (limit is None or weight <= limit):
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
        weight += _NODE_BYTES * len(level) + _CONTAINER_BYTES * containers
        depth += containers > 0
        level = inner
    return Measure(depth, weight)


def check_depth(keys: list[str], value: Json) -> None:
    """Refuse a value that would reach below MAX_DEPTH.

    Raises:
        PatchError: it would.
    """
    kind = type(value)
    depth = measure(value).depth if kind is dict or kind is list else 0
    if len(keys) + depth > MAX_DEPTH:
        raise PatchError


def weigh(document: Json, owned: Owned) -> None:
    """Weigh a document once enough was copied into it.

    Raises:
        PatchError: it weighs more than MAX_DOCUMENT_BYTES.
    """
    if owned.unweighed < MAX_COPIED_BYTES:
        return
    if measure(document, MAX_DOCUMENT_BYTES).weight > MAX_DOCUMENT_BYTES:
        owned.is_full = True
        raise PatchError
    owned.unweighed = 0

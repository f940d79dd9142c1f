"""Clones: a JSON value becomes a value of its own that shares no list and no dict with it."""

from __future__ import annotations

from schemas.events import Json


def clone_json(value: Json) -> Json:
    """Return a deep copy; works without recursion, since a value may be nested deeper than the interpreter's stack.

    >>> inner = [1]
    >>> copy = clone_json({"a": inner})
    >>> inner.append(2)
    >>> copy
    {'a': [1]}
    """
    kind = type(value)
    if kind is not dict and kind is not list:
        return value
    copied = value.copy()
    pending = [copied]
    while pending:
        target = pending.pop()
        for key, item in target.items() if type(target) is dict else enumerate(target):
            kind = type(item)
            if kind is dict or kind is list:
                inner = target[key] = item.copy()
                pending.append(inner)
    return copied

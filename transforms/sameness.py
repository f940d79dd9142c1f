"""Sameness: two JSON values become one answer, are they the same as JSON has it.

Python's ``==`` holds True and 1 for equal; JSON and JavaScript do not. Both hold 1 and 1.0 for equal.
"""

from __future__ import annotations

from schemas.events import Json


def same_json(one: Json, two: Json) -> bool:
    """Tell whether two JSON values are equal; the order of keys does not count.

    >>> same_json({"a": 1, "b": [True]}, {"b": [True], "a": 1.0}), same_json([True], [1])
    (True, False)
    """
    if one is two:
        return True
    kind = type(one)
    if kind is str:
        return bool(one == two)
    if kind is not dict and kind is not list:
        return _same_scalar(one, two)
    try:
        if one != two:
            return False
    except RecursionError:
        pass
    return _same_tree(one, two)


def _same_scalar(one: Json, two: Json) -> bool:
    return bool(one == two) and (type(one) is bool) == (type(two) is bool)


def _same_tree(one: Json, two: Json) -> bool:
    """Compare without recursion: a value may be nested deeper than the interpreter's stack."""
    pending: list[tuple[Json, Json]] = [(one, two)]
    while pending:
        left, right = pending.pop()
        if left is right:
            continue
        kind = type(left)
        if kind is dict:
            if type(right) is not dict or left.keys() != right.keys():
                return False
            pending.extend((value, right[key]) for key, value in left.items())
        elif kind is list:
            if type(right) is not list or len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif not _same_scalar(left, right):
            return False
    return True

"""JSON Pointer: a path becomes its keys, and a key becomes the place that JavaScript finds under it.

RFC 6901, as fast-json-patch 3.1.1 walks it: an array index is any run of digits (none at all is 0) taken as a 32-bit
integer, ``-`` is the length, and a property counts as existing where the prototype of objects has it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from schemas.events import Json
from transforms.fold.jsvalue import MISSING

INHERITED: Final = frozenset(
    {
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    }
)
"""Names that every JavaScript object has; ``__proto__`` is banned before it is looked up."""

_MAX_INDEX_DIGITS: Final = 15


def split_pointer(path: str) -> list[str] | None:
    """Return the keys of a path that starts with a slash; None where one of them is banned.

    >>> split_pointer("/a~1b/~01/-"), split_pointer("/__proto__/x")
    (['a/b', '~1', '-'], None)
    """
    keys = path.split("/")
    del keys[0]
    if "~" in path:
        keys = [key.replace("~1", "/").replace("~0", "~") for key in keys]
    if "proto" in path and _is_banned(keys):
        return None
    return keys


def existing_index(key: str, length: int) -> int | None:
    """Return the index of an array element that exists under this key, as a property name: no leading zeros."""
    if key.isdigit() and key.isascii() and len(key) <= _MAX_INDEX_DIGITS and (key[0] != "0" or key == "0"):
        index = int(key)
        return index if index < length else None
    return None


def loose_index(key: str, length: int) -> int | None:
    """Return what a key means as an array index, even beyond the end or, beyond 31 bits, negative; None for a word."""
    if key == "-":
        return length
    if not key:
        return 0
    if not (key.isdigit() and key.isascii()):
        return None
    number = float(key)
    if number < 2**31:
        return int(number)
    wrapped = 0 if number == float("inf") else int(number) & 0xFFFFFFFF
    return wrapped - 2**32 if wrapped >= 2**31 else wrapped


def swallows(scalar: Json, key: str) -> bool:
    """Tell whether a scalar takes a write without effect: null never does, a truthy one where it has the property."""
    if scalar is None:
        return False
    return not scalar or key in INHERITED or own_property(scalar, key) is not MISSING


def own_property(value: Json, key: str) -> Json:
    """Return the value under a key of any JSON value, strict about indexes; MISSING where there is none."""
    if type(value) is dict:
        return value.get(key, MISSING)
    if type(value) is list:
        index = existing_index(key, len(value))
        return MISSING if index is None else value[index]
    if type(value) is str:
        index = existing_index(key, len(value))
        return len(value) if key == "length" else MISSING if index is None else value[index]
    return MISSING


def loose_property(value: Json, key: str) -> Json:
    """Return the value under a key as code that does not validate finds it; MISSING where there is none."""
    if type(value) is not list:
        return own_property(value, key)
    index = loose_index(key, len(value))
    return value[index] if index is not None and 0 <= index < len(value) else MISSING


def find_value(document: Json, keys: list[str], look_up: Callable[[Json, str], Json]) -> Json:
    """Return what stands at a path; MISSING where nothing does."""
    for key in keys:
        document = look_up(document, key)
    return document


def find_existing(document: Json, keys: list[str]) -> Json:
    """Return what stands at a path by the strict rules, through lists and dicts alone; MISSING where nothing does."""
    for place, key in enumerate(keys):
        if place and type(document) is not dict and type(document) is not list:
            return MISSING
        document = own_property(document, key)
    return document


def find_container(document: Json, keys: list[str]) -> Json:
    """Return what holds the last key of a path, None where nothing can: a list holds indexes only, null nothing."""
    for key in keys[:-1]:
        document = loose_property(document, key)
        if type(document) is not dict and type(document) is not list:
            return None
    if type(document) is list and loose_index(keys[-1], len(document)) is None:
        return None
    return document


def _is_banned(keys: list[str]) -> bool:
    if "__proto__" in keys:
        return True
    return any(key == "prototype" and before == "constructor" for before, key in pairwise(keys))

"""JavaScript values: how the reference client compares ids, tells an absent key from null, and makes text of a value.

Source: ECMA-262, IsStrictlyEqual, ToString and Number::toString; the reference reducer is written in JavaScript and its
verdicts on malformed events follow from these.
"""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from typing import Final

from schemas.events import Json

MISSING: Final = object()
"""What an absent key holds: ``undefined``, which is not null and equals only itself."""

_BOOLEAN_KEYS: Final = {True: ("boolean", True), False: ("boolean", False)}
_MAX_PLAIN_NUMBER: Final = 1e21
_MIN_PLAIN_NUMBER: Final = 1e-6
_MAX_EXACT_INTEGER: Final = 2**53


def key_of(identity: Json) -> Hashable:
    """Return a dict key that equals another id's key where JavaScript's ``===`` holds between the ids.

    An object or array equals none but itself, so that its key is a new one each time.

    >>> key_of(True) == key_of(1), key_of(1) == key_of("1"), key_of(1) == key_of(1.0)
    (False, False, True)
    """
    kind = type(identity)
    if kind is str:
        return identity  # type: ignore[no-any-return]  # it is a str
    if kind is bool:
        return _BOOLEAN_KEYS[identity]
    if kind is dict or kind is list:
        return object()
    return identity  # type: ignore[no-any-return]  # None, a number, or MISSING


def id_key(message: Json) -> Hashable:
    """Return the key of a message's or tool call's id; a value that is no object has none."""
    if type(message) is not dict:
        return MISSING
    identity = message.get("id", MISSING)
    return identity if type(identity) is str else key_of(identity)


def text_of(value: Json) -> str:
    """Return the text that JavaScript makes of a value where text is appended to text.

    >>> text_of([1.0, None, {"a": 1}, True])
    '1,,[object Object],true'
    """
    if type(value) is str:
        return value
    if value is MISSING:
        return "undefined"
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is dict:
        return "[object Object]"
    if type(value) is list:
        return ",".join("" if item is None else text_of(item) for item in value)
    return _number_text(value)


def spread(value: Json) -> dict[str, Json]:
    """Return the entries that JavaScript spreads into an object: those of a list are its indexes, a scalar has none.

    >>> spread("ab"), spread([True]), spread(1)
    ({'0': 'a', '1': 'b'}, {'0': True}, {})
    """
    if type(value) is dict:
        return value
    if type(value) is str:
        units = value.encode("utf-16-le", "surrogatepass")
        value = [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    return {str(index): item for index, item in enumerate(value)} if type(value) is list else {}


def is_truthy(value: Json) -> bool:
    """Tell whether JavaScript holds a value for true: empty objects and arrays are."""
    return value is not MISSING and (type(value) in (dict, list) or bool(value))


def _number_text(number: float) -> str:
    if type(number) is int and abs(number) < _MAX_EXACT_INTEGER:
        return str(number)
    try:
        double = float(number)
    except OverflowError:
        return "Infinity" if number > 0 else "-Infinity"
    if double == 0:
        return "0"
    if _MIN_PLAIN_NUMBER <= abs(double) < _MAX_PLAIN_NUMBER:
        return format(Decimal(repr(double)), "f").removesuffix(".0")
    mantissa, exponent = repr(double).split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"

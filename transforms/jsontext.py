"""JSON text becomes values and values become JSON text, without loss.

The fast codec refuses what JavaScript allows: lone surrogates. Text that holds one goes through the standard library,
which writes it as an escape, so that it survives in a UTF-8 column; integers of any size stay integers.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import msgspec

from schemas.errors import DecodeError

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def loads(text: bytes | str) -> Any:
    """Return the value of one JSON text.

    Duplicate keys: the last wins, as in JavaScript.

    Raises:
        DecodeError: ``not_json``, ``bad_utf8``, ``too_deep`` or ``number_range``.

    >>> loads('{"a": 123456789012345678901234567890}')
    {'a': 123456789012345678901234567890}
    """
    try:
        return _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return _loads_leniently(text)
    except RecursionError:
        raise DecodeError("too_deep", "nested deeper than the decoder goes") from None


def dumps(value: Any) -> str:
    """Return the compact JSON text of a value; ASCII escapes only where a lone surrogate needs them.

    Raises:
        DecodeError: ``number_range`` for infinities and NaN, ``too_deep``.
    """
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise DecodeError("too_deep", "nested deeper than the encoder goes") from None


def is_text(value: str) -> bool:
    """Tell whether a string is Unicode text, which Arrow can hold, and not one with a lone surrogate."""
    return value.isascii() or _has_no_surrogate(value)


def mapping(value: Any) -> dict[str, Any]:
    """Return a JSON object as it is and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def text_or_none(value: Any) -> str | None:
    """Return a string that a text column can hold, the JSON of another value, None of null."""
    if value is None:
        return None
    if isinstance(value, str) and is_text(value):
        return value
    return dumps(value)


def join_surrogates(value: str) -> str:
    r"""Return the string with high and low halves that met in a join made one character, as UTF-16 has it.

    >>> join_surrogates('\ud83d' + '\ude00') == '\U0001f600'
    True
    """
    if is_text(value):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _has_no_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _loads_leniently(text: bytes | str) -> Any:
    try:
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("bad_utf8", f"byte {error.start} of the record") from None
    try:
        value = json.loads(decoded, parse_constant=_refuse_constant, parse_float=_parse_float)
    except RecursionError:
        raise DecodeError("too_deep", "nested deeper than the decoder goes") from None
    except ValueError as error:
        place = getattr(error, "pos", None)
        raise DecodeError("not_json", "malformed" if place is None else f"malformed at character {place}") from None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise DecodeError("not_json", f"{name} is no JSON number")


def _parse_float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise DecodeError("number_range", "a number beyond the range of a double")
    return number

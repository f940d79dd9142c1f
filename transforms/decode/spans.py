"""One JSON text becomes the texts of its parts, undecoded: an object by key, an array by index.

The fast codec refuses a lone surrogate even where it only reads past; the standard library cuts such
text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NoReturn, TypeAlias

from msgspec import MsgspecError, Raw
from msgspec.json import Decoder

from schemas.errors import DecodeError

Fields: TypeAlias = dict[str, bytes]
"""An object's values as JSON text by key; the last of equal keys."""

_decode_fields = Decoder(dict[str, Raw]).decode
_decode_elements = Decoder(list[Raw]).decode
_UNFIT: Final = (MsgspecError, UnicodeDecodeError)
_MINCED_FROM_BYTES: Final = 16 << 20
_BYTES_A_COMMA: Final = 12
_SPACE: Final = re.compile(r"[ \t\n\r]*")


def split_object(text: bytes) -> Fields:
    """Return the parts of a JSON object.

    Raises:
        DecodeError: ``not_json``, ``not_object``, ``bad_utf8`` or ``too_deep``.

    >>> split_object(b'{"a": [1, 2], "b": null}')
    {'a': b'[1, 2]', 'b': b'null'}
    """
    try:
        return {key: bytes(raw) for key, raw in _checked_utf8(text, _decode_fields(text)).items()}
    except _UNFIT:
        return _split_object_leniently(_decoded(text))
    except RecursionError:
        raise _too_deep() from None


def split_array(text: bytes) -> Iterator[bytes]:
    """Yield the elements of a JSON array; from a damaged one those before the damage.

    Raises:
        DecodeError: as for an object, after the last element that could be read; ``torn`` where the text just ends.
    """
    try:
        elements = None if _is_minced(text) else _decode_elements(text)
    except _UNFIT:
        elements = None
    except RecursionError:
        raise _too_deep() from None
    if elements is None:
        yield from _split_array_leniently(_decoded(text))
        return
    for raw in elements:
        yield bytes(raw)


def _is_minced(text: bytes) -> bool:
    """Tell whether a long text has a comma every few bytes: a list of its elements could be many times as long."""
    return len(text) > _MINCED_FROM_BYTES and text.count(b",") > len(text) // _BYTES_A_COMMA


def _checked_utf8(text: bytes, fields: dict[str, Raw]) -> dict[str, Raw]:
    if not text.isascii():
        text.decode()
    return fields


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("bad_utf8", f"byte {error.start} of the record") from None


def _split_object_leniently(text: str) -> Fields:
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        _scan(text, at)
        raise DecodeError("not_object", "JSON, but no object")
    fields: Fields = {}
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return _ended(text, at + 1, fields)
    while True:
        key, at = _scan(text, at)
        if not isinstance(key, str):
            raise _malformed(at)
        at = _expect(text, at, ":")
        _, end = _scan(text, at)
        fields[key] = text[at:end].encode()
        at = _skip(text, end)
        if text[at : at + 1] == "}":
            return _ended(text, at + 1, fields)
        at = _expect(text, at, ",")


def _split_array_leniently(text: str) -> Iterator[bytes]:
    at = _expect(text, 0, "[")
    if text[at : at + 1] == "]":
        _ended(text, at + 1, {})
        return
    while True:
        start = at
        try:
            _, at = _scan(text, at)
        except DecodeError as error:
            if error.reason == "not_json":
                is_cut = not text.rstrip().endswith("]")
                raise DecodeError("torn", "the array ends in the middle") if is_cut else error from None
            raise
        yield text[start:at].encode()
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            _ended(text, at + 1, {})
            return
        at = _expect(text, at, ",")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


_scanner = json.JSONDecoder(parse_constant=_refuse_constant)


def _scan(text: str, at: int) -> tuple[object, int]:
    try:
        return _scanner.raw_decode(text, at)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _malformed(getattr(error, "pos", at)) from None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _expect(text: str, at: int, mark: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != mark:
        raise _malformed(at)
    return _skip(text, at + 1)


def _ended(text: str, at: int, fields: Fields) -> Fields:
    at = _skip(text, at)
    if at != len(text):
        raise _malformed(at)
    return fields


def _malformed(at: int) -> DecodeError:
    return DecodeError("not_json", f"malformed at character {at}")


def _too_deep() -> DecodeError:
    return DecodeError("too_deep", "nested deeper than the decoder goes")

"""Depth: a JSON text becomes one answer, is it nested deeper than the job goes.

Parsers stop where their stack ends, which depends on who called them: what one stage can read, the next may not. A
limit far below that is the same for all, and leaves room for what a view, an input or an envelope puts around a value.
"""

from __future__ import annotations

import re
from typing import Final

from schemas.errors import DecodeError

MAX_DEPTH: Final = 600
SHORTEST_DEEP: Final = 2 * MAX_DEPTH
"""Bytes: no shorter text is too deep."""

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_SQUARE: Final = bytes.maketrans(b"{}", b"[]")
_NO_MARKS: Final = bytes(set(range(256)) - set(b"[]{}"))


def is_too_deep(text: bytes) -> bool:
    """Tell whether a JSON text nests deeper than MAX_DEPTH; False for a text that is not balanced.

    >>> is_too_deep(b"[" * 600 + b"]" * 600), is_too_deep(b"[" * 601 + b"]" * 601)
    (False, True)
    """
    if len(text) < SHORTEST_DEEP or text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return False
    marks = _STRING.sub(b"", text).translate(_SQUARE, _NO_MARKS)
    for _ in range(MAX_DEPTH):
        outer = marks.replace(b"[]", b"")
        if len(outer) == len(marks):
            return False
        marks = outer
    return b"[]" in marks


def too_deep() -> DecodeError:
    """Return the error of such a text."""
    return DecodeError("too_deep", f"nested more than {MAX_DEPTH} levels deep")

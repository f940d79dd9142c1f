"""Depth: a JSON text becomes one answer, is it nested deeper than the job goes.

Parsers stop where their stack ends, which depends on who called them: what one stage can read, the next may not. A
limit far below that is the same for all, and leaves room for what a view, an input or an envelope puts around a value.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from schemas.errors import DecodeError

MAX_DEPTH: Final = 600
SHORTEST_DEEP: Final = 2 * MAX_DEPTH
"""Bytes: no shorter JSON text is too deep."""

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_NO_MARKS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def is_too_deep(text: bytes) -> bool:
    """Tell whether a JSON text nests deeper than MAX_DEPTH.

    >>> is_too_deep(b"[" * 600 + b"]" * 600), is_too_deep(b"[" * 601 + b"]" * 601)
    (False, True)
    """
    if len(text) < SHORTEST_DEEP or text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return False
    marks = _STRING.sub(b"", text).translate(None, _NO_MARKS)
    return max(accumulate(map(_STEP.__getitem__, marks)), default=0) > MAX_DEPTH


def too_deep() -> DecodeError:
    """Return the error of such a text."""
    return DecodeError("too_deep", f"nested more than {MAX_DEPTH} levels deep")

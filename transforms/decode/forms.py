"""The first bytes of an object become the form it is read in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

from schemas.errors import DecodeError
from transforms.decode.spans import split_object

HEAD_BYTES: Final = 1 << 16
"""Looked at to tell the form."""

_SQLITE: Final = b"SQLite format 3\0"
_BOM: Final = b"\xef\xbb\xbf"
_ARRAY: Final = re.compile(rb"\[\s*(?:[\]\[{\"]|\Z)")
_MARK: Final = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\.)*"|[{}\[\]"]')
_MAX_PROBED_LINES: Final = 64


class Form(Enum):
    """How an object is read; every form but LINES and SSE is read whole."""

    EMPTY = "empty"
    LINES = "lines"
    SSE = "sse"
    ARRAY = "array"
    DOCUMENT = "document"
    SQLITE = "sqlite"
    UNKNOWN = "unknown"


def form_of(head: bytes, *, is_whole: bool) -> Form:
    """Return the form of an object.

    Args:
        head: its first bytes after decompression, at least up to the first newline where there is one.
        is_whole: nothing follows the head.
    """
    if head.startswith(_SQLITE):
        return Form.SQLITE
    text = head.removeprefix(_BOM).lstrip(b" \t\r\n")
    if not text:
        return Form.EMPTY if is_whole else Form.LINES
    if b"\0" in text[:512]:
        return Form.UNKNOWN
    if _ARRAY.match(text):
        return Form.ARRAY
    first, newline, _ = text.partition(b"\n")
    if text.startswith(b"{") and (_is_object(first) or not newline):
        return Form.LINES
    if text.startswith(b"{") and _is_one_value(text, is_whole=is_whole):
        return Form.DOCUMENT
    return _form_of_lines(text)


def has_object_lines(text: bytes) -> bool:
    """Tell whether some of the first lines are JSON objects each."""
    return _form_of_lines(text) is Form.LINES


def _form_of_lines(text: bytes) -> Form:
    objects = fields = 0
    for line in _probed(text):
        if line.startswith((b"data:", b":")):
            fields += 1
        elif line.startswith(b"{") and _is_object(line):
            objects += 1
    if fields and fields >= objects:
        return Form.SSE
    return Form.LINES if objects else Form.UNKNOWN


def _probed(text: bytes) -> Iterator[bytes]:
    lines = (line for line in text[:HEAD_BYTES].splitlines() if line.strip())
    for _, line in zip(range(_MAX_PROBED_LINES), lines, strict=False):
        yield line


def _is_object(line: bytes) -> bool:
    try:
        split_object(line)
    except DecodeError as error:
        return error.reason in {"too_deep", "bad_utf8"}
    return True


def _is_one_value(text: bytes, *, is_whole: bool) -> bool:
    """Tell whether the text can be the beginning of one JSON object over many lines, or all of it."""
    depth = 0
    for match in _MARK.finditer(text, 0, HEAD_BYTES):
        mark = match.group()
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth == 0:
                return is_whole and not text[match.end() :].strip()
        elif mark == b'"':
            return not is_whole and text.find(b"\n", match.end()) < 0
    return not is_whole or depth > 0

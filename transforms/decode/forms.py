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

_SPACE: Final = b" \t\r\n"
_SQLITE: Final = b"SQLite format 3\0"
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
        head: its first bytes after decompression, without a byte order mark; where it can, it holds a whole line.
        is_whole: nothing follows the head.
    """
    if head.startswith(_SQLITE):
        return Form.SQLITE
    text = head.lstrip(_SPACE)
    if not text:
        return Form.EMPTY if is_whole else Form.LINES
    probe = head[:HEAD_BYTES].lstrip(_SPACE)
    if b"\0" in probe.partition(b"\n")[0]:
        return Form.UNKNOWN
    if _ARRAY.match(probe):
        return Form.ARRAY
    if text.startswith(b"{"):
        first, newline, _ = text.partition(b"\n")
        if not newline:
            return Form.LINES if is_whole else Form.DOCUMENT
        if _is_object(first):
            return Form.LINES
        if _may_be_one_value(probe, is_cut=not is_whole or len(head) > HEAD_BYTES):
            return Form.DOCUMENT
    return _form_of_lines(probe)


def has_object_lines(text: bytes) -> bool:
    """Tell whether some of the first lines are JSON objects each."""
    return _form_of_lines(text[:HEAD_BYTES]) is Form.LINES


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
    lines = (line for line in text.splitlines() if line.strip())
    for _, line in zip(range(_MAX_PROBED_LINES), lines, strict=False):
        yield line


def _is_object(line: bytes) -> bool:
    try:
        split_object(line)
    except DecodeError as error:
        return error.reason in {"too_deep", "bad_utf8"}
    return True


def _may_be_one_value(text: bytes, *, is_cut: bool) -> bool:
    """Tell whether a text can be one JSON object over many lines, or its beginning where it is cut."""
    depth = 0
    for match in _MARK.finditer(text):
        mark = match.group()
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth == 0:
                return not text[match.end() :].strip()
        elif mark == b'"':
            return is_cut and b"\n" not in text[match.end() :]
    return is_cut

"""Globs: a pattern becomes a folder to list and a test of what lies below it."""

from __future__ import annotations

import re
from collections.abc import Callable

_MAGIC = re.compile(r"[*?\[]")
_ANY_DEPTH = "**"


def has_magic(pattern: str) -> bool:
    """Return whether the text holds a wildcard: ``*``, ``?`` or ``[``."""
    return _MAGIC.search(pattern) is not None


def split_glob(pattern: str, is_folder: Callable[[str], bool]) -> tuple[str, list[str]]:
    """Return the folder to list, and the parts of the pattern below it.

    Args:
        is_folder: whether a folder of exactly this name exists; a part with wildcards that names one is no pattern.

    >>> split_glob("/logs/2026-*/**/*.jsonl", lambda folder: False)
    ('/logs', ['2026-*', '**', '*.jsonl'])
    """
    parts = pattern.split("/")
    last = len(parts) - 1
    first = 0
    while first < last and (not has_magic(parts[first]) or is_folder("/".join(parts[: first + 1]))):
        first += 1
    return "/".join(parts[:first]), [part for part in parts[first:] if part]


def glob_test(parts: list[str]) -> Callable[[str], int]:
    """Return a function from a relative path to the number of its leading parts that the pattern matches, 0 for none.

    A pattern that matches a folder matches what lies in it, as a shell's expansion would: hence leading parts.
    ``**`` stands for any number of folders. A wildcard meets no name that begins with ``.`` or ``_`` unless the
    pattern's part begins so too.

    >>> test = glob_test(["**", "*.jsonl"])
    >>> test("a.jsonl"), test("x/y/a.jsonl"), test("x/a.csv"), test("x/_b.jsonl")
    (1, 3, 0, 0)
    """
    expression = re.compile("".join(_part_expression(part) for part in parts) + "(?=/|$)")

    def matched_parts(path: str) -> int:
        match = expression.match("/" + path)
        return match.group().count("/") if match else 0

    return matched_parts


def _part_expression(part: str) -> str:
    if part == _ANY_DEPTH:
        return r"(?:/(?![._])[^/]+)*"
    guard = "" if part[0] in "._" else r"(?![._])"
    return "/" + guard + "".join(_pieces(part))


def _pieces(part: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(part):
        character = part[at]
        close = part.find("]", at + 2)
        if character == "[" and close > 0:
            pieces.append(_choice(part[at + 1 : close]))
            at = close + 1
            continue
        pieces.append({"*": "[^/]*", "?": "[^/]"}.get(character) or re.escape(character))
        at += 1
    return pieces


def _choice(inside: str) -> str:
    """Return the expression of ``[...]``: ``!`` first negates, ``-`` is a range."""
    negated = inside[0] == "!"
    body = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[negated:])
    return f"[^/{body}]" if negated else f"[{body}]"

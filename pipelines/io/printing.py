"""Printing: results go to stdout as lines or as one JSON document, in colour on a terminal only."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable

from schemas.events import Json
from transforms.jsontext import dumps

_CODES = {
    "lane": "34",
    "run": "1",
    "head": "1;32",
    "status": "32",
    "bad": "31",
    "time": "2",
    "user": "36",
    "call": "33",
}


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout; letters that it cannot show become question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "replace").decode(encoding) + "\n")


def print_json(value: Json) -> None:
    """Write one JSON document to stdout."""
    print_lines([dumps(value)])


def terminal_width() -> int | None:
    """Return the columns of the terminal; None where stdout is none, so that a file gets whole lines."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def painter() -> Callable[[str, str], str]:
    """Return what colours (kind, text): nothing where stdout is no terminal or NO_COLOR is set (no-color.org)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return lambda _, text: text
    return _paint


def _paint(kind: str, text: str) -> str:
    code = _CODES.get(kind)
    return f"\x1b[{code}m{text}\x1b[0m" if code else text

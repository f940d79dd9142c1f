"""Terminal text: any text becomes one line of a known width that cannot steer the terminal."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


def one_line(text: str) -> str:
    r"""Return the text on one line: control characters become spaces, format characters (bidi marks) go.

    >>> one_line("a\n\x1b[31mb")
    'a [31mb'
    """
    return " ".join("".join(_shown(letter) for letter in text).split())


def cells(text: str) -> int:
    r"""Return how many columns a text takes: wide letters take two, combining marks none.

    >>> cells("ab"), cells("日本"), cells("e\u0301")
    (2, 4, 1)
    """
    return len(text) if text.isascii() else sum(_letter_cells(letter) for letter in text)


def shorten(text: str, width: int) -> str:
    """Return the text in at most so many columns, an ellipsis for what is cut.

    >>> shorten("conversation", 8), shorten("short", 8), shorten("日本語", 4)
    ('convers…', 'short', '日…')
    """
    if cells(text) <= width:
        return text
    taken = 0
    for index, letter in enumerate(text):
        taken += _letter_cells(letter)
        if taken > width - 1:
            return text[:index].rstrip() + ELLIPSIS if width > 0 else ""
    return text


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    category = unicodedata.category(letter)
    return letter if letter == _ZERO_WIDTH_JOINER else "" if category == "Cf" else " "


def _letter_cells(letter: str) -> int:
    if unicodedata.combining(letter) or letter == _ZERO_WIDTH_JOINER:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1

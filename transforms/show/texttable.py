"""Text table: columns and rows become lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.jsontext import dumps
from transforms.show.plain import plain
from transforms.show.terminal import cells, one_line, shorten

NULL = "NULL"
MAX_CELL = 60
MIN_CELL = 8
_GAP = "  "


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None = None) -> list[str]:
    r"""Return a header, a rule and a line for each row; numbers stand right.

    Args:
        columns: their names.
        rows: values as a database gives them; None is shown as NULL.
        width: columns of the terminal: the widest cells are cut until a line fits, down to
            `MIN_CELL`. None for no limit.

    >>> print("\n".join(table_lines(["thread", "runs"], [["t-1", 3], [None, 12]])))
    thread  runs
    ------  ----
    t-1        3
    NULL      12
    """
    texts = [[cell_text(value) for value in row] for row in rows]
    natural = [max(map(cells, column)) for column in zip(columns, *texts, strict=True)]
    widths = _fitted([min(cell, MAX_CELL) for cell in natural], width)
    is_right = [_is_numeric([row[index] for row in rows]) for index in range(len(columns))]
    body = [_line(row, widths, is_right) for row in texts]
    return [_line(columns, widths, is_right), _GAP.join("-" * cell for cell in widths), *body]


def cell_text(value: object) -> str:
    r"""Return a value on one line.

    >>> cell_text(None), cell_text(True), cell_text(["a", 1]), cell_text("two\nlines")
    ('NULL', 'true', '["a",1]', 'two lines')
    """
    simple = plain(value)
    if simple is None:
        return NULL
    return one_line(simple if isinstance(simple, str) else dumps(simple))


def _fitted(widths: list[int], width: int | None) -> list[int]:
    if width is None or not widths:
        return widths
    fitted = list(widths)
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(fitted) > room and max(fitted) > MIN_CELL:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _is_numeric(values: list[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(plain(value), int | float) and not isinstance(value, bool) for value in known)


def _line(texts: Sequence[str], widths: list[int], is_right: list[bool]) -> str:
    return _GAP.join(map(_padded, texts, widths, is_right)).rstrip()


def _padded(text: str, width: int, is_right: bool) -> str:  # noqa: FBT001 - private, mapped over
    shown = shorten(text, width)
    space = " " * (width - cells(shown))
    return space + shown if is_right else shown + space

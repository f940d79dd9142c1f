from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.show.plain import plain
from transforms.show.terminal import cells, one_line, shorten
from transforms.show.texttable import MIN_CELL, table_lines


def test_null_is_told_from_text_and_numbers_stand_right():
    rows = [["a", 1, None, True], ["NULL", 20, 0.5, False]]
    assert table_lines(["text", "n", "x", "flag"], rows) == [
        "text   n     x  flag",
        "----  --  ----  -----",
        "a      1  NULL  true",
        "NULL  20   0.5  false",
    ]


def test_zero_is_a_number():
    assert table_lines(["count"], [[0]])[-1] == "    0"


def test_no_rows_leave_a_header():
    assert table_lines(["a", "bc"], []) == ["a  bc", "-  --"]


def test_wide_letters_keep_the_columns_straight():
    assert table_lines(["a", "b"], [["日本", "x"], ["abc", "y"]])[2:] == ["日本  x", "abc   y"]


@given(st.lists(st.lists(st.none() | st.text(max_size=200), min_size=3, max_size=3), max_size=5), st.integers(30, 200))
def test_every_line_fits_the_terminal(rows, width):
    lines = table_lines(["a", "b", "c"], rows, width)
    assert len(lines) == 2 + len(rows)
    assert all(cells(line) <= max(width, 3 * MIN_CELL + 4) for line in lines)
    assert all(len(line.splitlines()) <= 1 for line in lines)


@given(st.text(st.characters(codec=None)), st.integers(0, 20))
def test_shortened_text_is_never_too_wide(text, width):
    assert cells(shorten(text, width)) <= width


def test_a_line_cannot_steer_the_terminal():
    assert one_line("a\x1b[2Jb\u202ec\r\n\td\u0000") == "a [2Jbc d"
    assert one_line("family 👨\u200d👩") == "family 👨\u200d👩"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (2**100, 2**100),
        (1.5, 1.5),
        (float("inf"), None),
        (Decimal(12), 12),
        (Decimal("1.25"), 1.25),
        (Decimal("NaN"), None),
        (date(2026, 11, 29), "2026-11-29"),
        (datetime(2026, 11, 29, 1, 2, 3, 4), "2026-11-29T01:02:03.000004"),  # noqa: DTZ001 - a time without zone
        (datetime(2026, 11, 29, 1, tzinfo=ZoneInfo("Asia/Tokyo")), "2026-11-28T16:00:00Z"),
        (datetime(2026, 11, 29, 1, tzinfo=UTC), "2026-11-29T01:00:00Z"),
        (b"\xff", "/w=="),
        ({"a": (1, {date(2026, 1, 1): None})}, {"a": [1, {'"2026-01-01"': None}]}),
    ],
)
def test_a_value_becomes_what_json_can_hold(value, expected):
    assert plain(value) == expected

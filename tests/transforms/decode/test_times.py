import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.decode.times import micros

MOMENTS = st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2099, 12, 31), timezones=st.just(dt.UTC))  # noqa: DTZ001


def us(moment):
    return (moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


@given(MOMENTS)
def test_the_unit_is_told_by_size(moment):
    at_us = us(moment)
    assert micros(at_us) == micros(at_us * 1000 + 999) == at_us
    assert micros(at_us // 1000) == at_us // 1000 * 1000
    assert micros(at_us // 1_000_000) == at_us // 1_000_000 * 1_000_000


@given(MOMENTS)
def test_float_seconds_keep_microseconds(moment):
    assert micros(us(moment) / 1_000_000) == us(moment)


@given(MOMENTS)
def test_iso_text_is_read(moment):
    assert micros(moment.isoformat()) == micros(moment.isoformat().replace("+00:00", "Z")) == us(moment)
    assert micros(moment.replace(tzinfo=None).isoformat(" ")) == us(moment)


@pytest.mark.parametrize(
    ("stamp", "at_us"),
    [
        ("1790000000000", 1_790_000_000_000_000),
        ("1790000000.25", 1_790_000_000_250_000),
        ("2026-09-21T14:13:20.123456789Z", 1_790_000_000_123_456),
        ("2026-09-21T16:13:20+02:00", 1_790_000_000_000_000),
    ],
)
def test_text_of_numbers_and_zones(stamp, at_us):
    assert micros(stamp) == at_us


@pytest.mark.parametrize(
    "stamp",
    [None, True, 0, -1, 27052.43, 10**30, 1e400, float("nan"), "", "soon", "nan", "9" * 5000, "1999-01-01", [], {}],
)
def test_nonsense_is_no_time(stamp):
    assert micros(stamp) is None

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Source
from transforms.decode.pathdate import object_time, path_date

DAY_US = 1_796_083_200_000_000


@pytest.mark.parametrize(
    ("uri", "day"),
    [
        ("s3://b/dt=2026-12-01/x", "2026-12-01"),
        ("s3://b/date=2026-12-01/hour=03/x", "2026-12-01"),
        ("/b/2026-12-01/x", "2026-12-01"),
        ("/b/2026/12/01/x", "2026-12-01"),
        ("/b/year=2026/month=12/day=01/x", "2026-12-01"),
        ("/backup/2027-01-01/dt=2026-12-01/x", "2026-12-01"),
        ("/b/dt=2026-02-30/x", None),
        ("/dt=2026-12-01/b/dt=2026-02-30/x", "2026-12-01"),
        ("/b/2026/13/01/x", None),
        ("/b/v2026-12-01/x", None),
        ("/b/2026-12-01.jsonl", None),
        ("/b/2026/12/01.jsonl", None),
        ("/b/12/01/x", None),
        ("", None),
    ],
)
def test_a_date_is_a_folder_or_three(uri, day):
    assert path_date(uri) == day


@given(st.text(alphabet="0123456789-/=dt.", max_size=40))
def test_any_key_gives_a_day_or_none(uri):
    day = path_date(uri)
    assert day is None or len(day) == 10


@pytest.mark.parametrize(
    ("source", "time"),
    [
        (Source("/dt=2026-11-30/x", 0, modified_us=5, fields={"date": "2026-12-01"}), (DAY_US, "path")),
        (Source("/dt=2026-12-01/x", 0, modified_us=5), (DAY_US, "path")),
        (Source("/dt=1969-12-01/x", 0, modified_us=5), (5, "object")),
        (Source("/x", 0, modified_us=5), (5, "object")),
        (Source("/x", 0), (None, None)),
    ],
)
def test_the_pattern_comes_first_and_the_clock_of_the_storage_last(source, time):
    assert object_time(source) == time

from hypothesis import given
from hypothesis import strategies as st

from transforms.decode.order import natural_key


def test_numbers_count():
    keys = ["part-10", "part-2", "2026-11-30/part-1", "2026-2-1/part-1", "part"]
    assert sorted(keys, key=natural_key) == ["2026-2-1/part-1", "2026-11-30/part-1", "part", "part-2", "part-10"]


@given(st.lists(st.text(st.sampled_from("a-/.0129٣²é"))))
def test_any_keys_can_be_compared(keys):
    once = sorted(keys, key=natural_key)
    assert sorted(once, key=natural_key) == once

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.decode.depth import MAX_DEPTH, is_too_deep


def nested(levels, mark="[]", inside="1"):
    return (mark[0] * levels + inside + mark[1] * levels).encode()


@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 1, 50_000])
def test_the_limit_is_exact(levels):
    assert is_too_deep(nested(levels)) == (levels > MAX_DEPTH)
    assert is_too_deep(b'{"a":' * levels + b"1" + b"}" * levels) == (levels > MAX_DEPTH)


def test_marks_in_a_string_do_not_count():
    assert not is_too_deep(json.dumps(["[" * 5_000, '\\"[{' * 5_000]).encode())
    assert is_too_deep(nested(MAX_DEPTH + 1, inside=json.dumps("]" * 5_000)))


def test_a_text_that_is_cut_off_is_too_deep_too():
    assert is_too_deep(b"[" * 1_300)
    assert is_too_deep(b"[" * 1_300 + b'"]]]]')
    assert not is_too_deep(b"]" * 5_000)


@given(st.text('[]{}"\\a', max_size=40))
def test_any_text_around_is_no_trouble(text):
    string = json.dumps(text).encode()
    assert is_too_deep(b"[" * 600 + string + b"]" * 600) is False
    assert is_too_deep(b"[" * 601 + string + b"]" * 601) is True

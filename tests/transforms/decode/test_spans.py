import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import DecodeError
from transforms.decode.spans import split_array, split_object

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
SURROGATE = {"\ud83d": "\ude00"}


@given(st.dictionaries(st.text(), JSON), st.booleans(), st.sampled_from([None, 2]))
def test_an_object_is_its_parts(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert {key: json.loads(part) for key, part in split_object(text).items()} == value


@given(st.lists(JSON))
def test_an_array_is_its_elements(value):
    odd = [*value, SURROGATE]
    assert [json.loads(part) for part in split_array(json.dumps(value).encode())] == value
    assert [json.loads(part) for part in split_array(json.dumps(odd, indent=1).encode())] == odd


def test_parts_are_untouched():
    text = rb'{ "a" : {"x" : "\ud83d" }, "b": [1.0, 1e2 ] }'
    assert split_object(text) == {"a": rb'{"x" : "\ud83d" }', "b": b"[1.0, 1e2 ]"}


def test_the_last_of_equal_keys_wins():
    assert split_object(b'{"a":1,"a":2}') == {"a": b"2"}
    assert split_object(rb'{"a":"\ud83d","a":2}') == {"a": b"2"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[1]", "not_object"),
        (b"7", "not_object"),
        (b"", "not_json"),
        (b"{", "not_json"),
        (b'{"a":1}x', "not_json"),
        (b'{"a":NaN}', "not_json"),
        (b'{"a" 1}', "not_json"),
        (b"{1:2}", "not_json"),
        (b'{"a":"\xff"}', "bad_utf8"),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
        (rb'{"b":"\ud83d","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
    ],
)
def test_what_is_no_object_says_why(text, reason):
    with pytest.raises(DecodeError) as caught:
        split_object(text)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "count", "reason"),
    [
        (b'[{"a":1},{"b', 1, "torn"),
        (b'[{"a":1},', 1, "torn"),
        (b'[{"a":1},oops]', 1, "not_json"),
        (b'[{"a":1}] x', 1, "not_json"),
        (b"{}", 0, "not_json"),
        (rb'["\ud83d", "' + b'\xff"]', 0, "bad_utf8"),
    ],
)
def test_a_damaged_array_gives_what_lies_before(text, count, reason):
    found = []
    with pytest.raises(DecodeError) as caught:
        found.extend(split_array(text))
    assert (len(found), caught.value.reason) == (count, reason)


@given(st.lists(st.sampled_from([b"{}", b"1", b'"a,b"', b"[1,2]", b'{"a": [1]}', b'"\xc3\xa9"', rb'"\ud83d"'])))
def test_a_minced_array_gives_the_same_elements(elements):
    text = b"[" + b" , ".join(elements) + b"]"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("transforms.decode.spans._MINCED_FROM_BYTES", 0)
        patch.setattr("transforms.decode.spans._BYTES_A_COMMA", 1_000)
        minced = list(split_array(text))
    assert minced == list(split_array(text)) == elements

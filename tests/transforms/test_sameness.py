import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.sameness import same_json

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3, width=16) | st.text("ab1", max_size=2)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner))


def spelled(value):
    """JSON text in which equal values look alike: sorted keys, 1 for 1.0."""
    if isinstance(value, dict):
        value = {key: json.loads(spelled(item)) for key, item in value.items()}
    elif isinstance(value, list):
        value = [json.loads(spelled(item)) for item in value]
    elif isinstance(value, float) and value == int(value):
        value = int(value)
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (True, 1),
        (False, 0),
        (1.0, True),
        ([True], [1]),
        ({"a": {"b": False}}, {"a": {"b": 0}}),
        (None, False),
        ("1", 1),
    ],
)
def test_python_equals_that_json_does_not(one, two):
    assert not same_json(one, two)
    assert not same_json(two, one)


@pytest.mark.parametrize(
    ("one", "two"), [(1, 1.0), ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}), ([], []), ("\ud83d", "\ud83d")]
)
def test_equal_values_that_are_written_differently(one, two):
    assert same_json(one, two)


@given(values, values)
def test_agrees_with_normalised_text(one, two):
    assert same_json(one, two) == (spelled(one) == spelled(two))
    assert same_json(one, json.loads(json.dumps(one)))


def test_values_deeper_than_the_stack_are_compared():
    def nest(leaf):
        value = leaf
        for _ in range(20_000):
            value = [value]
        return value

    assert same_json(nest(1), nest(1.0))
    assert not same_json(nest(1), nest(True))

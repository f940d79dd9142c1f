import copy
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.view import View
from tests.random_json import random_patch, random_state
from transforms.fold.growth import Owned
from transforms.fold.operation import PatchError
from transforms.fold.patch import apply_patch
from transforms.fold.reducer import Fold
from transforms.sameness import same_json


def op(name, path, *value, **keys):
    return {"op": name, "path": path, **({"value": value[0]} if value else {}), **keys}


@pytest.mark.parametrize(
    ("document", "operations", "expected"),
    [
        ({"a": 1}, [op("replace", "", [1])], [1]),
        ({"a": 1}, [op("remove", "")], None),
        ({"a": [1, 2]}, [op("add", "/a/01", 9)], {"a": [1, 9, 2]}),
        ({"a": [1, 2]}, [op("add", "/a/", 9)], {"a": [9, 1, 2]}),
        ({"a": [1, 2]}, [op("add", "/a/4294967295", 9)], {"a": [1, 9, 2]}),
        ({"a": [1, 2]}, [op("test", "/a/01", 2)], {"a": [1, 2]}),
        ({"a": [1]}, [op("copy", "/a/7", **{"from": "/a/0"})], {"a": [1, 1]}),
        ({"a": [1, 2]}, [op("move", "/a/-", **{"from": "/a/0"})], {"a": [2, 1]}),
        ({"a": 1}, [op("copy", "/z", **{"from": "a"})], {"a": 1, "z": None}),
        ({"a": 1}, [op("remove", "/toString")], {"a": 1}),
        ({"a": 1}, [op("replace", "/toString", 2)], {"a": 1, "toString": 2}),
        ({"a/b": 1, "c~d": 2}, [op("replace", "/a~1b", 9), op("remove", "/c~0d")], {"a/b": 9}),
        (5, [op("add", "/a", 1)], 5),
        ("xy", [op("copy", "", **{"from": "/1"})], "y"),
        ({"\ud83d": 1}, [op("replace", "/\ud83d", 2)], {"\ud83d": 2}),
    ],
)
def test_what_the_reference_accepts(document, operations, expected):
    assert same_json(apply_patch(document, operations), expected)


@pytest.mark.parametrize(
    "operations",
    [
        [op("replace", "/a/01", 9)],
        [op("remove", "/a/-")],
        [op("add", "/a/3", 9)],
        [op("add", "/a/x", 9)],
        [op("add", "/q/r", 9)],
        [op("add", "/b")],
        [op("Add", "/b", 1)],
        [op("add", "/__proto__/x", 1)],
        [op("add", "/constructor/prototype", 1)],
        [op("move", "/o/k/x", **{"from": "/o"})],
        [op("move", "/a", **{"from": ""})],
        [op("copy", "/z", **{"from": "/toString"})],
        [op("add", "b", 1)],
        [["add", "/b", 1]],
        op("add", "/b", 1),
        None,
    ],
)
def test_what_the_reference_refuses(operations):
    document = {"a": [1, 2], "o": {"k": {}}}
    with pytest.raises(PatchError) as caught:
        apply_patch(document, operations)
    assert caught.value.kind == "bad_patch"
    assert document == {"a": [1, 2], "o": {"k": {}}}


@pytest.mark.parametrize("value", [True, "1", None, [1]])
def test_a_test_compares_as_json(value):
    with pytest.raises(PatchError) as caught:
        apply_patch({"a": 1}, [op("test", "/a", value)])
    assert caught.value.kind == "failed_test"
    assert apply_patch({"a": 1}, [op("test", "/a", 1.0)]) == {"a": 1}


@given(st.integers(0, 10**9))
def test_a_refused_patch_leaves_no_trace(seed):
    rng = Random(seed)
    document, operations = random_state(rng), random_patch(rng)
    before, sent = copy.deepcopy(document), copy.deepcopy(operations)
    if isinstance(operations, list):
        operations = [*operations, op("test", "/a/nowhere", 1)]
    with pytest.raises(PatchError):
        apply_patch(document, operations)
    assert same_json(document, before)
    assert same_json(operations[:-1] if isinstance(operations, list) else operations, sent)


@given(st.integers(0, 10**9))
def test_a_shared_document_is_never_changed_and_gives_the_same(seed):
    rng = Random(seed)
    shared = random_state(rng)
    before, own, mixed, owned = copy.deepcopy(shared), copy.deepcopy(shared), shared, Owned()
    for _ in range(5):
        operations = random_patch(rng)
        try:
            own = apply_patch(own, operations)
        except PatchError:
            with pytest.raises(PatchError):
                apply_patch(mixed, operations, owned)
        else:
            mixed = apply_patch(mixed, operations, owned)
        assert same_json(own, mixed)
    assert same_json(shared, before)


def test_inserted_values_are_not_shared():
    operations = [op("add", "/a", {"list": []}), op("add", "/a/list/-", 1)]
    assert apply_patch({}, operations) == apply_patch({}, operations) == {"a": {"list": [1]}}
    assert operations[0]["value"] == {"list": []}


def test_a_large_document_is_not_copied_for_each_patch():
    document = {"rows": [{"id": index, "text": "x" * 100} for index in range(40_000)]}
    rows, owned = document["rows"], Owned()
    patched = document
    for index in range(2_000):
        patched = apply_patch(patched, [op("replace", f"/rows/{index}/text", "y")], owned)
    assert document["rows"] is rows
    assert rows[0]["text"] != patched["rows"][0]["text"]
    assert patched["rows"][-1] is rows[-1]


def test_patches_agree_with_the_live_reference(reference):
    cases = []
    for seed in range(2_000):
        rng = Random(seed)
        cases.append(
            {"id": seed, "state": random_state(rng), "events": [{"type": "STATE_DELTA", "delta": random_patch(rng)}]}
        )
    found = reference.fold(cases)
    for case in cases:
        fold = Fold(View([], case["state"]))
        fold.apply(case["events"][0])
        assert same_json(fold.close().state, found[case["id"]]["state"]), json.dumps(case)

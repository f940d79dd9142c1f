import pytest

from transforms.fold import growth
from transforms.fold.growth import MAX_DEPTH, Owned, measure
from transforms.fold.operation import PatchError
from transforms.fold.patch import apply_patch


def nested(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def op(name, path, **members):
    return [{"op": name, "path": path, **members}]


def test_a_measure_tells_levels_and_bytes():
    assert measure(1).depth == 0
    assert measure(nested(50_000)).depth == 50_000
    assert measure("x" * 1_000).weight > 1_000
    assert measure([["x" * 1_000], [["y" * 9_000]]], limit=500).weight < 2_000


@pytest.mark.parametrize("name", ["add", "replace"])
def test_a_value_may_reach_down_to_the_limit_and_no_further(name):
    document = {"a": {"a": 0}}
    assert apply_patch(document, op(name, "/a/a", value=nested(MAX_DEPTH - 2)))
    with pytest.raises(PatchError):
        apply_patch(document, op(name, "/a/a", value=nested(MAX_DEPTH - 1)))


@pytest.mark.parametrize("name", ["copy", "move"])
def test_what_is_copied_or_moved_deeper_may_not_pass_it(name):
    document = {"deep": nested(MAX_DEPTH - 2), "b": {"c": {}}}
    with pytest.raises(PatchError):
        apply_patch(document, [{"op": name, "from": "/deep", "path": "/b/c/d"}])
    assert document == {"deep": nested(MAX_DEPTH - 2), "b": {"c": {}}}
    assert apply_patch(document, [{"op": name, "from": "/deep", "path": "/b/c"}])


def test_a_move_towards_the_root_is_free():
    document = {"a": {"b": nested(MAX_DEPTH)}}
    assert apply_patch(document, [{"op": "move", "from": "/a/b", "path": "/c"}])["c"] == nested(MAX_DEPTH)


def test_one_event_copies_so_much_and_no_more(monkeypatch):
    monkeypatch.setattr("transforms.fold.patch.MAX_COPIED_BYTES", 5_000)
    document = {"a": "x" * 2_000}
    copies = [{"op": "copy", "from": "/a", "path": f"/{key}"} for key in "bcd"]
    with pytest.raises(PatchError):
        apply_patch(document, copies)
    assert document.keys() == {"a"}
    assert apply_patch(document, copies[:2]).keys() == {"a", "b", "c"}


def test_a_document_that_copies_made_too_heavy_takes_no_more_of_them(monkeypatch):
    monkeypatch.setattr(growth, "MAX_COPIED_BYTES", 3_000)
    monkeypatch.setattr(growth, "MAX_DOCUMENT_BYTES", 10_000)
    document, owned, made = {"a": "x" * 1_000}, Owned(), 0
    for number in range(50):
        try:
            document = apply_patch(document, [{"op": "copy", "from": "/a", "path": f"/{number}"}], owned)
            made += 1
        except PatchError:
            break
    assert 5 < made < 20
    assert len(document) == made + 1
    with pytest.raises(PatchError):
        apply_patch(document, [{"op": "copy", "from": "/a", "path": "/more"}], owned)
    assert apply_patch(document, op("add", "/b", value=1), owned)["b"] == 1

from hypothesis import given
from hypothesis import strategies as st

from schemas.view import View
from transforms.runs.difference import difference

MESSAGE = st.fixed_dictionaries(
    {}, optional={"id": st.sampled_from("ab"), "content": st.sampled_from(["", "x", 1, True, None])}
)


def between(before, after):
    found = difference(View(before, {}), View(after, {}))
    return found.dropped, found.changed, found.same_as


def message(identity, content=""):
    return {"id": identity, "content": content}


def test_what_is_appended_is_all_there_is():
    before = [message("a"), message("b")]
    assert between(before, [*before, message("c")]) == ([], [2], {})


def test_an_edited_message_is_dropped_and_has_a_row():
    a, b, c = message("a"), message("b"), message("c")
    assert between([a, b, c], [a, message("b", "x"), c]) == ([1], [1], {})


def test_an_equal_copy_survives():
    assert between([message("a"), message("b")], [message("a"), message("b")]) == ([], [], {})


def test_true_is_no_copy_of_one():
    assert between([message("a", 1)], [message("a", True)]) == ([0], [0], {})


def test_what_moved_forward_has_a_row():
    a, b = message("a"), message("b")
    assert between([a, b], [b, a]) == ([0], [1], {})


def test_messages_without_id_are_told_apart_by_content():
    assert between([{"content": "x"}, {"content": "y"}], [{"content": "y"}]) == ([0], [], {})


def test_an_object_that_stands_twice_names_its_first_place():
    twin = message("a")
    assert between([], [twin, message("b"), twin]) == ([], [0, 1, 2], {2: 0})


def test_a_view_that_was_cleared_drops_all():
    assert between([message("a"), message("b")], []) == ([0, 1], [], {})


@given(st.lists(MESSAGE, max_size=6), st.lists(MESSAGE, max_size=6))
def test_survivors_and_rows_are_the_whole_view(before, after):
    dropped, changed, _ = between(before, after)
    survivors = iter([one for place, one in enumerate(before) if place not in dropped])
    rebuilt = [after[place] if place in changed else next(survivors) for place in range(len(after))]
    assert rebuilt == after
    assert next(survivors, None) is None

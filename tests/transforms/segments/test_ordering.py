import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import Owner
from schemas.segments import Item, Segment
from tests.threads import lines_of, segments_of
from transforms.segments.ordering import order_items

OWNER = Owner()


def item(seq, text, offset=None, run="r", **more):
    place = offset if offset is not None else (seq or 0)
    return Item(
        "TEXT_MESSAGE_CONTENT", run, place, 10, seq, target="m", text=text, first_us=place, last_us=place, **more
    )


def segment(*items, source=0):
    return Segment("t", OWNER, f"object-{source}", source, 0, 9, list(items), [])


def texts(segments):
    return [placed.item.text for placed in order_items(segments).items]


def test_seq_decides_where_every_record_has_one():
    assert texts([segment(item(2, "c", 0), item(0, "a", 1)), segment(item(1, "b", 0), source=1)]) == ["abc"]


def test_place_decides_where_one_has_none():
    assert texts([segment(item(None, "b", 0, run="x"), source=1), segment(item(7, "a", 5))]) == ["a", "b"]


def test_identical_deltas_without_seq_are_kept():
    assert texts([segment(item(None, "ha", 0), item(None, "ha", 1))]) == ["haha"]


def test_a_redelivery_is_dropped_and_counted():
    found = order_items([segment(item(0, "a"), item(1, "b")), segment(item(1, "b"), source=1)])
    assert [placed.item.text for placed in found.items] == ["ab"]
    assert (found.duplicates, found.conflicts) == ({"r": 1}, [])


def test_other_content_under_a_seq_is_a_conflict_and_the_first_is_kept():
    found = order_items([segment(item(0, "a")), segment(item(0, "z"), source=1)])
    assert [placed.item.text for placed in found.items] == ["a"]
    [letter] = found.conflicts
    assert (letter.reason, letter.uri, letter.detail) == ("seq_conflict", "object-1", "seq 0, TEXT_MESSAGE_CONTENT")


def test_joined_deltas_are_taken_apart_where_they_overlap():
    one = item(0, "abc", count=3, cuts=[1, 1, 1])
    two = item(1, "bcd", count=3, cuts=[1, 1, 1])
    found = order_items([segment(one), segment(two, source=1)])
    assert "".join(placed.item.text for placed in found.items) == "abcd"
    assert found.duplicates == {"r": 2}


def test_seq_of_a_run_is_told_from_seq_of_a_thread():
    items = [item(0, "a", 0, run="r"), item(0, "x", 1, run="s"), item(1, "b", 2, run="r"), item(1, "y", 3, run="s")]
    assert texts([segment(*items)]) == ["ab", "xy"]


def test_an_event_id_counts_once():
    found = order_items([segment(item(None, "a", 0, event_id="e"), item(None, "a", 1, event_id="e"))])
    assert [placed.item.text for placed in found.items] == ["a"]
    assert found.duplicates == {"r": 1}


@given(st.lists(st.text(max_size=3), min_size=1, max_size=12), st.integers(0, 10_000))
def test_no_cut_order_or_redelivery_changes_the_text(deltas, seed):
    rng = Random(seed)
    segments = []
    for source in range(rng.randrange(1, 5)):
        first = rng.randrange(len(deltas))
        part = deltas[first : first + rng.randrange(1, 5)]
        segments.append(segment(item(first, "".join(part), count=len(part), cuts=list(map(len, part))), source=source))
    segments.append(segment(*(item(seq, text) for seq, text in enumerate(deltas)), source=9))
    rng.shuffle(segments)
    found = order_items(segments)
    assert "".join(placed.item.text for placed in found.items) == "".join(deltas)
    assert sum(placed.item.count for placed in found.items) == len(deltas)
    assert not found.conflicts


DELTAS = st.lists(
    st.tuples(st.sampled_from("rs"), st.sampled_from("mn"), st.text("abé", max_size=2)), min_size=1, max_size=14
)


def cut(records, rng):
    """Return segments that hold a list of records: cut anywhere, one object each, some stretches delivered again."""
    stretches, first = [], 0
    while first < len(records):
        end = rng.randrange(first, len(records)) + 1
        stretches.append((first, end))
        first = end
    for _ in range(rng.randrange(4)):
        again = rng.randrange(len(records))
        stretches.append((again, rng.randrange(again, len(records)) + 1))
    return [(source, stretch) for source, stretch in enumerate(stretches)]


def built(source, lines):
    [segment] = segments_of([lines])
    segment.source, segment.uri = source, f"object-{source}"
    return segment


def flat(ordered):
    items = [placed.item for placed in ordered.items]
    return [(item.seq, item.count, item.run_id, item.target, item.text) for item in items]


@settings(deadline=None)
@given(DELTAS, st.integers(0, 10_000))
def test_any_cut_of_real_records_gives_the_items_of_one_object(deltas, seed):
    rng = Random(seed)
    lines = lines_of(
        (run, {"type": "TEXT_MESSAGE_CONTENT", "messageId": target, "delta": text}) for run, target, text in deltas
    )
    parts = cut(lines, rng)
    found = [built(source, lines[first:end]) for source, (first, end) in parts]
    again = order_items([built(source, lines[first:end]) for source, (first, end) in reversed(parts)])
    ordered, whole = order_items(found), order_items(segments_of([lines]))
    assert flat(ordered) == flat(whole) == flat(again)
    assert sum(ordered.duplicates.values()) == sum(end - first for _, (first, end) in parts) - len(lines)
    assert not ordered.conflicts
    times = [[(one.item.first_us, one.item.last_us) for one in result.items] for result in (ordered, whole)]
    assert times[0] == times[1]


def event(seq, value, source):
    raw = value if isinstance(value, bytes) else json.dumps({"type": "CUSTOM", "name": "n", "value": value}).encode()
    return segment(Item("CUSTOM", "r", 0, 10, seq, event=raw), source=source)


def test_true_is_another_content_than_one():
    found = order_items([event(0, 1, 0), event(0, True, 1)])
    assert (len(found.items), found.duplicates) == (1, {})
    assert [letter.detail for letter in found.conflicts] == ["seq 0, CUSTOM"]


def test_spaces_and_the_order_of_keys_are_no_content():
    found = order_items(
        [event(0, {"a": 1, "b": 2}, 0), event(0, b'{"name":"n","value":{"b":2,"a":1},"type":"CUSTOM"}', 1)]
    )
    assert (found.duplicates, found.conflicts) == ({"r": 1}, [])


def test_spaces_in_messages_are_no_content():
    line = b'{"threadId":"t","runId":"r","seq":0,"event":{"type":"MESSAGES_SNAPSHOT","messages":[{"id":%s"u"}]}}'
    found = order_items(segments_of([[line % b""], [line % b"  "]]))
    assert (found.duplicates, found.conflicts) == ({"r": 1}, [])


def test_what_cannot_be_read_is_equal_to_its_bytes_only():
    one, two = b'{"type":"CUSTOM","value":1e999}', b'{"type":"CUSTOM", "value":1e999}'
    assert order_items([event(0, one, 0), event(0, one, 1)]).duplicates == {"r": 1}
    assert len(order_items([event(0, one, 0), event(0, two, 1)]).conflicts) == 1


def test_a_conflict_names_no_type_that_a_log_made_up():
    found = order_items(
        [segment(Item(kind, "r", 0, 9, 0, event=b"{}"), source=place) for place, kind in enumerate(["A", "my secret"])]
    )
    assert [letter.detail for letter in found.conflicts] == ["seq 0, an unknown type"]

from hypothesis import given
from hypothesis import strategies as st

from schemas.records import DeadLetter, Owner, Record
from transforms.decode.barren import sift


def found(marks, size=10):
    """A record for each r, a dead letter for each x, one behind the other."""
    return [
        Record("t", "r", "CUSTOM", at * size, size, Owner())
        if mark == "r"
        else DeadLetter("log", at * size, size, "no_type", "d", "decode", "t", "r")
        for at, mark in enumerate(marks)
    ]


def sifted(marks, told=2, given_up=100, batch=3):
    everything = found(marks)
    batches = [everything[at : at + batch] for at in range(0, len(everything), batch)]
    return [one for part in sift(iter(batches), told, given_up) for one in part]


def shown(items):
    return [item.reason if isinstance(item, DeadLetter) else "record" for item in items]


def test_the_first_of_a_stretch_are_told_and_the_others_together():
    items = sifted("rxxxxxrxx")
    assert shown(items) == ["record", "no_type", "no_type", "barren", "record", "no_type", "no_type"]
    barren = items[3]
    assert (barren.offset, barren.size, barren.count) == (30, 30, 3)
    assert (barren.thread_id, barren.run_id) == (None, None)


def test_without_an_end_the_rest_is_not_read():
    def endless():
        yield found("r")
        while True:
            yield found("xxxx")

    items = [one for part in sift(endless(), 2, 10) for one in part]
    assert shown(items) == ["record", "no_type", "no_type", "barren"]
    assert items[-1].count == 10


@given(st.text("rx", max_size=40), st.integers(1, 5), st.integers(0, 4))
def test_every_record_is_counted_and_no_record_is_lost(marks, batch, told):
    items = sifted(marks, told, 100, batch)
    assert sum(item.count for item in items) == len(marks)
    assert [item.offset for item in items if isinstance(item, Record)] == [
        at * 10 for at, mark in enumerate(marks) if mark == "r"
    ]
    assert items == sifted(marks, told, 100, 7)
    covered = sum(item.size for item in items)
    assert covered == 10 * len(marks)

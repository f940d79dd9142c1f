from schemas.rows import RunRow, StateRow
from transforms.runs import sheets
from transforms.runs.sheets import Sheet


class Groups:
    """A file that keeps the sizes of its row groups."""

    def __init__(self, schema):
        assert schema.names
        self.sizes = []

    def add(self, group):
        self.sizes.append(group.num_rows)

    def close(self):
        return bytes(self.sizes)


def states(count, size):
    return [StateRow("", "t", run, "r", "x" * size) for run in range(count)]


def test_a_group_ends_at_so_many_rows(monkeypatch):
    monkeypatch.setattr(sheets, "GROUP_ROWS", 4)
    sheet = Sheet("states", Groups)
    sheet.add(states(6, 1))
    sheet.add(states(3, 1))
    assert (list(sheet.close()), sheet.rows) == ([4, 4, 1], 9)


def test_a_group_ends_behind_the_row_that_fills_it(monkeypatch):
    monkeypatch.setattr(sheets, "GROUP_BYTES", 100)
    sheet = Sheet("states", Groups)
    sheet.add(states(2, 40) + states(1, 500) + states(3, 60))
    assert list(sheet.close()) == [3, 2, 1]


def test_lists_of_positions_count_too(monkeypatch):
    monkeypatch.setattr(sheets, "GROUP_BYTES", 1_000)
    sheet = Sheet("runs", Groups)
    sheet.add([RunRow("", "t", run, "r", None, dropped_positions=list(range(20))) for run in range(4)])
    assert list(sheet.close()) == [2, 2]


def test_the_cut_into_calls_does_not_show(monkeypatch):
    monkeypatch.setattr(sheets, "GROUP_ROWS", 3)
    one, many = Sheet("states", Groups), Sheet("states", Groups)
    one.add(states(10, 5))
    for row in states(10, 5):
        many.add([row])
    assert one.close() == many.close()

"""What the live reference said, from a file: the same without Node."""

import os

import pytest

from schemas.view import View
from tests.conformance.judge import is_view
from tests.conformance.recorded import Stream, Thread, record, recorded
from tests.threads import compacted, through_arrow
from transforms.fold.reducer import Fold
from transforms.fold.verify import Lifecycle
from transforms.replay.forms import History


@pytest.fixture(scope="module")
def rows(request):
    if os.environ.get("GOLDEN") == "write":
        record(request.getfixturevalue("reference"))
    return recorded()


def of(rows, kind):
    found = [row for row in rows if isinstance(row, kind)]
    assert len(found) == 300
    return found


def test_the_golden_views_come_back_from_the_rows(rows):
    for thread in of(rows, Thread):
        history = History(through_arrow(compacted([line.encode() for line in thread.lines]).runs))
        assert len(history.runs) == len(thread.views)
        for ordinal, view in enumerate(thread.views):
            assert is_view(view, history.replayed(ordinal).final), (thread.seed, ordinal)


@pytest.mark.parametrize("form", ["events", "snapshot"])
def test_the_golden_views_come_back_from_a_replay(rows, form):
    for thread in of(rows, Thread):
        history = History(compacted([line.encode() for line in thread.lines]).runs)
        for ordinal, view in enumerate(thread.views):
            fold, lifecycle = Fold(View([], {})), Lifecycle()
            for event in history.form(ordinal, form):
                assert lifecycle.check(event) is None, (thread.seed, ordinal)
                fold.apply(event)
            assert is_view(view, fold.close()), (thread.seed, ordinal)


def test_the_golden_streams_stop_where_verify_events_stopped(rows):
    for stream in of(rows, Stream):
        lifecycle = Lifecycle()
        violations = [lifecycle.check(event) for event in stream.events]
        first = next((index for index, kind in enumerate(violations) if kind is not None), None)
        assert first == stream.stops_at, stream.seed

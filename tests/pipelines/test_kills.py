"""A job that is killed leaves nothing that shows: the same bytes once it is run again, and no run twice in between."""

import pytest

from tests.kills import kill_and_run_again, prepare

NIGHTS = 2


@pytest.mark.parametrize("kind", ["disk", "s3"])
def test_a_killed_night_is_run_again_to_the_same_bytes(request, tmp_path, kind, capsys):
    place = request.getfixturevalue("s3") if kind == "s3" else str(tmp_path)
    prepare(place, range(200, 220), NIGHTS)
    found = kill_and_run_again(place, NIGHTS, 6, 1)
    assert found.kills >= 1
    assert found.readings > 2
    assert (found.faults, found.different) == ([], [])

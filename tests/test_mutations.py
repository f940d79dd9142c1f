"""The list of deliberate faults keeps up with the code; `make mutants` puts them in."""

from collections import Counter
from pathlib import Path

import pytest

from tests.mutations.faults import FAULTS

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.path}: {fault.means}")
def test_a_fault_changes_one_place(fault):
    assert (ROOT / fault.path).read_text("utf-8").count(fault.was) == 1
    assert fault.was != fault.becomes


def test_every_room_has_ten_faults():
    rooms = Counter(fault.path.split("/")[1] for fault in FAULTS)
    assert min(rooms[room] for room in ("fold", "runs", "replay")) >= 10

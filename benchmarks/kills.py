"""Kill the nightly job at random moments, on a disk and in a store, and say what a reader and a second run found.

python benchmarks/kills.py KILLS [disk|s3]
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.kills import kill_and_run_again, prepare
from tests.seaweed import serving, variables

NIGHTS = 4
KILLS_A_LAKE = 20


def main(kills: int, kinds: list[str]) -> int:
    """Print the figures of each kind of place; 1 where anything was wrong."""
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        if "disk" in kinds:
            wrong |= judge("disk", f"{folder}/disk", kills)
        if "s3" in kinds:
            server = Path(folder, "seaweed")
            server.mkdir()
            with serving(server) as endpoint:
                os.environ.update(variables(endpoint))
                wrong |= judge("s3", "s3://threadlake/kills", kills)
    return int(wrong)


def judge(kind: str, place: str, kills: int) -> bool:
    """Kill so often, in several lakes; print and tell whether anything was wrong."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        prepare(place, range(300, 360), NIGHTS)
    done = readings = seed = 0
    faults: list[str] = []
    while done < kills:
        seed += 1
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            found = kill_and_run_again(place, NIGHTS, KILLS_A_LAKE, seed)
        done, readings = done + found.kills, readings + found.readings
        faults += [*found.faults, *(f"differs: {path}" for path in found.different)]
    print(f"{kind}: {done} kills over {seed * NIGHTS} nights, {readings} readings, {len(faults)} faults {faults[:5]}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:] or ["disk", "s3"]))

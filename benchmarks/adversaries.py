"""Hostile inputs at full size: the time and memory that the job takes for each, beside an ordinary log.

    python benchmarks/adversaries.py [--only NAME ...] [--scale 1.0] [--seconds 180] [--mib 4096]

Each is written, compacted and checked in processes of its own, none of which may outlive its time or outgrow its
address space. The peak is what the compaction had in memory; the outcome ``stands`` means that its check passed.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.adversaries.catalogue import ADVERSARIES as CATALOGUE  # noqa: E402 - found through the line above
from tests.adversaries.outcome import Outcome  # noqa: E402 - as above

ADVERSARIES: Final = {adversary.name: adversary for adversary in CATALOGUE}
ORDINARY: Final = "(ordinary)"
_CLI: Final = [sys.executable, "-m", "pipelines"]
_SELF: Final = [sys.executable, str(Path(__file__).resolve())]


class Bounds(NamedTuple):
    """What a process may take."""

    seconds: float
    mib: int


class Used(NamedTuple):
    """What a process took; a negative status is the signal that ended it."""

    status: int
    seconds: float
    mib: float


def run_bounded(command: list[str], bounds: Bounds, log: Path) -> Used:
    """Run a command to its end, or to the end of its bounds."""
    began = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, start_new_session=True)
    resource.prlimit(process.pid, resource.RLIMIT_AS, (bounds.mib << 20, bounds.mib << 20))
    timer = threading.Timer(bounds.seconds, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        _, status, used = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Used(process.returncode, time.monotonic() - began, used.ru_maxrss / 1024)


def measure(name: str, scale: float, bounds: Bounds, folder: Path) -> str:
    """Return one line of the table."""
    raw, lake, log = folder / "raw" / name, folder / "lake", folder / "log"
    if name == ORDINARY:
        write = [*_CLI, "sample", "--threads", "60", "--seed", "7", "--out", str(raw)]
    else:
        write = [*_SELF, "--scale", str(scale), "--write", name, str(raw)]
    written = run_bounded(write, bounds, log)
    size = sum(path.stat().st_size for path in raw.rglob("*") if path.is_file())
    if written.status != 0:
        return _row(name, size, written, f"could not be written: {_last_line(log)}")
    used = run_bounded([*_CLI, "compact", str(raw), "--lake", str(lake), "--json"], bounds, log)
    if used.status == -signal.SIGKILL:
        return _row(name, size, used, "killed: it ran too long")
    if used.status not in (0, 1):
        return _row(name, size, used, f"the job failed (exit {used.status})")
    if name == ORDINARY:
        return _row(name, size, used, "baseline")
    checked = run_bounded([*_SELF, "--scale", str(scale), "--check", name, str(lake)], bounds, log)
    return _row(name, size, used, "stands" if checked.status == 0 else f"wrong: {_last_line(log)}")


def _row(name: str, size: int, used: Used, outcome: str) -> str:
    return f"{name:<16} {size:>13,} {used.seconds:>8.1f} {used.mib:>9,.0f}  {outcome}"


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return lines[-1][:100] if lines else ""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(ADVERSARIES), metavar="NAME")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--mib", type=int, default=4096)
    parser.add_argument("--write", nargs=2, metavar=("NAME", "FOLDER"), help="write one, and end")
    parser.add_argument("--check", nargs=2, metavar=("NAME", "LAKE"), help="check what came of one, and end")
    args = parser.parse_args()
    if args.write:
        ADVERSARIES[args.write[0]].write(Path(args.write[1]), args.scale)
        return 0
    if args.check:
        ADVERSARIES[args.check[0]].check(Outcome(Path(args.check[1])), args.scale)
        return 0
    print(f"{'name':<16} {'input bytes':>13} {'seconds':>8} {'peak MiB':>9}  outcome")
    for name in (ORDINARY, *(args.only or ADVERSARIES)):
        with tempfile.TemporaryDirectory() as folder:
            print(measure(name, args.scale, Bounds(args.seconds, args.mib), Path(folder)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

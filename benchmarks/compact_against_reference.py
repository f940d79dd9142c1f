"""The compaction job beside the published compactEvents on one sample log: CPU, wall and memory, in alternation.

    python benchmarks/compact_against_reference.py [--threads 800] [--rounds 3]

What the peer does not do: order by seq, drop redeliveries, follow branches, keep inputs recoverable, check that the
view is unchanged, write Parquet. It reads, parses, groups by thread, compacts and writes NDJSON, in one process, as
ours does.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def measure(command: list[str]) -> dict[str, float]:
    """Return a command's CPU and wall seconds and its peak memory in MiB."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"failed: {' '.join(command)}")
    return {
        "cpu": used.ru_utime + used.ru_stime,
        "wall": time.monotonic() - began,
        "mib": used.ru_maxrss / 1024,
    }


def run(threads: int, rounds: int, folder: Path) -> dict[str, object]:
    """Return the figures of both over several rounds, and the ratio of each pair."""
    raw, lake, other = folder / "raw", folder / "lake", folder / "peer.ndjson"
    cli = [sys.executable, "-m", "pipelines"]
    subprocess.run([*cli, "sample", "--threads", str(threads), "--out", str(raw)], cwd=ROOT, check=True)
    ours, peers = [], []
    for _ in range(rounds):
        shutil.rmtree(lake, ignore_errors=True)
        ours.append(measure([*cli, "compact", str(raw), "--lake", str(lake), "--json"]))
        peers.append(measure(["node", str(ROOT / "tests/reference/compact.mjs"), str(raw), str(other)]))
    return {
        "raw_bytes": sum(file.stat().st_size for file in raw.rglob("*.ndjson")),
        "lake_bytes": sum(file.stat().st_size for file in lake.rglob("*.parquet")),
        "peer_bytes": other.stat().st_size,
        "ours": {name: statistics.median(one[name] for one in ours) for name in ours[0]},
        "peer": {name: statistics.median(one[name] for one in peers) for name in peers[0]},
        "cpu_ratios": [round(one["cpu"] / two["cpu"], 3) for one, two in zip(ours, peers, strict=True)],
    }


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=800)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    from reference_client import install  # noqa: PLC0415 - found through the line above

    reason = install()
    if reason is not None:
        print(f"no peer: {reason}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(run(args.threads, args.rounds, Path(folder)), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())

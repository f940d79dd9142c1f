"""``threadlake verify``: is a lake what its commits say, and what its raw logs give."""

from __future__ import annotations

import argparse
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.rows import RunRows
    from transforms.audit.threads import Fingerprint

_SAMPLE = 20
_SHOWN = 50


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``verify``."""
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument(
        "--against-raw",
        choices=("none", "sample", "full"),
        default="sample",
        help=f"which threads to compact again from their raw objects: none, {_SAMPLE} (the default) or all",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.epilog = (
        "checks files, checksums, rows, order, totals, parents and views; writes nothing\n"
        "exit status: 0 nothing found, 1 findings, 2 a usage error or no lake"
    )


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 where there are any."""
    from pipelines.io.audit import lake_findings
    from pipelines.io.lake import Lake
    from pipelines.io.printing import print_json, print_lines
    from pipelines.io.rawaudit import plan_findings
    from transforms.audit.threads import fingerprint
    from transforms.show.findings import finding_lines, findings_document

    lake = Lake.open(args.lake)
    threads: dict[tuple[str, str], list[Fingerprint]] = {}

    def keep(thread: list[RunRows]) -> None:
        threads[thread[0].run.tenant_id, thread[0].run.thread_id] = [fingerprint(rows) for rows in thread]
        if args.against_raw == "sample" and len(threads) > _SAMPLE:
            del threads[max(threads, key=_draw)]

    reads_raw = args.against_raw != "none"
    found = list(lake_findings(lake, keep if reads_raw else lambda _: None))
    if reads_raw and not any(one.kind == "no_plan" for one in found):
        found += plan_findings(lake, threads)
    totals = [commit.totals for commit in lake.commits()]
    if args.json:
        print_json(findings_document(found, totals, len(threads)))
    else:
        print_lines(finding_lines(found, totals, len(threads), _SHOWN))
    return 1 if found else 0


def _draw(thread: tuple[str, str]) -> bytes:
    """Return what decides which threads are the sample: the same ones each time, and no others than by chance."""
    return blake2b("\0".join(thread).encode("utf-8", "surrogatepass"), digest_size=8).digest()

"""``threadlake verify``: is a lake what its commits say, and what its raw logs give."""

from __future__ import annotations

import argparse
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
    commits = lake.commits()
    threads: dict[tuple[str, str], list[Fingerprint]] = {}

    def keep(thread: list[RunRows]) -> None:
        key = thread[0].run.tenant_id, thread[0].run.thread_id
        if args.against_raw == "sample" and len(threads) == _SAMPLE:
            last = max(threads, key=_draw)
            if _draw(key) > _draw(last):
                return
            del threads[last]
        threads[key] = [fingerprint(rows) for rows in thread]

    reads_raw = args.against_raw != "none"
    found = list(lake_findings(lake, commits, keep if reads_raw else lambda _: None))
    if reads_raw and not any(one.kind == "no_plan" for one in found):
        found += plan_findings(lake, commits, threads)
    totals = [commit.totals for commit in commits]
    if args.json:
        print_json(findings_document(found, totals, len(threads)))
    else:
        print_lines(finding_lines(found, totals, len(threads), _SHOWN))
    return 1 if found else 0


def _draw(thread: tuple[str, str]) -> int:
    """Return what decides which threads are the sample: the same ones each time, and no others than by chance."""
    from transforms.bucket import bucket_of

    return bucket_of(*thread, 64)

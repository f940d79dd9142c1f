"""``threadlake threads``: the lake's threads, the latest first."""

from __future__ import annotations

import argparse

_QUERY = """\
SELECT
    tenant_id, thread_id, user_ids, first_at, last_at, runs, branches, messages, tool_calls, total_tokens, last_status
FROM v_threads
WHERE $tenant IS NULL OR tenant_id = $tenant
ORDER BY last_at DESC NULLS LAST, tenant_id, thread_id
LIMIT $limit
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``threads``."""
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument("--tenant", metavar="T", help="threads of this tenant only")
    parser.add_argument("--limit", type=_count, metavar="N", help="the N latest threads; all by default")
    parser.add_argument("--json", action="store_true", help="print one JSON array, an object a thread")


def run(args: argparse.Namespace) -> int:
    """Print a row of v_threads for each thread."""
    from pipelines.io.lake import Lake
    from pipelines.io.printing import print_json, print_lines, terminal_width
    from pipelines.sql.duck import connect, query
    from transforms.show.plain import plain
    from transforms.show.texttable import table_lines

    parameters = {"tenant": args.tenant, "limit": args.limit}
    columns, rows = query(connect(Lake.open(args.lake)), _QUERY, parameters)
    if args.json:
        print_json([dict(zip(columns, plain(row), strict=True)) for row in rows])
    else:
        print_lines(table_lines(columns, rows, terminal_width()))
    return 0


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no count; give a whole number of 0 or more")
    return int(text)

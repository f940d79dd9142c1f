"""``threadlake sql``: one query over the lake's tables and views."""

from __future__ import annotations

import argparse
import sys

_EXAMPLE = """\
tables: runs, usage, messages, tool_calls, states, events, dead_letters
views:  v_threads, v_runs, v_messages, v_tool_calls, v_interrupts, v_paths

example:
  threadlake sql --lake LAKE "SELECT name, count(*) FROM v_tool_calls GROUP BY name"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``sql``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLE
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument("--json", action="store_true", help="print one JSON array, an object a row")
    parser.add_argument("query", metavar="SQL", help="the query; - reads it from stdin")


def run(args: argparse.Namespace) -> int:
    """Print the query's rows."""
    from pipelines.io.lake import Lake
    from pipelines.io.printing import print_json, print_lines, terminal_width
    from pipelines.sql.duck import connect, query
    from transforms.show.plain import plain
    from transforms.show.texttable import table_lines

    sql = sys.stdin.read() if args.query == "-" else args.query
    columns, rows = query(connect(Lake.open(args.lake)), sql)
    if args.json:
        print_json([dict(zip(columns, plain(row), strict=True)) for row in rows])
    elif columns:
        print_lines(table_lines(columns, rows, terminal_width()))
    return 0

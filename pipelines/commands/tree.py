"""``threadlake tree``: the branches of one thread, drawn."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemas.events import Json
    from transforms.show.treerun import TreeRun


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``tree``."""
    parser.add_argument("--lake", required=True, metavar="LAKE", help="local path or URL of the lake")
    parser.add_argument("--thread", required=True, metavar="ID", help="id of the thread")
    parser.add_argument("--tenant", metavar="T", help="tenant of the thread, where several have one of this id")
    parser.add_argument("--json", action="store_true", help="print one JSON document: the runs with their parents")


def run(args: argparse.Namespace) -> int:
    """Print the drawing, or the runs that it is made of."""
    from pipelines.io.lake import Lake
    from pipelines.io.printing import painter, print_json, print_lines, terminal_width
    from pipelines.io.rows import thread_rows
    from pipelines.io.threads import thread_runs
    from transforms.show.tree import draw_tree
    from transforms.show.treerun import tree_runs

    lake = Lake.open(args.lake)
    commits = lake.commits()
    runs = thread_runs(lake, args.thread, args.tenant, commits).to_pylist()
    tenant = runs[0]["tenant_id"]

    def rows(table: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = thread_rows(lake, table, args.thread, tenant, commits).to_pylist()
        return found

    tree = tree_runs(runs, rows("messages"), rows("tool_calls"))
    if args.json:
        print_json({"tenant_id": tenant, "thread_id": args.thread, "runs": [_document(node) for node in tree]})
    else:
        print_lines(draw_tree(tree, terminal_width(), painter()))
    return 0


def _document(node: TreeRun) -> Json:
    from transforms.show.plain import plain

    return {name: plain(getattr(node, name)) for name in node.__struct_fields__}

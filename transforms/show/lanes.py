"""Lanes: a tree of runs becomes columns of nodes and lines, as ``git log --graph`` draws commits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

NODE = "*"
_LINE, _ACROSS, _CROSSING = "│", "─", "┼"
_FORK, _TURN, _DOWN = "├", "╮", "┬"


class Drawn(NamedTuple):
    """One line: its lanes, and the run whose node is in it; None where branches part or a root stands apart."""

    lanes: str
    run: int | None


def draw_lanes(runs: Sequence[tuple[int, int | None]]) -> list[Drawn]:
    """Return the lines of a forest, its runs from the top down.

    Args:
        runs: (ordinal, parent or None), by ordinal; a parent comes before its children. The last run's path keeps
            the lane of its root.
    """
    children = _children(runs)
    lanes: list[int | None] = []
    drawn: list[Drawn] = []
    for run, _ in runs:
        is_root = run not in lanes
        here = _free(lanes, 0) if is_root else lanes.index(run)
        if is_root and drawn and _has_node(drawn[-1], here):
            drawn.append(Drawn(_nodes(lanes, None), None))
        _put(lanes, here, run)
        drawn.append(Drawn(_nodes(lanes, here), run))
        others = children[run][1:]
        lanes[here] = children[run][0] if children[run] else None
        if others:
            opened = _open(lanes, here, others)
            drawn.append(Drawn(_fork(lanes, here, opened), None))
    return drawn


def _children(runs: Sequence[tuple[int, int | None]]) -> dict[int, list[int]]:
    """Return each run's children, the one on the path to the last run first."""
    parents = dict(runs)
    children: dict[int, list[int]] = {run: [] for run, _ in runs}
    for run, parent in runs:
        if parent is not None:
            children[parent].append(run)
    on_path: int | None = runs[-1][0] if runs else None
    while on_path is not None:
        parent = parents[on_path]
        if parent is not None:
            children[parent].remove(on_path)
            children[parent].insert(0, on_path)
        on_path = parent
    return children


def _free(lanes: list[int | None], start: int) -> int:
    """Return the first lane from a place on that no line runs in."""
    return next((at for at in range(start, len(lanes)) if lanes[at] is None), max(start, len(lanes)))


def _put(lanes: list[int | None], at: int, run: int) -> None:
    lanes.extend([None] * (at + 1 - len(lanes)))
    lanes[at] = run


def _open(lanes: list[int | None], here: int, runs: Sequence[int]) -> list[int]:
    opened = []
    for run in runs:
        at = _free(lanes, here + 1)
        _put(lanes, at, run)
        opened.append(at)
    return opened


def _has_node(row: Drawn, at: int) -> bool:
    """Return whether a node right below would look like the child of this one."""
    return row.lanes[2 * at : 2 * at + 1] == NODE


def _nodes(lanes: list[int | None], here: int | None) -> str:
    return " ".join(NODE if at == here else _LINE if run is not None else " " for at, run in enumerate(lanes)).rstrip()


def _fork(lanes: list[int | None], here: int, opened: list[int]) -> str:
    last = max(opened)
    pieces = []
    for at, run in enumerate(lanes):
        is_between = here <= at < last
        pieces.append(_corner(at, here, opened, run is not None) + (_ACROSS if is_between else " "))
    return "".join(pieces).rstrip()


def _corner(at: int, here: int, opened: list[int], is_line: bool) -> str:  # noqa: FBT001 - private
    if at == here:
        return _FORK
    if at in opened:
        return _TURN if at == max(opened) else _DOWN
    if here < at < max(opened):
        return _CROSSING if is_line else _ACROSS
    return _LINE if is_line else " "

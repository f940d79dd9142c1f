"""Tree: the runs of a thread become a drawing of its branches, read from the top like the conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC

from transforms.show.lanes import Drawn, draw_lanes
from transforms.show.terminal import cells, one_line, shorten
from transforms.show.treerun import TreeRun

Paint = Callable[[str, str], str]
"""(kind, text) -> the text in the colour of its kind: lane, run, status, bad, time, user, assistant, call or head."""

MAX_WORDS = 48
MAX_ID = 24
_MIN_ROOM = 20


def draw_tree(runs: Sequence[TreeRun], width: int | None = None, paint: Paint = lambda _, text: text) -> list[str]:
    r"""Return the lines of the drawing: one a run, in ordinal order, and one where branches part.

    The active branch, from a root to the newest run, keeps its lane; the others leave it to the right.

    Args:
        runs: in any order, each ordinal once.
        width: columns to fill at most; None for no limit.
        paint: colours a piece of text; the default leaves it.

    >>> runs = [TreeRun(0, "a", None, "finished", user="Hi"), TreeRun(1, "b", 0, "error")]
    >>> runs.append(TreeRun(2, "c", 0, "finished"))
    >>> print("\n".join(draw_tree(runs)))
    *  #0 a  finished  "Hi"
    ├─╮
    │ *  #1 b  error
    *  #2 c  finished
    """
    ordered = sorted(runs, key=lambda run: run.run)
    known = {run.run: run for run in ordered}
    drawn = draw_lanes([(run.run, run.parent if run.parent in known else None) for run in ordered])
    return [_line(row, known, width, paint) for row in drawn]


def _line(row: Drawn, known: dict[int, TreeRun], width: int | None, paint: Paint) -> str:
    lanes = paint("lane", row.lanes)
    if row.run is None:
        return lanes
    pieces = _pieces(known[row.run])
    room = None if width is None else max(width - cells(row.lanes), _MIN_ROOM)
    return lanes + _fitted(pieces, room, paint)


def _pieces(run: TreeRun) -> list[tuple[str, str]]:
    """Return (kind, text) of what is said of a run, in order of importance."""
    name = f"#{run.run} {shorten(one_line(run.run_id or '-'), MAX_ID)}"
    pieces = [("run", name)]
    if run.is_head:
        pieces.append(("head", "(active)"))
    pieces.append(("status" if run.status == "finished" else "bad", run.status))
    if run.started_at:
        pieces.append(("time", run.started_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")))
    if run.user:
        pieces.append(("user", f'"{_words(run.user)}"'))
    if run.assistant:
        pieces.append(("assistant", f"> {_words(run.assistant)}"))
    if run.calls:
        pieces.append(("call", f"[{', '.join(one_line(name) for name in run.calls)}]"))
    return pieces


def _words(text: str) -> str:
    return shorten(one_line(text[: 4 * MAX_WORDS]), MAX_WORDS)


def _fitted(pieces: list[tuple[str, str]], room: int | None, paint: Paint) -> str:
    line = ""
    left = room
    for kind, text in pieces:
        shown = text if left is None else shorten(text, left - 2)
        if not shown:
            break
        line += "  " + paint(kind, shown)
        left = None if left is None else left - cells(shown) - 2
    return line

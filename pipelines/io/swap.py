"""A swap: files that are staged below the lake take the place of others, all of them, even if the job dies over it.

::

    _staged/<night>/runs/dt=…/….parquet.staged     whole, and read by nobody
    _staged/<night>/swap.json                      from here on it is decided: whoever holds the lease next ends it

Files lose rows before others gain them, so that no glob meets a run twice; it may miss one for the moment of the swap.
"""

from __future__ import annotations

import msgspec

from pipelines.io.lake import Lake
from schemas.lake import Commit

FOLDER = "_staged"
_END = ".staged"
_DECISION = "swap.json"
STAGED_COMMIT = "commit.json"
"""What the commit of a rebuild is staged as."""


class Swap(msgspec.Struct, frozen=True):
    """What is to be done, in this order.

    Args:
        shrunk: files that are replaced by others with fewer rows.
        deleted: files that go.
        added: files that are new.
        commits: records of nights as they are afterwards; the last one is new.
    """

    shrunk: list[str]
    deleted: list[str]
    added: list[str]
    commits: list[Commit]


def staged_path(night: str, path: str) -> str:
    """Return where a file waits to take its place; its name ends like no table's.

    >>> staged_path("n", "runs/dt=2026-12-01/n-bucket-000.parquet")
    '_staged/n/runs/dt=2026-12-01/n-bucket-000.parquet.staged'
    """
    return f"{FOLDER}/{night}/{path}{_END}"


def decide(lake: Lake, night: str, swap: Swap) -> None:
    """Decide on a swap whose files are staged, and carry it out."""
    lake.store.write(f"{FOLDER}/{night}/{_DECISION}", msgspec.json.encode(swap))
    _carry_out(lake, night, swap)


def finish_swaps(lake: Lake) -> list[str]:
    """Carry out what was decided and not ended, drop what was staged and not decided; return the nights that ended.

    Whoever calls this holds the lease.
    """
    staged = lake.store.list(FOLDER)
    nights = sorted({path.split("/")[1] for path in staged})
    ended = []
    for night in nights:
        decision = f"{FOLDER}/{night}/{_DECISION}"
        if decision in staged:
            _carry_out(lake, night, msgspec.json.decode(lake.store.read(decision), type=Swap))
            ended.append(night)
        else:
            _clear(lake, night)
    return ended


def _carry_out(lake: Lake, night: str, swap: Swap) -> None:
    store = lake.store
    for path in swap.shrunk:
        store.write(path, store.read(staged_path(night, path)))
    for path in swap.deleted:
        store.delete(path)
    for path in swap.added:
        store.write(path, store.read(staged_path(night, path)))
    for commit in swap.commits:
        lake.write_commit(commit)
    _clear(lake, night)


def _clear(lake: Lake, night: str) -> None:
    """Delete what is staged, the decision first: without its files it could not be carried out."""
    lake.store.delete(f"{FOLDER}/{night}/{_DECISION}")
    lake.store.delete_folder(f"{FOLDER}/{night}")

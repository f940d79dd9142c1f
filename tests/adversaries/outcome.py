"""What came out of a compaction: the summary and the lake, as an adversary's check asks them."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.io.history import thread_history
from pipelines.io.lake import Lake
from pipelines.io.rows import table_rows
from schemas.rows import RunRows
from transforms.replay.forms import History


class Outcome:
    """A lake, and the names by which adversaries find their own in it: a folder of objects, or a thread."""

    def __init__(self, lake: Path) -> None:
        self._lake = Lake.open(str(lake))
        self._commits = self._lake.commits()
        self._letters = table_rows(self._lake, "dead_letters").to_pylist()

    def rows(self, table: str) -> int:
        """How many rows a table of a lake of one adversary has."""
        return sum(file.rows for file in self._lake.files(table))

    def runs(self, thread: str, tenant: str | None = None) -> list[RunRows]:
        return thread_history(self._lake, thread, tenant, self._commits)

    def view(self, thread: str, tenant: str | None = None) -> dict[str, Any]:
        """The view at the end of a thread's newest run."""
        runs = self.runs(thread, tenant)
        assert not any(rows.run.is_verbatim for rows in runs)
        view: dict[str, Any] = History(runs).form(runs[-1].run.run, "view")
        return view

    def contents(self, thread: str) -> list[Any]:
        """The contents of a thread's messages."""
        return [message.get("content") for message in self.view(thread)["messages"]]

    def violations(self, thread: str) -> dict[str, int]:
        total = Counter[str]()
        for rows in self.runs(thread):
            total.update(rows.run.violations)
        return dict(total)

    def letters(self, name: str) -> dict[str, int]:
        """The dead letters of the objects in the folder of this name, by reason."""
        return dict(Counter(row["reason"] for row in self._letters if f"/{name}/" in row["uri"]))


class Adversary(NamedTuple):
    """A hostile input.

    Args:
        what: one sentence.
        write: writes raw objects into a folder; the scale is 1.0 at full size.
        check: asserts what must have come out of what was written at this scale.
    """

    name: str
    what: str
    write: Callable[[Path, float], None]
    check: Callable[[Outcome, float], None]

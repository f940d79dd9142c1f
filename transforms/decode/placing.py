"""Ids become places: whose thread and run a record belongs to, in an object read in order."""

from __future__ import annotations

from typing import Final, TypeAlias

from schemas.events import RUN_STARTED
from schemas.records import Owner, Source

Who: TypeAlias = tuple[str | None, str | None, str | None]
"""Tenant, user, agent as a record names them."""

NOBODY: Final[Who] = (None, None, None)


class Places:
    """The run that is open at this point of an object, and what the path says of all its records.

    A run stays open after its terminal: bare events that follow still belong to it.

    Args:
        source: its fields supply what the records lack.
    """

    def __init__(self, source: Source) -> None:
        self.thread: str | None = None
        self.run: str | None = None
        self._in_row = False
        self._path_thread = source.fields.get("thread_id") or None
        self._path_run = source.fields.get("run_id") or None
        self._path_who = (
            source.fields.get("tenant_id") or None,
            source.fields.get("user_id") or None,
            source.fields.get("agent_id") or None,
        )
        self.owners: dict[Who, Owner] = {}

    def enter_row(self, thread: str | None, run: str | None) -> None:
        """Open what a run row or an export says of all its events; inside, a thread without run means the open run."""
        self._in_row = True
        if thread is not None:
            self.thread, self.run = thread, run

    def leave_row(self) -> None:
        """End the row; the run that it left open stays the open one."""
        self._in_row = False

    def of(self, kind: str, thread: str | None, run: str | None) -> tuple[str | None, str | None]:
        """Return thread and run of a record that names these itself; a RUN_STARTED becomes the open run."""
        if thread is None:
            thread, run = self._inherit(kind, run)
        elif run is None and self._in_row and thread == self.thread and kind != RUN_STARTED:
            run = self.run
        if run is None:
            run = self._path_run
        if kind == RUN_STARTED and thread is not None:
            self.thread, self.run = thread, run
        return thread, run

    def owner(self, who: Who) -> Owner:
        """Return the one instance for an owner; the path fills the gaps."""
        known = self.owners.get(who)
        if known is None:
            tenant, user, agent = (given or path for given, path in zip(who, self._path_who, strict=True))
            known = self.owners[who] = Owner(tenant or "", user, agent)
        return known

    def _inherit(self, kind: str, run: str | None) -> tuple[str | None, str | None]:
        if self.thread is None:
            return self._path_thread, run
        if run is None and kind != RUN_STARTED:
            run = self.run
        return self.thread, run

"""A CopilotKit sqlite file becomes records: one row a run, its events in order.

Source: CopilotKit ``packages/sqlite-runner``, schema version 1: ``agent_runs(id, thread_id, run_id, parent_run_id,
events, input, created_at in ms)``. ``parent_run_id`` only names the run before. ``events`` were compacted by a client
that, up to 0.0.59, folded a run's state patches onto ``{}`` and not onto the thread's state: such a snapshot lacks
keys, and the next run's input, which holds the state as the client had it, tells.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Final

import msgspec

from schemas.errors import DecodeError
from schemas.events import Json
from schemas.records import Attachment, DeadLetter, Record
from transforms import jsontext
from transforms.decode.documents import Whole, not_a_log
from transforms.decode.general import Around
from transforms.decode.limits import Limits
from transforms.decode.marks import identity
from transforms.decode.reader import Reader
from transforms.decode.rows import read_events
from transforms.decode.times import micros

_QUERY: Final = (
    "SELECT thread_id, run_id, parent_run_id, events, input, created_at FROM agent_runs ORDER BY created_at, id"
)
_WAL_VERSIONS: Final = slice(18, 20)
_ROLLBACK_JOURNAL: Final = b"\x01\x01"


class _Run(msgspec.Struct, frozen=True):
    """One row; what is no text in it is None."""

    thread: str | None
    run: str | None
    parent: str | None
    events: str | None
    input: str | None
    created_at: Json

    @property
    def created_us(self) -> int | None:
        """When the run ended."""
        return micros(self.created_at)


def read_sqlite(reader: Reader, whole: Whole, _limits: Limits) -> Iterator[Record | DeadLetter]:
    """Yield the records of every row; one dead letter for a file that is no such store or is damaged."""
    size = len(whole.data)
    if whole.error is not None:
        yield reader.general.dead(0, size, whole.error)
        return
    try:
        runs = _runs(whole.data)
    except sqlite3.OperationalError:
        yield reader.general.dead(0, size, not_a_log())
        return
    except sqlite3.Error:
        yield reader.general.dead(0, size, DecodeError("corrupt", "the sqlite file is damaged"))
        return
    states = _StatesAfter(runs)
    for row, run in enumerate(runs):
        yield from _read_run(reader, run, row, states.of(row))


def _runs(data: bytes) -> list[_Run]:
    """Return the rows in order.

    A file in write-ahead mode cannot be opened from memory, so its header is made to say what its pages already are.
    """
    image = bytearray(data)
    image[_WAL_VERSIONS] = _ROLLBACK_JOURNAL
    with closing(sqlite3.connect(":memory:")) as store:
        store.text_factory = _text
        store.deserialize(bytes(image))
        store.execute("PRAGMA query_only = ON")
        return [_run(row) for row in store.execute(_QUERY)]


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogatepass")


def _run(row: tuple[Json, ...]) -> _Run:
    *texts, created_at = row
    thread, run, parent, events, sent = map(_text_or_none, texts)
    return _Run(thread, run, parent, events, sent, created_at)


def _text_or_none(value: Json) -> str | None:
    return value if isinstance(value, str) else identity(value)


class _StatesAfter:
    """The state that the next run of the same thread was given, or the run's own where it is the last."""

    def __init__(self, runs: list[_Run]) -> None:
        self._states: list[Json] = []
        following: dict[str | None, Json] = {}
        for run in reversed(runs):
            given = _input_state(run)
            self._states.append(following.get(run.thread, given))
            following[run.thread] = given
        self._states.reverse()

    def of(self, row: int) -> Json:
        """Return the state after the run of this row."""
        return self._states[row]


def _input_state(run: _Run) -> Json:
    sent = _loads(run.input)
    return sent.get("state") if isinstance(sent, dict) else None


def _loads(text: str | None) -> Json:
    try:
        return None if text is None else jsontext.loads(text)
    except DecodeError:
        return None


def _read_run(reader: Reader, run: _Run, row: int, state_after: Json) -> Iterator[Record | DeadLetter]:
    sent = run.input.encode("utf-8", "surrogatepass").strip() if run.input else b""
    events = (run.events or "").encode("utf-8", "surrogatepass")
    attachment = Attachment(
        input=sent if sent.startswith(b"{") else None,
        store_parent_run_id=run.parent,
        created_us=run.created_us,
        violations=tuple(_violations(_loads(run.events), state_after)),
        is_run_start=True,
    )
    around = Around(run.thread, run.run, ended_us=run.created_us, attachment=attachment)
    return read_events(reader.general, events, around, row, len(events))


def _violations(events: Json, state_after: Json) -> Iterator[str]:
    known = [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []
    snapshots = [event.get("snapshot") for event in known if event.get("type") == "STATE_SNAPSHOT"]
    if snapshots and isinstance(state_after, dict) and not _holds_keys(snapshots[-1], state_after):
        yield "damaged_state"
    if any(map(_is_made_up, known)):
        yield "synthetic_terminal"


def _holds_keys(snapshot: Json, state: dict[str, Json]) -> bool:
    return isinstance(snapshot, dict) and state.keys() <= snapshot.keys()


def _is_made_up(event: dict[str, Json]) -> bool:
    """Tell a terminal that the runner added: the agent stopped without one."""
    if event.get("type") == "RUN_FINISHED":
        return "runId" not in event
    return event.get("type") == "RUN_ERROR" and event.get("code") == "INCOMPLETE_STREAM"

"""Dead letters: those of a lake are read again from their source, and what can be read now names its threads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from pipelines.io.heads import find_heads
from pipelines.io.lake import Lake
from pipelines.io.meter import Meter
from pipelines.io.rows import table_rows
from pipelines.io.sources import is_as_planned, open_source
from schemas.lake import Commit
from schemas.records import DeadLetter, Record, Source
from transforms.audit.removal import Letter, Thread
from transforms.bucket import key_of
from transforms.decode.limits import Limits
from transforms.decode.objects import decode_batches
from transforms.decode.reach import Reach
from transforms.runs.headrows import object_of

UNREADABLE: Final = (
    "not_json",
    "not_object",
    "torn",
    "bad_utf8",
    "too_large",
    "too_deep",
    "number_range",
    "no_type",
    "no_thread",
    "bad_id",
    "sse_framing",
    "not_a_log",
    "barren",
    "corrupt",
)
"""Reasons that lie in how an object is read: another reader, or an object that has grown, may make records of them."""

_TO_THE_END: Final = frozenset({"not_a_log", "barren", "corrupt", "too_large"})
"""Reasons that stand for more than one record: all that follows in the object may be readable now."""


class Redriven(msgspec.Struct):
    """What came of reading dead letters again.

    Args:
        repaired: letters that are records now.
        threads: that the records belong to.
        left: letters that are still none, by reason.
        gone: objects that cannot be read again.
    """

    repaired: list[Letter] = []
    threads: set[Thread] = set()
    left: dict[str, int] = {}
    gone: list[str] = []


def read_again(lake: Lake, last: Commit, reasons: Iterable[str]) -> Redriven:
    """Return what can be read now of a lake's dead letters; writes nothing."""
    wanted = frozenset(reasons)
    by_uri: dict[str, list[dict[str, Any]]] = {}
    for row in table_rows(lake, "dead_letters").to_pylist():
        if row["reason"] in wanted:
            by_uri.setdefault(row["uri"], []).append(row)
    heads = find_heads(lake.store, last.heads, "objects", {key_of("", uri) for uri in by_uri})
    done = Redriven()
    for uri, letters in sorted(by_uri.items()):
        source = _source(heads.get(uri))
        if source is None:
            done.gone.append(uri)
        found = _Found(source, [row["offset"] for row in letters]) if source is not None else None
        for row in letters:
            threads = found.threads(row) if found is not None else set()
            if threads:
                done.repaired.append((uri, row["offset"], row["reason"]))
                done.threads |= threads
            else:
                done.left[row["reason"]] = done.left.get(row["reason"], 0) + row["records"]
    return done


def _source(head: bytes | None) -> Source | None:
    """Return an object as far as nights have read it, None where it is not there any more."""
    if head is None:
        return None
    known = object_of(head)
    source = Source(known.uri, 0, known.size, known.modified_us, known.fields, known.etag)
    return source if is_as_planned(source) else None


class _Found:
    """What an object gives at the offsets of its dead letters."""

    def __init__(self, source: Source, offsets: list[int]) -> None:
        self._dead: set[tuple[int, str]] = set()
        self._records: dict[int, Thread] = {}
        self._behind: list[tuple[int, Thread]] = []
        wanted = frozenset(offsets)
        with Meter(open_source(source), source) as stream:
            for one in _decoded(stream, source, sorted(wanted)):
                if isinstance(one, DeadLetter):
                    self._dead.add((one.offset, one.reason))
                    continue
                thread = (one.owner.tenant_id, one.thread_id)
                if one.offset in wanted:
                    self._records[one.offset] = thread
                if not self._behind or self._behind[-1][1] != thread:
                    self._behind.append((one.offset, thread))

    def threads(self, letter: dict[str, Any]) -> set[Thread]:
        """Return the threads of what a letter stood for; none where it is still no record."""
        offset, reason = letter["offset"], letter["reason"]
        if (offset, reason) in self._dead:
            return set()
        if reason in _TO_THE_END:
            return {thread for at, thread in self._behind if at >= offset}
        return {self._records[offset]} if offset in self._records else set()


def _decoded(stream: Meter, source: Source, stops: list[int]) -> Iterator[Record | DeadLetter]:
    """Yield what an object holds, nothing joined over one of the offsets."""
    for batch in decode_batches(stream, source, Limits(), Reach(stops)):
        yield from batch

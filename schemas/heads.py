"""Heads: what a night must know of what earlier nights read, to go on with it. No text but the view of long threads."""

from __future__ import annotations

from typing import Final

import msgspec
import pyarrow as pa

HEADS_SCHEMA: Final = pa.schema([("key", pa.uint64()), ("name", pa.string()), ("head", pa.binary())])
"""A file of heads, sorted by key and name: the hash of the name, whose top bits are the bucket, and the msgpack."""

FAMILIES: Final = ("threads", "objects", "contents")
"""Kinds of heads: `Head` by thread, `ObjectHead` by key, and by size what was read, to know a copy by its checksum."""

HEAD_TABLES: Final = ("usage", "messages", "tool_calls", "states", "events")
"""Tables, in the order of the bits of `PastRun.tables`."""


class HeadRow(msgspec.Struct, array_like=True, frozen=True):
    """A row of a file of heads."""

    family: str
    key: int
    name: str
    head: bytes


class Stretch(msgspec.Struct, array_like=True, frozen=True):
    """Records of one run that follow each other in one object: of the thread's, those with first <= offset < end."""

    uri: str
    first: int
    end: int


class OpenRun(msgspec.Struct, array_like=True):
    """A run that no night has written yet: its records lie in the raw log, and are read again.

    Args:
        records: that are carried.
        duplicates: redelivered records that were counted already.
        last_us: time of its last event, UTC, microseconds since 1970; it is silent from then on.
    """

    parent_source: str
    claim: str | None
    violations: dict[str, int]
    stretches: list[Stretch]
    records: int
    duplicates: int
    last_us: int


class PastRun(msgspec.Struct, array_like=True):
    """One run, known by its place in `Head.runs`.

    Args:
        parent: ordinal; None for a root.
        ended_by: ``terminal``, ``child``, ``silence`` or ``log`` (an undated compaction closes what is open); None
            while it is open, and then ``open`` says more.
        night: index in `Head.nights` of the one that wrote it.
        day: partition of its rows, ``YYYY-MM-DD``.
        tables: which of HEAD_TABLES hold rows of it, a bit each.
        seqs: first and last seq of each stretch of its records.
        event_ids: hashes of its records' event ids.
        source: hash of the object of its last record.
        last_us: time of its last event.
        missed: the parent's id as the log named it, where there was no such run.
        lanes: chunks that were open at its end (`transforms.fold.chunks`), JSON.
    """

    run_id: str | None
    parent: int | None
    ended_by: str | None = None
    night: int = -1
    day: str = ""
    tables: int = 0
    seqs: list[int] = []
    event_ids: list[int] = []
    source: int = 0
    last_us: int | None = None
    lanes: bytes | None = None
    open: OpenRun | None = None
    missed: str | None = None


class PastNight(msgspec.Struct, array_like=True, frozen=True):
    """A night that wrote runs of a thread: its name, and the bucket that they are in."""

    name: str
    bucket: int


class PastView(msgspec.Struct, array_like=True):
    """The view at the end of one run, so that a thread that lasts is not rebuilt from all of its nights.

    Args:
        messages, state: JSON.
        same_as: position -> the earlier position that holds the same object.
    """

    run: int
    messages: bytes
    state: bytes
    same_as: dict[int, int] = {}


class Head(msgspec.Struct, array_like=True):
    """What is known of one thread: its runs by ordinal, and where their rows are."""

    tenant_id: str
    thread_id: str
    runs: list[PastRun]
    nights: list[PastNight]
    view: PastView | None = None


class ObjectHead(msgspec.Struct, array_like=True):
    """How far one raw object was read.

    Args:
        size: stored bytes that were read, and ``sha256`` their digest.
        stops: offsets in the decompressed object where reading ended, each time; nothing below the last one is new.
        fields: what a path pattern supplied.
        night: the one that read it last.
    """

    uri: str
    size: int
    modified_us: int
    etag: str
    sha256: str
    stops: list[int]
    fields: dict[str, str]
    night: str


class Carried(msgspec.Struct, frozen=True):
    """A pointer to the raw records of an open run.

    Args:
        uri: the object that holds some of them.
    """

    uri: str
    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None

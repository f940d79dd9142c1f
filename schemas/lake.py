"""The lake's own records: the plan of a night, and the commit that makes it visible."""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.records import Source

MAX_BUCKET_BITS: Final = 12
"""At most 4,096 buckets, so that a night never has more files a table and day."""


class HeadFile(msgspec.Struct, frozen=True):
    """One file of heads: its family (threads, objects or contents) and bucket; `path` is relative to the lake."""

    path: str
    family: str
    bucket: int
    rows: int
    bytes: int
    sha256: str


class HeadSet(msgspec.Struct, frozen=True):
    """The heads that one night wrote: of what it touched, and of the sets that it merged.

    Args:
        level: 0 for a night's own; sets of one level are merged to one of the next.
        bits: of the bucket numbers.
    """

    night: str
    level: int
    bits: int
    files: list[HeadFile]


class Plan(msgspec.Struct, frozen=True):
    """What a night reads and how; written first, so that a re-run does the same.

    Args:
        night: name of the job: a date, or a digest of the inputs.
        format: format of the lake that it writes.
        bucket_bits: a thread's bucket is that many top bits of the hash of its tenant and id.
        sources: the raw objects in natural order, frozen; those of open runs first.
        raw_policy: drop, hash or keep.
        ruleset_id: redaction rules; off for none.
        number: 1 for the lake's first commit, and so on.
        former: name of the commit before; empty for none.
        frontier_us: end of the date, UTC, microseconds since 1970: a run that was silent for long by then is
            abandoned. None closes every run.
        lookback_days: how many days before its date an object may be dated.
        heads: the sets of the former commit, the newest first.
        merged: names of those that this night writes again into its own set, whose level is ``level``.
        carried_records: that open runs of the former commit had.
        rewritten: objects whose content is no longer what an earlier night read; they are not read.
        only: threads (tenant, id) to compact again; all where empty.
        outside: objects that were found and are dated before the lookback, or behind the night.
    """

    night: str
    format: int
    bucket_bits: int
    sources: list[Source]
    raw_policy: str
    ruleset_id: str
    version: str
    number: int = 1
    former: str = ""
    frontier_us: int | None = None
    lookback_days: int = 0
    heads: list[HeadSet] = []
    merged: list[str] = []
    level: int = 0
    carried_records: int = 0
    rewritten: list[str] = []
    only: list[tuple[str, str]] = []
    outside: int = 0


class FileEntry(msgspec.Struct, frozen=True):
    """One Parquet file of a night.

    Args:
        path: relative to the lake.
        day: the partition, ``YYYY-MM-DD``.
        sha256: hex digest of the file's bytes.
    """

    path: str
    table: str
    day: str
    bucket: int
    rows: int
    bytes: int
    sha256: str


class Totals(msgspec.Struct):
    """What a night did, summed from rows; the summary of ``compact --json``.

    ``events_in`` + dead letters + ``duplicates`` = ``records``: those of runs that stay open are counted by the night
    that writes the runs. What was read is ``records`` + ``carried_out`` - ``carried_in``.

    Args:
        bytes_in: stored bytes that were read.
        open_runs: that are carried to the next night.
        carried_in, carried_out: records of open runs that this night found, and left.
        rewritten: objects that changed under a night that had read them.
    """

    objects: int = 0
    records: int = 0
    events_in: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    threads: int = 0
    runs: int = 0
    runs_without_user_message: int = 0
    branches: int = 0
    messages: int = 0
    tool_calls: int = 0
    duplicates: int = 0
    violations: dict[str, int] = {}
    dead_letters: dict[str, int] = {}
    verbatim_runs: int = 0
    approximate_runs: int = 0
    open_runs: int = 0
    carried_in: int = 0
    carried_out: int = 0
    rewritten: int = 0

    def add(self, other: Totals) -> None:
        """Add another part's figures to these."""
        for field in self.__struct_fields__:
            mine, theirs = getattr(self, field), getattr(other, field)
            if isinstance(mine, dict):
                for kind, count in theirs.items():
                    mine[kind] = mine.get(kind, 0) + count
            else:
                setattr(self, field, mine + theirs)


class Commit(msgspec.Struct, frozen=True):
    """The last thing that a night writes: its files and figures. Readers see the night from here on.

    Args:
        number, former, frontier_us: of its plan.
        heads: all sets that hold something, the newest first.
        open_files: pointers to the raw records of runs that are open (`schemas.heads.Carried`).
    """

    night: str
    format: int
    bucket_bits: int
    files: list[FileEntry]
    totals: Totals
    version: str
    number: int = 1
    former: str = ""
    frontier_us: int | None = None
    heads: list[HeadSet] = []
    open_files: list[str] = []

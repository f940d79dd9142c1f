"""The lake's own records: the plan of a night, and the commit that makes it visible."""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.records import Source

MAX_BUCKET_BITS: Final = 12
"""At most 4,096 buckets, so that a night never has more files a table and day."""


class Plan(msgspec.Struct, frozen=True):
    """What a night reads and how; written first, so that a re-run does the same.

    Args:
        night: name of the job: a date, or a digest of the inputs.
        format: format of the lake that it writes.
        bucket_bits: a thread's bucket is that many top bits of the hash of its tenant and id.
        sources: the raw objects in natural order, frozen.
        raw_policy: drop, hash or keep.
        ruleset_id: redaction rules; off for none.
    """

    night: str
    format: int
    bucket_bits: int
    sources: list[Source]
    raw_policy: str
    ruleset_id: str
    version: str


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

    ``events_in`` + dead letters + ``duplicates`` = ``records``.
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
    """The last thing that a night writes: its files and figures. Readers see the night from here on."""

    night: str
    format: int
    bucket_bits: int
    files: list[FileEntry]
    totals: Totals
    version: str

"""The lake: plans and commits by name, and the files that the commits list."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from pipelines.io.store import Store
from schemas.errors import LakeError
from schemas.heads import FAMILIES, Carried
from schemas.lake import Commit, FileEntry, Plan
from schemas.tables import FORMAT, TABLES

MARK = "_lake.json"
_COMMITS = "_commits"
_PLAN_END = ".plan.json"
HEADS_FOLDER = "_heads"
OPEN_FOLDER = "_open"
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_REBUILD = re.compile(r"-rebuild-([0-9]{3,})$")
_NIGHT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_Stored = TypeVar("_Stored", Plan, Commit)


class _Mark(msgspec.Struct):
    """Content of ``_lake.json``."""

    format: int


@dataclass(frozen=True)
class Lake:
    """A lake that exists and that this version can read. Its only state is the place, so a worker can get it."""

    store: Store

    @classmethod
    def open(cls, place: str) -> Lake:
        """Return the lake at a local path or URL.

        Raises:
            LakeError: there is none, or its format is newer than this version's.
        """
        store = Store(place)
        if not store.exists(MARK):
            raise LakeError(
                f"{place}: no lake there (no {MARK}); write one with `threadlake compact INPUT --lake LAKE`"
            )
        _check_format(place, _decoded(store.read(MARK), _Mark, store.uri(MARK)).format)
        return cls(store)

    @classmethod
    def create_or_open(cls, place: str) -> Lake:
        """Return the lake at a place that can be written, a new one where the place is empty.

        Raises:
            LakeError: the place holds something else, cannot be written, or is a lake of a newer format.
        """
        store = Store(place)
        if store.exists(MARK):
            lake = cls.open(place)
            store.write(MARK, store.read(MARK))
            return lake
        if not store.is_empty():
            raise LakeError(f"{place}: holds files but is no lake (no {MARK}); give an empty or a new place")
        store.write(MARK, msgspec.json.encode(_Mark(FORMAT)))
        return cls(store)

    @property
    def place(self) -> str:
        """The lake's place as it was given."""
        return self.store.place

    @staticmethod
    def path_of(table: str, day: str, night: str, bucket: int) -> str:
        """Return where a night's file lies, relative to the lake.

        >>> Lake.path_of("runs", "2026-11-30", "2026-12-01", 7)
        'runs/dt=2026-11-30/2026-12-01-bucket-007.parquet'
        """
        return f"{table}/dt={day}/{_checked(night)}-bucket-{bucket:03d}.parquet"

    def commits(self) -> list[Commit]:
        """Return the commits of all nights, by name."""
        found = self.store.list(_COMMITS)
        paths = [path for path in found if path.endswith(".json") and not path.endswith(_PLAN_END)]
        stored = self.store.read_many(paths)
        return [self._checked(path, payload, Commit) for path, payload in zip(paths, stored, strict=True)]

    def nights(self) -> list[str]:
        """Return the names of the nights that are committed, in the order in which they were."""
        return sorted(self._named()[1], key=order_of)

    def open_nights(self) -> list[str]:
        """Return the names of the nights that are planned and not committed."""
        planned, committed = self._named()
        return sorted(planned - committed, key=order_of)

    def commit(self, night: str, path: str | None = None) -> Commit:
        """Return a night's commit.

        Args:
            path: where it lies, if not in its place.
        """
        path = commit_path(night) if path is None else path
        return self._checked(path, self.store.read(path), Commit)

    def last(self) -> Commit | None:
        """Return the last commit, None of a lake that holds none yet. Reads no other."""
        nights = self.nights()
        return self.commit(nights[-1]) if nights else None

    def carried(self, commit: Commit) -> list[Carried]:
        """Return the pointers to the runs that a commit left open."""
        stored = self.store.read_many(commit.open_files)
        return [one for payload in stored for one in msgspec.json.decode(payload, type=list[Carried])]

    def files(self, table: str, days: Collection[str] | None = None) -> list[FileEntry]:
        """Return a table's files, by path.

        Args:
            table: its name.
            days: partitions to keep, ``YYYY-MM-DD``; all where None.
        """
        entries = (entry for commit in self.commits() for entry in commit.files)
        kept = [entry for entry in entries if entry.table == table and (days is None or entry.day in days)]
        return sorted(kept, key=lambda entry: entry.path)

    def planned(self) -> set[str]:
        """Return the names of the nights that have a plan, committed or not."""
        return self._named()[0]

    def has_plan(self, night: str) -> bool:
        """Return whether the night's plan was written."""
        return self.store.exists(_plan_path(night))

    def read_plan(self, night: str) -> Plan:
        """Return the night's plan."""
        path = _plan_path(night)
        return self._checked(path, self.store.read(path), Plan)

    def write_plan(self, plan: Plan) -> None:
        """Write a night's plan: its first act."""
        self.store.write(_plan_path(plan.night), msgspec.json.encode(plan))

    def write_commit(self, commit: Commit) -> None:
        """Write a night's commit: its last act, after which readers see its files."""
        self.store.write(commit_path(commit.night), msgspec.json.encode(commit))

    def discard(self, night: str) -> None:
        """Delete what a night left behind that is planned and not committed: its plan last."""
        for folder in (*TABLES, HEADS_FOLDER, OPEN_FOLDER):
            for path in self.store.list(folder):
                if is_file_of(path, night):
                    self.store.delete(path)
        self.store.delete(_plan_path(night))

    def sweep(self, last: Commit | None, night: str, *, is_repeated: bool) -> None:
        """Delete what no reader and no night needs any more.

        Args:
            last: the last commit: its heads and pointers stay.
            night: the one that begins: what it wrote already stays.
            is_repeated: it began before and died: then files may lie anywhere that it was writing.
        """
        needed = set() if last is None else {*last.open_files, *(file.path for one in last.heads for file in one.files)}
        for folder in (HEADS_FOLDER, OPEN_FOLDER):
            for path in self.store.list(folder):
                if path not in needed and not is_file_of(path, night):
                    self.store.delete(path)
        for folder in ("",) if is_repeated else (_COMMITS, HEADS_FOLDER, OPEN_FOLDER, "_lease"):
            self.store.delete_temporaries(folder)

    def _named(self) -> tuple[set[str], set[str]]:
        """Return the names of the nights with a plan, and of those with a commit."""
        names = [path.removeprefix(f"{_COMMITS}/") for path in self.store.list(_COMMITS)]
        planned = {name.removesuffix(_PLAN_END) for name in names if name.endswith(_PLAN_END)}
        return planned, {name.removesuffix(".json") for name in names if not name.endswith(_PLAN_END)}

    def _checked(self, path: str, payload: bytes, shape: type[_Stored]) -> _Stored:
        stored = _decoded(payload, shape, self.store.uri(path))
        _check_format(self.place, stored.format)
        return stored


def order_of(night: str) -> tuple[bool, str]:
    """Return what nights are sorted by: an undated compaction comes first, a rebuild after the night that it follows.

    >>> sorted(["2026-12-02", "2026-12-01-rebuild-001", "2026-12-01", "beef"], key=order_of)
    ['beef', '2026-12-01', '2026-12-01-rebuild-001', '2026-12-02']
    """
    return _DATED.match(night) is not None, night


def date_of(night: str) -> dt.date | None:
    """Return the date of a night, or of the one that a rebuild followed; None of an undated compaction."""
    return dt.date.fromisoformat(night[:10]) if _DATED.match(night) else None


def is_rebuild(night: str) -> bool:
    """Tell whether a name is that of a rebuild.

    >>> is_rebuild("2026-12-01-rebuild-001"), is_rebuild("2026-12-01")
    (True, False)
    """
    return _REBUILD.search(night) is not None


def rebuild_after(night: str) -> str:
    """Return the name of the rebuild that follows a night, or another rebuild.

    >>> rebuild_after("2026-12-01"), rebuild_after("2026-12-01-rebuild-001")
    ('2026-12-01-rebuild-001', '2026-12-01-rebuild-002')
    """
    found = _REBUILD.search(night)
    return f"{night_of(night)}-rebuild-{int(found.group(1)) + 1 if found else 1:03d}"


def night_of(night: str) -> str:
    """Return the night that a rebuild followed, or the night itself."""
    return _REBUILD.sub("", night)


def is_file_of(path: str, night: str) -> bool:
    """Tell whether a file is one that a night writes.

    >>> is_file_of("runs/dt=2026-11-30/2026-12-01-bucket-007.parquet", "2026-12-01")
    True
    """
    name = path.rsplit("/", 1)[-1]
    return name.startswith((f"{night}-bucket-", *(f"{night}-{family}-bucket-" for family in FAMILIES)))


def open_path(night: str, bucket: int) -> str:
    """Return where a night's pointers to open runs lie, relative to the lake."""
    return f"{OPEN_FOLDER}/{_checked(night)}-bucket-{bucket:03d}.json"


def table_files(commits: list[Commit], table: str) -> Iterator[tuple[Commit, FileEntry]]:
    """Yield a table's files, each with the commit that lists it."""
    for commit in commits:
        for entry in commit.files:
            if entry.table == table:
                yield commit, entry


def commit_path(night: str) -> str:
    """Return where a night's commit lies, relative to the lake."""
    return f"{_COMMITS}/{_checked(night)}.json"


def _plan_path(night: str) -> str:
    return f"{_COMMITS}/{_checked(night)}{_PLAN_END}"


def _checked(night: str) -> str:
    if not _NIGHT.fullmatch(night):
        raise LakeError(f"{night!r}: no name for a night; use letters, digits, - and _")
    return night


_Shape = TypeVar("_Shape", bound=msgspec.Struct)


def _decoded(payload: bytes, shape: type[_Shape], uri: str) -> _Shape:
    try:
        return msgspec.json.decode(payload, type=shape)
    except msgspec.DecodeError as error:
        raise LakeError(f"{uri}: damaged ({error}); restore it or write the night again") from error


def _check_format(place: str, found: int) -> None:
    if found > FORMAT:
        raise LakeError(f"{place}: lake of format {found}, this version reads up to {FORMAT}; upgrade threadlake")

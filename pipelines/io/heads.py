"""Heads: the sets that a commit lists are asked for keys; few row groups of few files are read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.io.places import explained
from pipelines.io.store import Store
from schemas.errors import LakeError
from schemas.heads import HeadRow
from schemas.lake import HeadFile, HeadSet
from transforms.bucket import KEY_BITS

Span: TypeAlias = tuple[int, int]
"""The first and the last key of a bucket."""

_REST = ["name", "head"]


def head_path(night: str, family: str, bucket: int) -> str:
    """Return where a file of heads lies, relative to the lake; no glob for Parquet finds it.

    >>> head_path("2026-12-01", "threads", 7)
    '_heads/2026-12-01-threads-bucket-007.heads'
    """
    return f"_heads/{night}-{family}-bucket-{bucket:03d}.heads"


def span_of(bucket: int, bits: int) -> Span:
    """Return the keys of a bucket.

    >>> span_of(1, 1) == (1 << 63, (1 << 64) - 1)
    True
    """
    width = KEY_BITS - bits
    return bucket << width, ((bucket + 1) << width) - 1


def find_heads(store: Store, sets: Iterable[HeadSet], family: str, keys: Collection[int]) -> dict[str, bytes]:
    """Return the heads of a family with some of the keys, by name; the newest where several sets have a name.

    Args:
        sets: the newest first.
    """
    found: dict[str, bytes] = {}
    wanted = sorted(set(keys))
    for one in sets if wanted else ():
        for file in one.files:
            if file.family == family and _any_in(wanted, span_of(file.bucket, one.bits)):
                for row in _matches(store, file, wanted):
                    found.setdefault(row.name, row.head)
    return found


def all_heads(store: Store, sets: Iterable[HeadSet], span: Span) -> list[HeadRow]:
    """Return the heads of all families whose keys lie in a span, the newest of each name.

    Args:
        sets: the newest first.
    """
    found: dict[tuple[str, str], HeadRow] = {}
    for one in sets:
        for file in one.files:
            first, last = span_of(file.bucket, one.bits)
            if first <= span[1] and span[0] <= last:
                for row in _inside(store, file, span):
                    found.setdefault((row.family, row.name), row)
    return list(found.values())


def set_files(sets: Iterable[HeadSet]) -> Iterator[HeadFile]:
    """Yield the files of sets."""
    for one in sets:
        yield from one.files


def _any_in(keys: list[int], span: Span) -> bool:
    """Tell whether any of the keys, which rise, lies in a span."""
    index = bisect_left(keys, span[0])
    return index < len(keys) and keys[index] <= span[1]


def _matches(store: Store, file: HeadFile, keys: list[int]) -> Iterator[HeadRow]:
    wanted = pa.array(keys, pa.uint64())
    with explained(store.uri(file.path), LakeError), store.open(file.path, file.bytes) as stream:
        stored = pq.ParquetFile(stream)
        for group in range(stored.num_row_groups):
            if not _any_in(keys, _bounds(stored, group)):
                continue
            mask = pc.is_in(stored.read_row_group(group, ["key"], use_threads=False).column(0), value_set=wanted)
            if pc.any(mask).as_py():
                rows = stored.read_row_group(group, use_threads=False).filter(mask)
                yield from _rows(file.family, rows)


def _inside(store: Store, file: HeadFile, span: Span) -> Iterator[HeadRow]:
    with explained(store.uri(file.path), LakeError), store.open(file.path, file.bytes) as stream:
        stored = pq.ParquetFile(stream)
        for group in range(stored.num_row_groups):
            first, last = _bounds(stored, group)
            if first <= span[1] and span[0] <= last:
                rows = stored.read_row_group(group, use_threads=False)
                yield from (row for row in _rows(file.family, rows) if span[0] <= row.key <= span[1])


def _bounds(stored: pq.ParquetFile, group: int) -> Span:
    statistics = stored.metadata.row_group(group).column(0).statistics
    return int(statistics.min), int(statistics.max)


def _rows(family: str, table: pa.Table) -> Iterator[HeadRow]:
    columns = [table.column(name).to_pylist() for name in ("key", *_REST)]
    for key, name, head in zip(*columns, strict=True):
        yield HeadRow(family, key, name, head)

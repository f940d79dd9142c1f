"""Shrinking: the files of one night lose the rows of some threads; what is left of them is staged."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

import msgspec
import pyarrow as pa

from pipelines.io.lake import Lake
from pipelines.io.parquet import ParquetBuilder, conform, read_parquet
from pipelines.io.swap import staged_path
from schemas.lake import Commit, FileEntry
from schemas.tables import DEAD_LETTERS, TABLES
from transforms.audit.removal import Letter, Thread, figures_of, subtract, without_letters, without_threads
from transforms.bucket import bucket_of
from transforms.runs.sheets import GROUP_ROWS


class Shrunk(msgspec.Struct):
    """A night without some rows.

    Args:
        replaced: paths of files that are staged with fewer rows.
        deleted: paths of files with no row left.
        commit: the night's, as it is then.
    """

    replaced: list[str]
    deleted: list[str]
    commit: Commit


def shrink(
    lake: Lake, commit: Commit, staging: str, threads: Collection[Thread], letters: Collection[Letter]
) -> Shrunk | None:
    """Stage a night's files without the rows of threads; None where it has none of them.

    Args:
        staging: name of the night for which they are staged.
        letters: dead letters that go too.
    """
    wanted, told = frozenset(threads), frozenset(letters)
    homes = {bucket_of(*thread, commit.bucket_bits) for thread in wanted}
    gone: dict[str, list[pa.Table]] = {"runs": [], DEAD_LETTERS.name: []}
    shrunk = Shrunk([], [], commit)
    files: list[FileEntry] = []
    for entry in commit.files:
        if entry.table != DEAD_LETTERS.name and entry.bucket not in homes:
            files.append(entry)
            continue
        rows = conform(read_parquet(lake.store.read(entry.path)), TABLES[entry.table].schema())
        is_letters = entry.table == DEAD_LETTERS.name
        kept, lost = without_letters(rows, wanted, told) if is_letters else without_threads(rows, wanted)
        if not lost.num_rows:
            files.append(entry)
        elif kept.num_rows:
            files.append(_stage(lake, staging, entry, kept))
            shrunk.replaced.append(entry.path)
        else:
            shrunk.deleted.append(entry.path)
        gone.setdefault(entry.table, []).append(lost)
    if not (shrunk.replaced or shrunk.deleted):
        return None
    figures = figures_of(*(_joined(name, gone[name]) for name in ("runs", DEAD_LETTERS.name)))
    totals = subtract(commit.totals, figures)
    totals.bytes_out = sum(entry.bytes for entry in files)
    shrunk.commit = msgspec.structs.replace(commit, files=files, totals=totals)
    return shrunk


def _stage(lake: Lake, staging: str, entry: FileEntry, rows: pa.Table) -> FileEntry:
    builder = ParquetBuilder(TABLES[entry.table].schema())
    for start in range(0, rows.num_rows, GROUP_ROWS):
        builder.add(rows.slice(start, GROUP_ROWS))
    payload = builder.close()
    lake.store.write(staged_path(staging, entry.path), payload)
    digest = hashlib.sha256(payload).hexdigest()
    return msgspec.structs.replace(entry, rows=rows.num_rows, bytes=len(payload), sha256=digest)


def _joined(table: str, pieces: list[pa.Table]) -> pa.Table:
    return pa.concat_tables([TABLES[table].schema().empty_table(), *pieces])

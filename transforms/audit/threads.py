"""Threads under audit: the runs of one thread become findings about their numbers, parents, views and raw records."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import blake2b
from typing import TypeAlias

import msgspec

from schemas.errors import ThreadlakeError
from schemas.findings import Finding
from schemas.rows import RunRow, RunRows
from transforms.replay.forms import History

Fingerprint: TypeAlias = dict[str, bytes]
"""Digests of a run's rows by table."""


def thread_findings(runs: list[RunRows], opened: Collection[int] = ()) -> Iterator[Finding]:
    """Yield what is wrong with the rows of one thread in themselves.

    Args:
        runs: by ordinal, each once.
        opened: ordinals of runs that no night has written yet.
    """
    numbers = {rows.run.run for rows in runs}
    missing = sorted(set(range(max(numbers) + 1)) - numbers - set(opened))
    if missing:
        yield Finding("run_gap", _thread(runs[0].run), f"{len(missing)} missing, the first is #{missing[0]}")
        return
    wrong = [rows for rows in runs if rows.run.parent is not None and not 0 <= rows.run.parent < rows.run.run]
    yield from (Finding("bad_parent", _run(rows.run), f"parent #{rows.run.parent}") for rows in wrong)
    if not wrong:
        yield from _view_findings(runs)


def fingerprint(rows: RunRows) -> Fingerprint:
    """Return digests of a run's rows, table by table, by which they are told from others.

    What was delivered again once the run was written counts in its night alone; and the night shows in no other column.
    """
    run = msgspec.structs.replace(rows.run, duplicates=0, bytes=0, is_day_clamped=False)
    rows = msgspec.structs.replace(rows, run=run)
    encoded = {name: msgspec.json.encode(getattr(rows, name)) for name in RunRows.__struct_fields__}
    return {name: blake2b(text, digest_size=16).digest() for name, text in encoded.items()}


def raw_findings(stored: list[Fingerprint], made: list[RunRows]) -> Iterator[Finding]:
    """Yield the runs whose rows differ from what their raw records give.

    Args:
        stored: of the lake's runs, by ordinal.
        made: the same thread, compacted again.
    """
    if len(stored) != len(made):
        where = _thread(made[0].run) if made else "a thread"
        yield Finding("other_rows", where, f"{len(stored)} runs, the raw records give {len(made)}")
    for one, rows in zip(stored, made, strict=False):
        two = fingerprint(rows)
        tables = [name for name in one if one[name] != two[name]]
        if tables:
            yield Finding("other_rows", _run(rows.run), f"differ in {', '.join(tables)}")


def place_of(tenant_id: str, thread_id: str, run: int | None = None) -> str:
    """Return where a finding is: a thread, or one of its runs."""
    tenant = f" of tenant {tenant_id!r}" if tenant_id else ""
    return f"thread {thread_id!r}{tenant}" + ("" if run is None else f" #{run}")


def _thread(run: RunRow) -> str:
    return place_of(run.tenant_id, run.thread_id)


def _run(run: RunRow) -> str:
    return place_of(run.tenant_id, run.thread_id, run.run)


def _view_findings(runs: list[RunRows]) -> Iterator[Finding]:
    history = History(runs)
    for rows in runs:
        try:
            found = len(history.replayed(rows.run.run).final.messages)
        except (ThreadlakeError, ValueError, LookupError, TypeError) as error:
            yield Finding("broken_view", _run(rows.run), type(error).__name__)
            return
        if found != rows.run.message_count:
            yield Finding("broken_view", _run(rows.run), f"{found} messages, the run says {rows.run.message_count}")

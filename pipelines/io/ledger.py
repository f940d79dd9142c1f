"""The ledger: what earlier nights read of raw objects sorts those that a night finds.

::

    not known                              new; a copy where another object has the same bytes
    same size, time and tag                known: passed over, unless open runs have records in it
    longer, its beginning unchanged        grown: read on from where it was left
    anything else                          rewritten: told, and not read
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from pipelines.io.heads import find_heads
from pipelines.io.sources import digests_of
from pipelines.io.store import Store
from schemas.errors import InputError
from schemas.heads import ObjectHead
from schemas.lake import HeadSet
from schemas.records import Source
from transforms.bucket import key_of
from transforms.decode.reach import EVERYTHING
from transforms.runs.headrows import object_of, size_key

Carrying: TypeAlias = dict[str, list[tuple[str, str]]]
"""By object, the threads (tenant, id) with open runs that have records in it."""


class Sorting(msgspec.Struct):
    """The objects that a night reads, in no order, and those that it does not."""

    carried: list[Source] = []
    fresh: list[Source] = []
    known: int = 0
    rewritten: list[str] = []


def sort_objects(store: Store, sets: list[HeadSet], sources: Iterable[Source], carrying: Carrying) -> Sorting:
    """Return what to read of the objects that were found.

    Args:
        sets: heads of the former commit.
        carrying: what is read again.

    Raises:
        InputError: the records of an open run are no longer there.
    """
    found = {source.uri: source for source in sources}
    heads = _known(store, sets, [*found, *carrying])
    touched = [(source, heads[uri]) for uri, source in found.items() if uri in heads]
    touched = [(source, head) for source, head in touched if not _is_untouched(source, head)]
    digests = digests_of([(source, head.size) for source, head in touched if source.size >= head.size])
    same = {uri for uri, digest in digests.items() if digest == heads[uri].sha256}
    sorting = Sorting()
    for uri, source in found.items():
        head = heads.get(uri)
        if head is None:
            sorting.fresh.append(source)
        elif uri not in carrying:
            _sort_known(source, head, sorting, begins_same=uri in same)
    for uri, threads in sorted(carrying.items()):
        sorting.carried.append(_carried(found.get(uri), heads[uri], threads, sorting, begins_same=uri in same))
    sorting.fresh = _mark_copies(store, sets, sorting.fresh)
    return sorting


def _known(store: Store, sets: list[HeadSet], uris: list[str]) -> dict[str, ObjectHead]:
    rows = find_heads(store, sets, "objects", {key_of("", uri) for uri in uris})
    return {uri: object_of(rows[uri]) for uri in uris if uri in rows}


def _sort_known(source: Source, head: ObjectHead, sorting: Sorting, *, begins_same: bool) -> None:
    if _is_untouched(source, head):
        sorting.known += 1
    elif not begins_same:
        sorting.rewritten.append(source.uri)
    elif source.size == head.size:
        sorting.known += 1
    elif head.stops[-1] == EVERYTHING:
        sorting.rewritten.append(source.uri)
    else:
        sorting.fresh.append(_grown(source, head))


def _carried(
    source: Source | None, head: ObjectHead, threads: list[tuple[str, str]], sorting: Sorting, *, begins_same: bool
) -> Source:
    """Return an object with records of open runs, as it was read or with what has grown since."""
    former = Source(
        head.uri, 0, head.size, head.modified_us, head.fields, head.etag, head.stops, head.size, sorted(threads)
    )
    if source is None or _is_untouched(source, head):
        return msgspec.structs.replace(former, fields=source.fields if source is not None else head.fields)
    if not begins_same:
        raise InputError(
            f"{source.uri}: was rewritten, and runs that are still open have records in what it was; restore it, "
            f"or `threadlake rebuild --object {source.uri}`"
        )
    if head.stops[-1] == EVERYTHING and source.size > head.size:
        sorting.rewritten.append(source.uri)
        source = msgspec.structs.replace(source, size=head.size)
    return msgspec.structs.replace(_grown(source, head), carried=sorted(threads))


def _grown(source: Source, head: ObjectHead) -> Source:
    return msgspec.structs.replace(source, stops=head.stops, known_bytes=head.size)


def _is_untouched(source: Source, head: ObjectHead) -> bool:
    return (source.size, source.modified_us, source.etag) == (head.size, head.modified_us, head.etag)


def _mark_copies(store: Store, sets: list[HeadSet], fresh: list[Source]) -> list[Source]:
    """Return the objects, those marked whose bytes were read before under another key, or come twice.

    Only objects of one size are compared, so that hardly any is read twice.
    """
    sizes = {source.size for source in fresh if not source.stops and source.size}
    rows = find_heads(store, sets, "contents", {size_key(size) for size in sizes})
    originals = {_content(head.size, head.sha256, head.fields): head.uri for head in map(object_of, rows.values())}
    known_sizes = {size for size, _, _ in originals}
    counts = Counter(source.size for source in fresh)
    suspects = [
        source
        for source in fresh
        if not source.stops and source.size and (counts[source.size] > 1 or source.size in known_sizes)
    ]
    digests = digests_of([(source, source.size) for source in suspects])
    copies: dict[str, str] = {}
    for source in suspects:
        content = _content(source.size, digests[source.uri], source.fields)
        original = originals.setdefault(content, source.uri)
        if original != source.uri:
            copies[source.uri] = original
    return [msgspec.structs.replace(source, copy_of=copies.get(source.uri, "")) for source in fresh]


def _content(size: int, sha256: str, fields: dict[str, str]) -> tuple[int, str, tuple[tuple[str, str], ...]]:
    """Return what two deliveries of one object share; its path may say whose the records are."""
    return size, sha256, tuple(sorted((name, value) for name, value in fields.items() if name != "date"))

"""Head rows: heads become rows of a family's file, found again by the hash of their name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import pyarrow as pa

from schemas.heads import HEADS_SCHEMA, Head, HeadRow, ObjectHead
from transforms.bucket import key_of

GROUP_ROWS: Final = 2_000
"""Rows of a row group: a look-up reads few of them."""

_encode: Final = msgspec.msgpack.Encoder().encode
_heads: Final = msgspec.msgpack.Decoder(Head)
_objects: Final = msgspec.msgpack.Decoder(ObjectHead)


def thread_row(head: Head) -> HeadRow:
    """Return the row of a thread's head."""
    name = thread_name(head.tenant_id, head.thread_id)
    return HeadRow("threads", key_of(head.tenant_id, head.thread_id), name, _encode(head))


def object_rows(head: ObjectHead) -> list[HeadRow]:
    """Return the rows of an object's head: one by its key, one by the size of what was read."""
    encoded = _encode(head)
    content = f"{head.size} {head.sha256} {head.uri}"
    return [
        HeadRow("objects", key_of("", head.uri), head.uri, encoded),
        HeadRow("contents", size_key(head.size), content, encoded),
    ]


def thread_name(tenant_id: str, thread_id: str) -> str:
    """Return the name of a thread's head."""
    return f"{tenant_id}\0{thread_id}"


def size_key(size: int) -> int:
    """Return the key of the heads of all objects of a size."""
    return key_of("", str(size))


def head_of(encoded: bytes) -> Head:
    """Return a thread's head."""
    return _heads.decode(encoded)


def object_of(encoded: bytes) -> ObjectHead:
    """Return an object's head."""
    return _objects.decode(encoded)


def merge_rows(newest: Iterable[HeadRow], older: Iterable[HeadRow]) -> list[HeadRow]:
    """Return the rows of both, sorted, the newer one where a name is in both."""
    merged = {(row.key, row.family, row.name): row for row in older}
    merged |= {(row.key, row.family, row.name): row for row in newest}
    return [merged[place] for place in sorted(merged)]


def row_groups(rows: list[HeadRow]) -> Iterator[pa.Table]:
    """Yield sorted rows as tables of HEADS_SCHEMA."""
    for start in range(0, len(rows), GROUP_ROWS):
        part = rows[start : start + GROUP_ROWS]
        columns = [[row.key for row in part], [row.name for row in part], [row.head for row in part]]
        arrays = [pa.array(values, field.type) for values, field in zip(columns, HEADS_SCHEMA, strict=True)]
        yield pa.Table.from_arrays(arrays, schema=HEADS_SCHEMA)

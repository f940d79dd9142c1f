"""Sources: a raw object that a plan lists is opened, unless it is no longer what the plan says."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from pipelines.io.files import open_input
from pipelines.io.listing import find_file
from pipelines.io.meter import Meter
from pipelines.io.objects import MAX_REQUESTS
from pipelines.io.places import explained, full_path, is_url
from schemas.errors import InputError
from schemas.records import Source


def open_source(source: Source) -> BinaryIO:
    """Open a raw object for reading.

    Raises:
        InputError: it is gone, is shorter than planned, or was written anew with the same size.
    """
    stream = open_input(source.uri)
    problem = _difference(source, *_now(source, stream))
    if problem:
        stream.close()
        raise InputError(f"{source.uri}: {problem}; nothing is committed, run the same command again")
    return stream


def is_as_planned(source: Source) -> bool:
    """Tell whether a raw object can still be read as a plan says."""
    with explained(source.uri, InputError):
        found = find_file(full_path(source.uri))
    return found is not None and not _difference(source, found.size, found.modified_us, found.etag)


def digests_of(sizes: Sequence[tuple[Source, int]]) -> dict[str, str]:
    """Return the SHA-256 of the first bytes of objects, in hex, by key; several are read at one time.

    Args:
        sizes: objects, each with how many of its bytes; it has as many.
    """
    with ThreadPoolExecutor(MAX_REQUESTS) as pool:
        found = list(pool.map(lambda one: _digest_of(*one), sizes))
    return {source.uri: digest for (source, _), digest in zip(sizes, found, strict=True)}


def _digest_of(source: Source, size: int) -> str:
    with Meter(open_input(source.uri), Source(source.uri, 0, size)) as stream:
        stream.drain()
        return stream.digest()


def _now(source: Source, stream: BinaryIO) -> tuple[int, int, str]:
    """Return size, time and tag of an object that was opened."""
    if not is_url(source.uri):
        status = os.fstat(stream.fileno())
        return status.st_size, status.st_mtime_ns // 1000, ""
    details: dict[str, Any] = getattr(stream, "details", None) or {}
    size = details.get("size", getattr(stream, "size", source.size))
    return int(size), source.modified_us, str(details.get("ETag") or source.etag).strip('"')


def _difference(source: Source, size: int, modified_us: int, etag: str) -> str:
    if size < source.size:
        return f"has {size:,} bytes, its plan says {source.size:,}"
    if size == source.size and (modified_us, etag) != (source.modified_us, source.etag):
        return "was written again since it was planned"
    return ""

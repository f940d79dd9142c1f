"""Stored bytes become plain bytes: gzip and zstd are told by their first bytes, not by the name.

Sources: RFC 1952 (members follow each other), RFC 8878 (frames follow each other, some are skippable).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, Protocol

import zstandard

from schemas.errors import DecodeError

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE_TAIL: Final = b"\x2a\x4d\x18"
_MAGIC_BYTES: Final = 4
_GZIP_WBITS: Final = 31

_ZSTD_STEP_BYTES: Final = 2048
"""Fed to the zstd decoder at a time: its output is not bounded otherwise, and 4 bytes can stand for 128 KiB."""


class Readable(Protocol):
    """A binary stream, as far as it is needed."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""


def plain_blocks(stream: Readable, block_bytes: int) -> Iterator[bytes]:
    """Yield the decompressed bytes of an object in non-empty blocks, about `block_bytes` each.

    Raises:
        DecodeError: ``corrupt``, after the last block that could be read.
    """
    first = _first(stream, block_bytes)
    stored = _stored(stream, first, block_bytes)
    if first.startswith(_GZIP):
        return _gunzip(stored, block_bytes)
    if _is_zstd(first):
        return _unzstd(stored)
    return stored


def _first(stream: Readable, block_bytes: int) -> bytes:
    """Return the first block, long enough to hold a magic number even where reads come short."""
    block = stream.read(block_bytes)
    while block and len(block) < _MAGIC_BYTES and (more := stream.read(block_bytes)):
        block += more
    return block


def _stored(stream: Readable, first: bytes, block_bytes: int) -> Iterator[bytes]:
    block = first
    while block:
        yield block
        block = stream.read(block_bytes)


def _is_zstd(first: bytes) -> bool:
    return first.startswith(_ZSTD) or (first[1:4] == _SKIPPABLE_TAIL and 0x50 <= first[0] <= 0x5F)


def _gunzip(stored: Iterator[bytes], block_bytes: int) -> Iterator[bytes]:
    member = zlib.decompressobj(_GZIP_WBITS)
    begun = False
    for block in stored:
        rest = block
        while rest:
            if member.eof:
                member = zlib.decompressobj(_GZIP_WBITS)
                begun = False
            if not begun:
                rest = rest.lstrip(b"\0")
                begun = bool(rest)
            try:
                plain = member.decompress(rest, block_bytes)
            except zlib.error:
                raise DecodeError("corrupt", "the gzip data is damaged") from None
            rest = member.unused_data if member.eof else member.unconsumed_tail
            if plain:
                yield plain
    if begun and not member.eof:
        yield from _flushed(member)
        if not member.eof:
            raise DecodeError("corrupt", "the gzip data ends too early")


def _flushed(member: zlib._Decompress) -> Iterator[bytes]:
    try:
        plain = member.flush()
    except zlib.error:
        return
    if plain:
        yield plain


def _unzstd(stored: Iterator[bytes]) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    begun = False
    for block in stored:
        for start in range(0, len(block), _ZSTD_STEP_BYTES):
            rest = block[start : start + _ZSTD_STEP_BYTES]
            while rest:
                if frame.eof:
                    frame = decompressor.decompressobj()
                begun = True
                try:
                    plain = frame.decompress(rest)
                except zstandard.ZstdError:
                    raise DecodeError("corrupt", "the zstd data is damaged") from None
                rest = frame.unused_data if frame.eof else b""
                if plain:
                    yield plain
    if begun and not frame.eof:
        raise DecodeError("corrupt", "the zstd data ends too early")

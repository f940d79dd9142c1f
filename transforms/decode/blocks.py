"""Stored bytes become plain bytes: gzip and zstd are told by their first bytes, not by the name.

Sources: RFC 1952 (members follow each other), RFC 8878 (frames follow each other, some are skippable).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, Protocol

import zstandard

from schemas.errors import DecodeError
from transforms.decode.limits import Limits

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


def plain_blocks(stream: Readable, limits: Limits) -> Iterator[bytes]:
    """Yield the decompressed bytes of an object in non-empty blocks, about as long as a block may be.

    Raises:
        DecodeError: after the last block that could be read: ``corrupt``, or ``too_large`` where a few bytes stand for
            more than any log would.
    """
    first = _first(stream, limits.block)
    stored = _Stored(_blocks(stream, first, limits.block))
    if first.startswith(_GZIP):
        return _bounded(_gunzip(stored, limits.block), stored, limits)
    if _is_zstd(first):
        return _bounded(_unzstd(stored), stored, limits)
    return stored


class _Stored:
    """The blocks as they are stored, and how many bytes of them were read."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.size = 0
        self._blocks = blocks

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        block = next(self._blocks)
        self.size += len(block)
        return block


def _bounded(plain: Iterator[bytes], stored: _Stored, limits: Limits) -> Iterator[bytes]:
    """Yield the blocks, cut where a decoder gave more than one at a time, up to the limit."""
    size = 0
    for block in plain:
        size += len(block)
        if size > limits.unpacked + limits.ratio * stored.size:
            raise DecodeError("too_large", f"unpacks to more than {limits.ratio} times its size")
        for start in range(0, len(block), limits.block):
            yield block[start : start + limits.block]


def _first(stream: Readable, block_bytes: int) -> bytes:
    """Return the first block, long enough to hold a magic number even where reads come short."""
    block = stream.read(block_bytes)
    while block and len(block) < _MAGIC_BYTES and (more := stream.read(block_bytes)):
        block += more
    return block


def _blocks(stream: Readable, first: bytes, block_bytes: int) -> Iterator[bytes]:
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

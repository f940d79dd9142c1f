import gzip
import io

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import DecodeError
from transforms.decode.blocks import plain_blocks
from transforms.decode.limits import Limits

TEXT = b'{"type":"CUSTOM"}\n' * 5_000


def read(stored, block_bytes=4096):
    """What can be read, and the error after it."""
    parts = []
    try:
        parts.extend(plain_blocks(io.BytesIO(stored), Limits(block=block_bytes)))
    except DecodeError as error:
        return b"".join(parts), error.reason
    return b"".join(parts), None


def zstd(text):
    return zstandard.ZstdCompressor().compress(text)


@pytest.mark.parametrize("stored", [TEXT, gzip.compress(TEXT), zstd(TEXT)], ids=["plain", "gzip", "zstd"])
@pytest.mark.parametrize("block_bytes", [1, 7, 4096, 1 << 20])
def test_content_tells_the_compression(stored, block_bytes):
    assert read(stored, block_bytes) == (TEXT, None)


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_members_follow_each_other(compress):
    assert read(compress(TEXT) + compress(b"") + compress(b"end")) == (TEXT + b"end", None)


def test_skippable_frames_are_skipped():
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"meta"
    assert read(skippable + zstd(TEXT) + skippable) == (TEXT, None)


def test_padding_after_gzip_is_no_damage():
    assert read(gzip.compress(TEXT) + b"\0" * 5000) == (TEXT, None)


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_what_was_readable_before_a_cut_is_kept(compress):
    noise = b"".join(i.to_bytes(4, "big") * 2 for i in range(60_000))
    stored = compress(noise)
    text, reason = read(stored[: len(stored) // 2])
    assert reason == "corrupt"
    assert len(text) > 1000
    assert noise.startswith(text)


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_garbage_after_a_member_is_corrupt(compress):
    assert read(compress(TEXT) + b"garbage") == (TEXT, "corrupt")


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_a_bomb_comes_in_bounded_blocks(compress):
    stored = compress(b"\0" * (64 << 20))
    sizes = [len(block) for block in plain_blocks(io.BytesIO(stored), Limits(block=1 << 16))]
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= 64 << 20


@given(st.binary(max_size=300), st.integers(2, 40))
def test_any_bytes_are_read_or_corrupt(stored, block_bytes):
    _, reason = read(stored, block_bytes)
    assert reason in {None, "corrupt"}


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_what_unpacks_to_more_than_any_log_is_cut(compress):
    limits = Limits(block=1 << 16, unpacked=1 << 20, ratio=10)
    parts = []
    with pytest.raises(DecodeError) as caught:
        parts.extend(plain_blocks(io.BytesIO(compress(b"\n" * (4 << 20))), limits))
    assert caught.value.reason == "too_large"
    assert sum(map(len, parts)) <= (1 << 20) + 10 * len(compress(b"\n" * (4 << 20)))
    assert b"".join(plain_blocks(io.BytesIO(compress(b"\n" * (1 << 20))), limits)) == b"\n" * (1 << 20)

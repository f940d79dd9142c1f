"""Buckets: a tenant and a thread id become the number of the file that holds the thread."""

from __future__ import annotations

import hashlib
from typing import Final

KEY_BITS: Final = 64


def bucket_of(tenant_id: str, thread_id: str, bits: int) -> int:
    """Return a thread's bucket, 0 <= bucket < 2 ** bits.

    The bucket is the top bits of a hash, so bucket b of n bits splits into 2b and 2b + 1 of n + 1 bits.

    Args:
        bits: 0 to 64.

    >>> bucket_of("acme", "t-1", 0), bucket_of("acme", "t-1", 4) == bucket_of("acme", "t-1", 8) >> 4
    (0, True)
    """
    return key_of(tenant_id, thread_id) >> (KEY_BITS - bits)


def key_of(tenant_id: str, thread_id: str) -> int:
    """Return the hash itself, 0 <= key < 2 ** 64; the keys of a bucket lie next to each other."""
    key = f"{tenant_id}\0{thread_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=KEY_BITS // 8).digest(), "big")

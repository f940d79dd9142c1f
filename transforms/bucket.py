"""Buckets: a tenant and a thread id become the number of the file that holds the thread."""

from __future__ import annotations

import hashlib

_HASH_BITS = 64


def bucket_of(tenant_id: str, thread_id: str, bits: int) -> int:
    """Return a thread's bucket, 0 <= bucket < 2 ** bits.

    The bucket is the top bits of a hash, so bucket b of n bits splits into 2b and 2b + 1 of n + 1 bits.

    Args:
        bits: 0 to 64.

    >>> bucket_of("acme", "t-1", 0), bucket_of("acme", "t-1", 4) == bucket_of("acme", "t-1", 8) >> 4
    (0, True)
    """
    key = f"{tenant_id}\0{thread_id}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(key, digest_size=_HASH_BITS // 8).digest()
    return int.from_bytes(digest, "big") >> (_HASH_BITS - bits)

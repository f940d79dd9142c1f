"""Digests: a JSON value becomes a short keyed hash, equal for equal values."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from schemas.events import Json
from transforms import jsontext

_DIGEST_BYTES = 16


@lru_cache(maxsize=256)
def text_digest(text: str, key: bytes = b"") -> str:
    """Return `keyed_digest` of the value of a JSON text; an agent sends the same tools with every run."""
    return keyed_digest(jsontext.loads(text), key)


def keyed_digest(value: Json, key: bytes = b"") -> str:
    """Return 32 hex characters of BLAKE2b over the value's canonical JSON.

    Args:
        key: at most 64 bytes; without one, a short value can be guessed from its hash.
    """
    return hashlib.blake2b(_canonical(value).encode(), digest_size=_DIGEST_BYTES, key=key).hexdigest()


def _canonical(value: Json) -> str:
    return jsontext.dumps(_sorted(value))


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value

"""Vendors: token usage inside vendor payloads (RAW events, rawEvent keys) becomes usage entries."""

from __future__ import annotations

from schemas.events import Json
from transforms.vendors.langchain import usage_of_langchain
from transforms.vendors.model_apis import usage_of_response
from transforms.vendors.usage import UsageEntry

__all__ = ["UsageEntry", "usage_of_raw"]


def usage_of_raw(payload: Json) -> list[UsageEntry]:
    """Return the usage that a vendor payload tells, an empty list where it tells none or only part of it."""
    if not isinstance(payload, dict):
        return []
    return usage_of_langchain(payload) or usage_of_response(payload)

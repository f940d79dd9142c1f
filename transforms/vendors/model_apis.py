"""Model APIs: a whole response of OpenAI or Anthropic, or a .NET chat update, becomes usage entries."""

from __future__ import annotations

from schemas.events import Json
from transforms.vendors.usage import UsageEntry, usage_entry


def usage_of_response(payload: dict[str, Json]) -> list[UsageEntry]:
    """Return the usage of a response (``usage`` object beside ``model``) or of a .NET update's usage contents."""
    usage = payload.get("usage")
    found = [usage_entry(usage)] if isinstance(usage, dict) else _dotnet_usage(payload.get("contents"))
    entries = [entry for entry in found if entry is not None]
    for entry in entries:
        model, call_id = payload.get("model") or payload.get("modelId"), payload.get("id") or payload.get("responseId")
        entry.model = entry.model or (model if isinstance(model, str) and model else None)
        entry.call_id = call_id if isinstance(call_id, str) and call_id else None
    return entries


def _dotnet_usage(contents: Json) -> list[UsageEntry | None]:
    if not isinstance(contents, list):
        return []
    details = [item.get("details") for item in contents if isinstance(item, dict) and item.get("$type") == "usage"]
    return [usage_entry(item) for item in details if isinstance(item, dict)]

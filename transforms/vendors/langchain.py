"""LangChain and LangGraph: an ``on_chat_model_end`` callback event becomes a usage entry.

Only the end of a model call tells all of it: the stream's last chunk repeats the same counts, and a chain's end repeats
its models'. (LangChain ``astream_events`` v2; ``usage_metadata`` of ``AIMessage``.)
"""

from __future__ import annotations

from schemas.events import Json
from transforms.jsontext import mapping
from transforms.vendors.usage import UsageEntry, usage_entry


def usage_of_langchain(payload: dict[str, Json]) -> list[UsageEntry]:
    """Return the usage of the model call that this callback event ends, else an empty list."""
    if payload.get("event") != "on_chat_model_end":
        return []
    output = mapping(mapping(payload.get("data")).get("output"))
    entry = usage_entry(mapping(output.get("usage_metadata")))
    if entry is None:
        return []
    about = mapping(output.get("response_metadata")) | mapping(payload.get("metadata"))
    entry.model = entry.model or _text(about.get("model_name")) or _text(about.get("ls_model_name"))
    entry.provider = entry.provider or _text(about.get("model_provider")) or _text(about.get("ls_provider"))
    entry.call_id = _text(payload.get("run_id"))
    return [entry]


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value.isprintable() else None

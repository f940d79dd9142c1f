"""Usage entries: the many spellings of token counts become one.

Sources: AG-UI 1.0 ``RUN_FINISHED.usage``; OpenAI Chat Completions and Responses ``usage``; Anthropic Messages
``usage``; LangChain ``usage_metadata``; .NET Microsoft.Extensions.AI ``UsageDetails``.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from schemas.events import Json


class UsageEntry(msgspec.Struct, omit_defaults=True):
    """Tokens of one model call, or of several that the log has summed.

    Args:
        call_id: vendor's id of the model call, by which the same usage told twice is counted once.
        extra: keys of the entry that no field takes.
    """

    provider: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    call_id: str | None = None
    extra: dict[str, Any] = {}


_SPELLINGS: Final[dict[str, tuple[str, ...]]] = {
    "provider": ("provider", "model_provider", "ls_provider"),
    "model": ("model", "model_name", "modelId"),
    "input_tokens": ("inputTokens", "input_tokens", "prompt_tokens", "inputTokenCount"),
    "output_tokens": ("outputTokens", "output_tokens", "completion_tokens", "outputTokenCount"),
    "total_tokens": ("totalTokens", "total_tokens", "totalTokenCount"),
    "reasoning_tokens": ("reasoningTokens", "reasoning_tokens", "reasoningTokenCount"),
    "cache_read_tokens": (
        "cachedInputTokens",
        "cached_input_tokens",
        "cache_read_input_tokens",
        "cachedInputTokenCount",
    ),
    "cache_write_tokens": ("cacheWriteTokens", "cache_write_tokens", "cache_creation_input_tokens"),
}
_DETAILS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "reasoning_tokens": (
        ("output_token_details", "reasoning"),
        ("completion_tokens_details", "reasoning_tokens"),
        ("output_tokens_details", "reasoning_tokens"),
    ),
    "cache_read_tokens": (
        ("input_token_details", "cache_read"),
        ("prompt_tokens_details", "cached_tokens"),
        ("input_tokens_details", "cached_tokens"),
    ),
    "cache_write_tokens": (("input_token_details", "cache_creation"),),
}
_MAX_TOKENS: Final = 1 << 62


def usage_entry(counts: dict[str, Json]) -> UsageEntry | None:
    """Return the entry that an object of token counts tells; None where it has no input, output or total count."""
    entry = UsageEntry()
    known: set[str] = set()
    for field, spellings in _SPELLINGS.items():
        for key in spellings:
            value = _typed(field, counts.get(key))
            if value is not None:
                setattr(entry, field, value)
                known.add(key)
                break
    for field, places in _DETAILS.items():
        _fill_from_details(entry, field, places, counts, known)
    if entry.input_tokens is None and entry.output_tokens is None and entry.total_tokens is None:
        return None
    entry.extra = {key: value for key, value in counts.items() if key not in known and value is not None}
    return entry


def _fill_from_details(
    entry: UsageEntry, field: str, places: tuple[tuple[str, str], ...], counts: dict[str, Json], known: set[str]
) -> None:
    for outer, inner in places:
        details = counts.get(outer)
        if isinstance(details, dict) and getattr(entry, field) is None:
            setattr(entry, field, _typed(field, details.get(inner)))
            known.add(outer)


def _typed(field: str, value: Json) -> str | int | None:
    if field in ("provider", "model"):
        return value if isinstance(value, str) and value.isprintable() else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < _MAX_TOKENS and value == int(value) else None

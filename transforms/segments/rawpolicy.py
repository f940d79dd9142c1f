"""RAW policy: RAW events and rawEvent keys are dropped, hashed or kept; token usage is taken from them first.

They are half of the bytes in real logs and repeat prompts in clear, so ``drop`` is the default.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final

import msgspec

from schemas.events import DELTA_TARGETS, Event
from transforms import jsontext
from transforms.decode.normalise import event_of
from transforms.vendors import usage_of_raw

_RAW_KEYS: Final = ("rawEvent", "raw_event")
_HASH_BYTES: Final = 16


class RawChoice(StrEnum):
    """What becomes of raw vendor payloads."""

    DROP = "drop"
    HASH = "hash"
    KEEP = "keep"


class Taken(msgspec.Struct, gc=False):
    """An event after the policy.

    ``event`` is None where the whole event was dropped; ``target`` and ``delta`` are set where a plain text delta is
    left.
    """

    event: bytes | None
    raw_events: int = 0
    raw_bytes: int = 0
    usage: bytes | None = None
    target: str | None = None
    delta: str | None = None


class RawPolicy:
    """Applies one choice to events as they are read."""

    def __init__(self, choice: RawChoice) -> None:
        self._choice = choice

    def apply(self, event_type: str, event: bytes) -> Taken:
        """Return the event as it goes on, and what was taken from it."""
        if event_type == "RAW":
            return self._apply_to_raw(event)
        if b"rawEv" in event or b"raw_ev" in event:
            return self._apply_to_key(event_type, event)
        return Taken(event)

    def _apply_to_raw(self, event: bytes) -> Taken:
        parsed, _ = event_of(event)
        payload = parsed.get("event")
        usage = _usage_json(payload)
        if self._choice is RawChoice.KEEP:
            return Taken(event, 1, len(event), usage)
        if self._choice is RawChoice.DROP:
            return Taken(None, 1, len(event), usage)
        parsed["event"] = {"blake2b": _digest(jsontext.dumps(payload).encode())}
        return Taken(jsontext.dumps(parsed).encode(), 1, len(event), usage)

    def _apply_to_key(self, event_type: str, event: bytes) -> Taken:
        parsed = jsontext.loads(event)
        payloads = [parsed.pop(key) for key in _RAW_KEYS if key in parsed]
        texts = [jsontext.dumps(payload).encode() for payload in payloads if payload is not None]
        if not payloads:
            return Taken(event)
        size = sum(map(len, texts))
        usage = next(filter(None, map(_usage_json, payloads)), None)
        if self._choice is RawChoice.KEEP:
            return Taken(event, len(texts), size, usage)
        if self._choice is RawChoice.HASH and texts:
            parsed["rawEvent"] = {"blake2b": _digest(texts[0])}
        if texts and event_type.endswith("_CHUNK") and parsed.get("delta") is None:
            parsed["delta"] = ""  # what a chunk with a rawEvent and no delta is expanded to
        taken = Taken(jsontext.dumps(parsed).encode(), len(texts), size, usage)
        if usage is None and self._choice is RawChoice.DROP:
            taken.target, taken.delta = _plain_delta(event_type, parsed)
        return taken


def _plain_delta(event_type: str, parsed: Event) -> tuple[str | None, str | None]:
    key = DELTA_TARGETS.get(event_type)
    is_bare = all(parsed.get(name) is None for name in ("metadata", "usage", "subagentRunId", "subagent_run_id"))
    if key is None or not is_bare or not isinstance(parsed.get("delta"), str):
        return None, None
    target = parsed.get(key)
    return (target, parsed["delta"]) if isinstance(target, str) else (None, None)


def _usage_json(payload: object) -> bytes | None:
    usage = usage_of_raw(payload)
    return jsontext.dumps(msgspec.to_builtins(usage)).encode() if usage else None


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=_HASH_BYTES).hexdigest()

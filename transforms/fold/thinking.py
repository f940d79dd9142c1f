"""Thinking: the retired THINKING_* events, which carry no ids, become REASONING_* with ids that a rerun makes again.

Source: the reference client's compatibility layer for AG-UI before 0.0.46, which mints random ids.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from schemas.events import Event

_REASONING: Final = {
    "THINKING_START": "REASONING_START",
    "THINKING_END": "REASONING_END",
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}
_SPANS: Final = frozenset({"REASONING_START", "REASONING_END"})
_DIGEST_BYTES: Final = 8


class ThinkingNames:
    """Gives the thinking blocks of one run their ids, in order.

    Args:
        seed: names the run; the same seed and the same order of blocks give the same ids.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode("utf-8", "surrogatepass")
        self._blocks = 0
        self._span: str | None = None
        self._message: str | None = None
        self._is_started = False

    def translate(self, event: Event) -> Event:
        """Return the event, or what it is called today.

        Translate before chunks are expanded: text that no START precedes becomes a chunk, which opens its message.
        """
        kind = _REASONING.get(event["type"])
        if kind is None:
            return event
        renamed = {**event, "type": kind}
        if kind == "REASONING_START":
            renamed.pop("title", None)
            self._span = self._next_id()
        elif kind == "REASONING_MESSAGE_START":
            renamed["role"] = "reasoning"
            self._message, self._is_started = self._next_id(), True
        elif kind == "REASONING_MESSAGE_CONTENT" and not self._is_started:
            renamed["type"] = "REASONING_MESSAGE_CHUNK"
        renamed["messageId"] = self._span_id() if kind in _SPANS else self._message_id()
        return renamed

    def _span_id(self) -> str:
        if self._span is None:
            self._span = self._next_id()
        return self._span

    def _message_id(self) -> str:
        if self._message is None:
            self._message = self._next_id()
        return self._message

    def _next_id(self) -> str:
        digest = blake2b(self._seed + f"\0{self._blocks}".encode(), digest_size=_DIGEST_BYTES)
        self._blocks += 1
        return f"thinking-{digest.hexdigest()}"

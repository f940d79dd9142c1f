"""A run's events become the same events with what the model's vendor sent: RAW events, or rawEvent on each delta."""

from __future__ import annotations

from random import Random
from typing import Final

from schemas.events import Event, Json
from transforms.sample.domain import Domain

TEXT: Final = "TEXT_MESSAGE_CONTENT"


def with_raw(rng: Random, events: list[Event], domain: Domain) -> list[Event]:
    """Return the events with the vendor's chunks beside the text deltas.

    Half of the runs have a RAW event before each delta, as LangGraph's integration writes them, half a ``rawEvent``.
    """
    reply_id = f"chatcmpl-{rng.getrandbits(80):020x}"
    is_apart = rng.random() < 0.5
    result: list[Event] = []
    for event in events:
        if event["type"] != TEXT:
            result.append(event)
            continue
        chunk = _chunk(reply_id, domain, event["delta"])
        if is_apart:
            source = {"event": "on_chat_model_stream", "data": {"chunk": chunk}, "metadata": {"langgraph_node": "chat"}}
            result += [{"type": "RAW", "event": source, "source": "langgraph"}, event]
        else:
            result.append(event | {"rawEvent": chunk})
    return result


def _chunk(reply_id: str, domain: Domain, text: str) -> Json:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "logprobs": None, "finish_reason": None}
    return {"id": reply_id, "object": "chat.completion.chunk", "model": domain.model, "choices": [choice]}

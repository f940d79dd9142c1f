"""Fold of text: TEXT_MESSAGE_* and REASONING_* events become the content of messages.

Both kinds stream into the first message with the id, whatever its role; an activity's content is never overwritten.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from schemas.events import Event, Json, Message
from transforms.fold.draft import Draft
from transforms.fold.jsvalue import MISSING, key_of, text_of
from transforms.fold.stream import Stream
from transforms.fold.trace import Trace

_TEXT: Final = "text"
_REASONING: Final = "reasoning"


def start_text(draft: Draft, event: Event) -> None:
    """Create the message if its id is unknown; else role, name and content stay as they are."""
    key = key_of(event.get("messageId", MISSING))
    if key in draft.first:
        _note_end(draft, event, draft.first[key], is_ended=False)
        return
    message: Message = {"role": event.get("role", "assistant"), "content": ""}
    if "name" in event:
        message["name"] = event["name"]
    _create(draft, event, key, message, Trace("stream"))


def start_reasoning(draft: Draft, event: Event) -> None:
    """Create the reasoning message if its id is unknown."""
    key = key_of(event.get("messageId", MISSING))
    if key in draft.first:
        _note_end(draft, event, draft.first[key], is_ended=False)
    else:
        _create(draft, event, key, {"role": _REASONING, "content": ""}, Trace(_REASONING))


def add_text(draft: Draft, event: Event) -> None:
    """Append a text delta."""
    _add(draft, event, _TEXT)


def add_reasoning(draft: Draft, event: Event) -> None:
    """Append a reasoning delta."""
    _add(draft, event, _REASONING)


def end_text(draft: Draft, event: Event) -> None:
    """Note the end; it closes nothing, and text may follow it."""
    position = draft.first.get(key_of(event.get("messageId", MISSING)))
    if position is None:
        draft.violations["unknown_message"] += 1
    else:
        _note_end(draft, event, position, is_ended=True)


def set_encrypted_value(draft: Draft, event: Event) -> None:
    """Attach an encrypted value to a tool call of an assistant or to a message; the event's metadata stays with it."""
    identity = key_of(event.get("entityId", MISSING))
    if event.get("subtype") == "tool-call":
        place = draft.assistant_call(identity)
        target = None if place is None else draft.own_call(*place)
    else:
        position = draft.first.get(identity)
        is_target = position is not None and not _is_activity(draft.messages[position])
        target = draft.own(position) if position is not None and is_target else None
    if target is None:
        draft.violations["unknown_entity"] += 1
    elif "encryptedValue" in event:
        target["encryptedValue"] = event["encryptedValue"]
    else:
        target.pop("encryptedValue", None)


def _create(draft: Draft, event: Event, key: Hashable, message: Message, trace: Trace) -> None:
    if "messageId" in event:
        message["id"] = event["messageId"]
    if event.get("subagentRunId") is not None:
        message["subagentRunId"] = event["subagentRunId"]
    if "metadata" in event:
        draft.merge_metadata(message, event)
    draft.append(message, trace)
    draft.texts[key] = Stream(message, "content", trace, _own_kind(message), "")


def _note_end(draft: Draft, event: Event, position: int, *, is_ended: bool) -> None:
    """Note that the text of a message ended, or begins anew; either changes its metadata only."""
    if _is_activity(draft.messages[position]):
        draft.violations["id_collision"] += 1
        return
    if "metadata" in event:
        _merge_metadata(draft, position, event)
    trace = draft.traces.get(id(draft.messages[position]))
    if trace is not None:
        trace.is_ended = is_ended
        draft.touch(trace)


def _add(draft: Draft, event: Event, kind: str) -> None:
    identity = event.get("messageId", MISSING)
    key = identity if type(identity) is str else key_of(identity)
    stream = draft.texts.get(key)
    if stream is None:
        stream = _open(draft, key)
        if stream is None:
            return
    if stream.kind != kind:
        draft.violations["id_collision"] += 1
        stream.turn(kind)
    delta = event.get("delta")
    if type(delta) is not str:
        delta = _odd_delta(draft, delta)
    stream.parts.append(delta)
    if draft.last_us is not None:
        draft.touch(stream.trace)
    if "metadata" in event:
        _merge_metadata(draft, draft.first[key], event)


def _open(draft: Draft, key: Hashable) -> Stream | None:
    position = draft.first.get(key)
    if position is None:
        draft.violations["unknown_message"] += 1
        return None
    if _is_activity(draft.messages[position]):
        draft.violations["id_collision"] += 1
        return None
    message = draft.own(position)
    if message is None:
        return None
    trace = draft.traces[id(message)]
    trace.is_ended = False
    content = message.get("content")
    stream = Stream(message, "content", trace, _own_kind(message), content if type(content) is str else "")
    draft.texts[key] = stream
    return stream


def _odd_delta(draft: Draft, delta: Json) -> str:
    """Return the text of a delta that is no string: none of null, where JavaScript would write the word."""
    if delta is None:
        return ""
    draft.violations["bad_delta"] += 1
    return text_of(delta)


def _merge_metadata(draft: Draft, position: int, event: Event) -> None:
    message = draft.own(position)
    if message is not None:
        draft.merge_metadata(message, event)


def _is_activity(message: Message) -> bool:
    return type(message) is dict and message.get("role") == "activity"


def _own_kind(message: Message) -> str:
    return _REASONING if message.get("role") == _REASONING else _TEXT

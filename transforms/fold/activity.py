"""Fold of activities: ACTIVITY_SNAPSHOT and ACTIVITY_DELTA become messages of role activity.

Both put a new object at the first position with the id: where the same object stands at others too, those keep the old.
"""

from __future__ import annotations

from schemas.events import Event, Json, Message
from transforms.fold.draft import Draft
from transforms.fold.growth import Owned
from transforms.fold.jsvalue import MISSING, is_truthy, key_of
from transforms.fold.operation import PatchError
from transforms.fold.patch import apply_patch
from transforms.fold.trace import Trace


def take_activity(draft: Draft, event: Event) -> None:
    """Create an activity, or replace one; its metadata stays and grows."""
    position = draft.first.get(key_of(event.get("messageId", MISSING)))
    replace = event.get("replace")
    is_replaced = replace is None or is_truthy(replace)
    if position is None:
        message = _new_activity(event)
        if "metadata" in event:
            draft.merge_metadata(message, event)
        draft.append(message, Trace("activity", is_ended=True))
        return
    former = draft.messages[position]
    if type(former) is not dict or former.get("role") != "activity":
        draft.violations["id_collision"] += 1
        if is_replaced:
            _replace_other(draft, position, event)
        return
    if is_replaced:
        _replace_content(draft, position, event)
    if "metadata" in event:
        _merge_metadata(draft, position, event)


def patch_activity(draft: Draft, event: Event) -> None:
    """Patch an activity's content and take the event's type; metadata is merged even if the patch is refused."""
    position = draft.first.get(key_of(event.get("messageId", MISSING)))
    if position is None:
        draft.violations["unknown_message"] += 1
        return
    message = draft.messages[position]
    if type(message) is not dict or message.get("role") != "activity":
        draft.violations["not_activity"] += 1
        return
    if "metadata" in event:
        _merge_metadata(draft, position, event)
        message = draft.messages[position]
    trace = draft.traces.get(id(message))
    is_alone = not draft.has_twin(position)
    owned = trace.content if is_alone and trace is not None and trace.content is not None else Owned()
    operations = event.get("patch")
    content = message.get("content")
    try:
        content = apply_patch({} if content is None else content, [] if operations is None else operations, owned)
    except PatchError as error:
        draft.violations[error.kind] += 1
        return
    message = _own_alone(draft, position)
    message["content"] = content
    _put(message, "activityType", event.get("activityType", MISSING))
    draft.traces[id(message)].content = owned


def _replace_content(draft: Draft, position: int, event: Event) -> None:
    message = _own_alone(draft, position)
    _put(message, "activityType", event.get("activityType", MISSING))
    _put(message, "content", event.get("content", MISSING))
    owner = event.get("subagentRunId")
    _put(message, "subagentRunId", MISSING if owner is None else owner)
    draft.traces[id(message)].content = None


def _replace_other(draft: Draft, position: int, event: Event) -> None:
    """Put an activity where a message of another role stood; its tool calls go with it."""
    former = draft.traces.get(id(draft.messages[position]))
    message = _new_activity(event)
    if "metadata" in event:
        draft.merge_metadata(message, event)
    draft.flush()
    draft.replace(position, message, Trace("activity", is_new=former is not None and former.is_new, is_ended=True))
    draft.forget_lost()
    draft.build_indexes()


def _new_activity(event: Event) -> Message:
    message: Message = {"role": "activity"}
    for key, name in (("messageId", "id"), ("activityType", "activityType"), ("content", "content")):
        if key in event:
            message[name] = event[key]
    if event.get("subagentRunId") is not None:
        message["subagentRunId"] = event["subagentRunId"]
    return message


def _own_alone(draft: Draft, position: int) -> Message:
    """Return the activity at a position, ready to be mutated, as an object that stands at no other."""
    if draft.has_twin(position):
        former = draft.messages[position]
        known = draft.traces.get(id(former))
        if known is not None:
            known.content = None
        draft.replace(
            position, former.copy(), Trace("activity", is_new=known is not None and known.is_new, is_ended=True)
        )
    message = draft.own(position)
    if message is None:
        msg = "an activity is an object"
        raise AssertionError(msg)
    return message


def _merge_metadata(draft: Draft, position: int, event: Event) -> None:
    message = draft.own(position)
    if message is not None:
        draft.merge_metadata(message, event)


def _put(message: Message, key: str, value: Json) -> None:
    if value is MISSING:
        message.pop(key, None)
    else:
        message[key] = value

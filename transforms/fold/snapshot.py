"""Fold of whole messages: MESSAGES_SNAPSHOT and the input of RUN_STARTED become messages of a view.

A snapshot edits and merges, it does not replace: what is known stays in its place in the new version, what only a
client knows stays, the rest goes, and what is new comes last::

    view      u1 a1 activity1 a2      snapshot   a1' u1 a3
    becomes   u1 a1' activity1 a3
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import is_
from typing import Final

from schemas.events import Event, Json, Message
from transforms.fold.draft import Draft
from transforms.fold.jsvalue import MISSING, id_key
from transforms.fold.trace import Trace
from transforms.sameness import same_json

_CLIENT_KEY: Final = "@ag-ui/client"
_AUTHORITY_KEY: Final = "authoritativeActivityTypes"


def start_run(draft: Draft, event: Event) -> None:
    """Append the input's messages whose ids are unknown; the state of the input is not applied."""
    given = event.get("input")
    messages = given.get("messages") if type(given) is dict else None
    if type(messages) is str:
        messages = list(messages)  # JavaScript goes through its characters
    if not messages:
        return
    if type(messages) is not list or None in messages:
        draft.violations["bad_input"] += 1
        return
    for message in _each_alone(_without_null_owners(messages)):
        if id_key(message) not in draft.first:
            draft.append(message, Trace("input", is_ended=True, is_owned=False))


def take_snapshot(draft: Draft, event: Event) -> None:
    """Merge a snapshot of the messages into the view."""
    messages = event.get("messages")
    if type(messages) is not list or None in messages:
        draft.violations["bad_snapshot"] += 1
        return
    draft.flush()
    given = _without_null_owners(messages)
    local = draft.messages
    draft.messages = _merge_known(draft, given, _preserver(event, given))
    known = set(map(id_key, draft.messages))
    added = [message for message in _each_alone(given) if id_key(message) not in known]
    draft.messages += added
    for message in added:
        draft.trace(message, Trace("snapshot", is_ended=True, is_owned=False))
    if len(local) != len(draft.messages) or not all(map(is_, local, draft.messages)):
        draft.forget_lost()
        draft.build_indexes()


def _merge_known(draft: Draft, given: list[Message], is_preserved: Callable[[Message], bool]) -> list[Message]:
    """Return the local messages that stay, each in the snapshot's version where it has one.

    A local object that equals the snapshot's stays itself. All messages with one id become one object.
    """
    versions: dict[Hashable, Message] = {id_key(message): message for message in given}
    settled: dict[Hashable, Message] = {}
    merged: list[Message] = []
    for message in draft.messages:
        key = id_key(message)
        if key not in versions:
            if is_preserved(message):
                merged.append(message)
            continue
        if key not in settled:
            version = versions[key]
            settled[key] = message if same_json(message, version) else _update(draft, message, version)
        merged.append(settled[key])
    return merged


def _update(draft: Draft, message: Message, version: Message) -> Message:
    """Note that a message is now the snapshot's, and how it first came if that was in this run."""
    trace = Trace("snapshot", is_new=False, is_ended=True, is_owned=False)
    former = draft.traces.get(id(message))
    if former is not None:
        trace.origin, trace.is_new, trace.first_us = former.origin, former.is_new, former.first_us
        if _content(message) == _content(version):
            trace.pieces = former.pieces
    draft.trace(version, trace)
    return version


def _preserver(event: Event, given: list[Message]) -> Callable[[Message], bool]:
    """Return the test for a local message that stays though the snapshot lacks it: reasoning and activities may.

    They stay unless the snapshot carries messages of their role, or declares itself the authority on activities.
    """
    roles = [_role(message) for message in given]
    has_reasoning, has_activity = "reasoning" in roles, "activity" in roles
    owned_types = _owned_types(event)

    def is_preserved(message: Message) -> bool:
        role = _role(message)
        if role == "reasoning":
            return not has_reasoning
        if role != "activity":
            return False
        if owned_types is MISSING:
            return not has_activity
        return owned_types is not None and message.get("activityType") not in owned_types

    return is_preserved


def _owned_types(event: Event) -> Json:
    """Return the activity types that a snapshot owns: None for all, MISSING where it does not say."""
    metadata = event.get("metadata")
    if type(metadata) is not dict or _CLIENT_KEY not in metadata:
        return MISSING
    declared = metadata[_CLIENT_KEY]
    if type(declared) is not dict:
        return []
    types = declared.get(_AUTHORITY_KEY, MISSING)
    if types is MISSING or types is None:
        return types
    return types if type(types) is list and all(type(one) is str for one in types) else []


def _without_null_owners(messages: list[Message]) -> list[Message]:
    """Read a null ``subagentRunId`` as absent."""
    return [
        {key: value for key, value in message.items() if key != "subagentRunId"}
        if type(message) is dict and message.get("subagentRunId", MISSING) is None
        else message
        for message in messages
    ]


def _each_alone(messages: list[Message]) -> list[Message]:
    """Return the messages as distinct objects: equal texts may have been parsed to one."""
    seen: set[int] = set()
    alone: list[Message] = []
    for message in messages:
        is_repeated = id(message) in seen and type(message) is dict
        seen.add(id(message))
        alone.append(message.copy() if is_repeated else message)
    return alone


def _role(message: Message) -> Json:
    return message.get("role") if type(message) is dict else None


def _content(message: Message) -> Json:
    return message.get("content") if type(message) is dict else None

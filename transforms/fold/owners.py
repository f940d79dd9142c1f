"""Owners: messages, tool calls and activities become known as the parent agent's or one subagent's.

Source: AG-UI 1.0, ``verifyEvents``: an event that names a subagent must name the one that opened what it is about.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from schemas.events import RUN_STARTED, Event, Json, Message
from transforms.fold.draft import tool_calls
from transforms.fold.jsvalue import MISSING, key_of

_ROLE_KINDS: Final = {"reasoning": "reasoning", "activity": "activity"}
_UNKNOWN: Final = object()
"""The owner of what nobody has opened; the parent agent is MISSING."""


class Owners:
    """Who opened what, in one run."""

    def __init__(self) -> None:
        self._known: dict[str, dict[Hashable, Json]] = {
            kind: {} for kind in ("message", "call", "reasoning", "activity")
        }

    def is_mismatch(self, event: Event, kind: str, key: Hashable) -> bool:
        """Tell whether an event names another subagent than the opener's."""
        tag = event.get("subagentRunId", MISSING)
        known = self._known[kind].get(key, _UNKNOWN)
        return tag is not MISSING and known is not _UNKNOWN and tag != known

    def is_call_mismatch(self, event: Event, key: Hashable) -> bool:
        """Tell whether a TOOL_CALL_START disagrees with its parent message's owner or with the call's own."""
        tag = event.get("subagentRunId", MISSING)
        parent = self._parent_owner(event)
        if parent is _UNKNOWN:
            return self.is_mismatch(event, "call", key)
        if tag is not MISSING and tag != parent:
            return True
        return bool(self._known["call"].get(key, parent) != parent)

    def is_encrypted_mismatch(self, event: Event) -> bool:
        """Tell whether a REASONING_ENCRYPTED_VALUE names another subagent than its entity's."""
        key, subtype = key_of(event.get("entityId", MISSING)), event.get("subtype")
        if subtype == "tool-call":
            return self.is_mismatch(event, "call", key)
        is_message = subtype == "message" and key in self._known["message"]
        return self.is_mismatch(event, "message" if is_message else "reasoning", key)

    def take_start(self, event: Event, kind: str, key: Hashable) -> None:
        """Note who opened an entity; the first opener stays."""
        owner = event.get("subagentRunId", MISSING)
        if kind == "call" and owner is MISSING:
            parent = self._parent_owner(event)
            owner = MISSING if parent is _UNKNOWN else parent
        self._known[kind].setdefault(key, owner)

    def take_whole(self, event: Event) -> None:
        """Note whose a TOOL_CALL_RESULT, ACTIVITY_SNAPSHOT or MESSAGES_SNAPSHOT is."""
        kind = event["type"]
        owner = event.get("subagentRunId", MISSING)
        key = key_of(event.get("messageId", MISSING))
        if kind == "MESSAGES_SNAPSHOT":
            self.seed(event, is_authority=True)
        elif kind == "TOOL_CALL_RESULT":
            if type(key) is str:
                self._known["message"][key] = owner
        elif key not in self._known["activity"] or event.get("replace", MISSING) is not False:
            self._known["activity"][key] = owner

    def seed(self, event: Event, *, is_authority: bool) -> None:
        """Take owners from messages: those of a snapshot overrule what is known, those of an input do not."""
        for message in whole_messages(event):
            owner = message.get("subagentRunId", MISSING)
            role = message.get("role")
            kind = _ROLE_KINDS.get(role, "message") if type(role) is str else "message"
            self._take(kind, message["id"], owner, is_authority=is_authority)
            for call in tool_calls(message):
                if type(call) is dict and type(call.get("id")) is str:
                    self._take("call", call["id"], MISSING if owner is None else owner, is_authority=is_authority)

    def _take(self, kind: str, identity: str, owner: Json, *, is_authority: bool) -> None:
        if is_authority or identity not in self._known[kind]:
            self._known[kind][identity] = owner

    def _parent_owner(self, event: Event) -> Json:
        return self._known["message"].get(key_of(event.get("parentMessageId", MISSING)), _UNKNOWN)


def whole_messages(event: Event) -> list[Message]:
    """Return the messages with a string id that a MESSAGES_SNAPSHOT or the input of a RUN_STARTED brings."""
    holder = event.get("input") if event["type"] == RUN_STARTED else event
    messages = holder.get("messages") if type(holder) is dict else None
    if type(messages) is not list:
        return []
    return [one for one in messages if type(one) is dict and type(one.get("id")) is str]

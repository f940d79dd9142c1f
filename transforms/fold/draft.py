"""Drafts: a view in the making, whose shared messages are copied before they are changed.

A message that came with the base view, an input or a snapshot belongs to others too and is never mutated: the first
change clones it and puts the clone wherever the same object stood. A look-up finds the first message with an id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final

from schemas.events import Event, Json, Message
from transforms.fold.growth import Owned
from transforms.fold.jsvalue import id_key, spread
from transforms.fold.stream import Stream
from transforms.fold.trace import Trace

_ORIGINS: Final = {"activity": "activity", "reasoning": "reasoning", "tool": "result", "user": "input"}


class Draft:
    """The messages and the state of a view, with the indexes that its changes need.

    Attributes:
        first: id of a message -> the first position that has it.
        calls: id of a tool call -> position of the first message that owns it, and its index there.
        traces, call_traces: by ``id()`` of a dict that stands in ``messages``.
        has_aliases: some object stands at several positions.
        results: position of a call's owner, and of the end of the results behind it, if nothing moved since.
        texts, arguments: what is being streamed into, by id of message and of tool call.
        first_us, last_us: times of the event that is being applied.
    """

    def __init__(self, messages: list[Message], state: Json) -> None:
        self.messages = messages
        self.state = state
        self.owned_state = Owned()
        self.traces: dict[int, Trace] = {}
        self.call_traces: dict[int, Trace] = {}
        self.violations: Counter[str] = Counter()
        self.first: dict[Hashable, int] = {}
        self.calls: dict[Hashable, tuple[int, int]] = {}
        self.has_aliases = False
        self.texts: dict[Hashable, Stream] = {}
        self.arguments: dict[Hashable, Stream] = {}
        self.results: tuple[int, int] | None = None
        self.first_us: int | None = None
        self.last_us: int | None = None

    def build_indexes(self) -> None:
        """Read every index from the messages, in one pass over all of them."""
        self.first.clear()
        self.calls.clear()
        self.results = None
        for position, message in enumerate(self.messages):
            self._index(position, message)
        self.has_aliases = len(set(map(id, self.messages))) < len(self.messages)

    def fork(self) -> Draft:
        """Return a draft of the same view, with copies of the indexes and no traces."""
        draft = Draft(self.messages.copy(), self.state)
        draft.first = self.first.copy()
        draft.calls = self.calls.copy()
        draft.has_aliases = self.has_aliases
        return draft

    def take_state(self, state: Json) -> None:
        """Replace the state by a value that is shared."""
        self.state = state
        self.owned_state = Owned()

    def append(self, message: Message, trace: Trace) -> None:
        """Put a message at the end."""
        self._index(len(self.messages), message)
        self.messages.append(message)
        self.trace(message, trace)

    def insert(self, position: int, message: Message, trace: Trace) -> None:
        """Put a message that owns no calls at a position; costs as much as there are messages after it."""
        if position == len(self.messages):
            self.append(message, trace)
            return
        self.results = None
        first, calls = self.first, self.calls
        for old in range(len(self.messages) - 1, position - 1, -1):
            moved = self.messages[old]
            key = id_key(moved)
            if first.get(key) == old:
                first[key] = old + 1
            for call in tool_calls(moved):
                key = id_key(call)
                place = calls.get(key)
                if place is not None and place[0] == old:
                    calls[key] = old + 1, place[1]
        self.messages.insert(position, message)
        key = id_key(message)
        if first.get(key, position) >= position:
            self._end_text(key)
            first[key] = position
        self.trace(message, trace)

    def own(self, position: int) -> Message | None:
        """Return the message at a position, ready to be mutated; None if it is no object, which is a violation."""
        message = self.messages[position]
        trace = self.traces.get(id(message))
        if trace is not None and trace.is_owned:
            self.touch(trace)
            return message
        if type(message) is not dict:
            self.violations["bad_message"] += 1
            return None
        clone = message.copy()
        if type(clone.get("toolCalls")) is list:
            clone["toolCalls"] = clone["toolCalls"].copy()
        if trace is None:
            role = clone.get("role")
            origin = _ORIGINS.get(role, "stream") if type(role) is str else "stream"
            trace = Trace(origin, is_new=False, is_ended=True)
        trace.is_owned = True
        self._replace_everywhere(position, message, clone)
        self.trace(clone, trace)
        return clone

    def own_call(self, position: int, index: int) -> Message | None:
        """Return a tool call, ready to be mutated, its ``function`` too; None if the message cannot be."""
        message = self.own(position)
        if message is None:
            return None
        call = message["toolCalls"][index]
        trace = self.call_traces.get(id(call))
        if trace is None:
            call = message["toolCalls"][index] = call.copy()
            if type(call.get("function")) is dict:
                call["function"] = call["function"].copy()
            owner = self.traces[id(message)]
            trace = self.call_traces[id(call)] = Trace("tool", is_new=owner.is_new, is_ended=True)
        self.touch(trace)
        return call  # type: ignore[no-any-return]  # a call of the index is a dict

    def assistant_call(self, key: Hashable) -> tuple[int, int] | None:
        """Return the place of the first call with an id that an assistant owns."""
        place = self.calls.get(key)
        if place is None or self.messages[place[0]].get("role") == "assistant":
            return place
        for position, message in enumerate(self.messages):
            for index, call in enumerate(tool_calls(message)):
                if type(call) is dict and id_key(call) == key and message.get("role") == "assistant":
                    return position, index
        return None

    def has_twin(self, position: int) -> bool:
        """Tell whether the object at a position stands at another one too."""
        message = self.messages[position]
        return self.has_aliases and sum(other is message for other in self.messages) > 1

    def replace(self, position: int, message: Message, trace: Trace) -> None:
        """Put another message at one position, even where the former one stands at others too."""
        self.results = None
        if not self.has_twin(position):
            self.traces.pop(id(self.messages[position]), None)
        self.messages[position] = message
        self.trace(message, trace)

    def trace(self, message: Message, trace: Trace) -> None:
        """Note how a message came, at the time of this event."""
        self.traces[id(message)] = trace
        self.touch(trace)

    def touch(self, trace: Trace) -> None:
        """Note the time of this event."""
        if self.last_us is not None:
            trace.last_us = self.last_us
            if trace.first_us is None:
                trace.first_us = self.first_us

    def forget_lost(self) -> None:
        """Drop the traces of what no longer stands in the messages, before its ``id()`` means something else."""
        live = set(map(id, self.messages))
        self.traces = {key: trace for key, trace in self.traces.items() if key in live}
        calls = {id(call) for message in self.messages for call in tool_calls(message)}
        self.call_traces = {key: trace for key, trace in self.call_traces.items() if key in calls}

    def flush(self) -> None:
        """Join what is being streamed, and end the streams."""
        for streams in (self.texts, self.arguments):
            for stream in streams.values():
                stream.flush()
            streams.clear()

    def merge_metadata(self, target: Message, event: Event) -> None:
        """Fold an event's metadata into a message or tool call that is owned, key by key, the last write winning."""
        incoming = event["metadata"]
        target["metadata"] = {**spread(target.get("metadata")), **spread(incoming)}
        if type(incoming) is not dict and incoming is not None:
            self.violations["bad_metadata"] += 1

    def _index(self, position: int, message: Message) -> None:
        self.first.setdefault(id_key(message), position)
        for index, call in enumerate(tool_calls(message)):
            if type(call) is dict:
                self.calls.setdefault(id_key(call), (position, index))

    def _end_text(self, key: Hashable) -> None:
        stream = self.texts.pop(key, None)
        if stream is not None:
            stream.flush()

    def _replace_everywhere(self, position: int, former: Message, message: Message) -> None:
        self.traces.pop(id(former), None)
        if not self.has_aliases:
            self.messages[position] = message
            return
        for place, other in enumerate(self.messages):
            if other is former:
                self.messages[place] = message


def tool_calls(message: Message) -> list[Json]:
    """Return a message's list of tool calls, empty where it has none or something else."""
    calls = message.get("toolCalls") if type(message) is dict else None
    return calls if type(calls) is list else []

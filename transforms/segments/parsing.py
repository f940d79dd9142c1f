"""Parsing: the items of a thread become AG-UI events, each message text of a segment parsed once and shared."""

from __future__ import annotations

from collections import Counter

from schemas.events import Event, Message
from schemas.segments import Segment
from transforms.decode.normalise import event_of, input_of, message_of
from transforms.segments.builder import delta_event
from transforms.segments.ordering import Placed


class ParsedItems:
    """The events of one thread's items, parsed on demand.

    A RUN_STARTED is asked for twice, by the lineage and by the fold, and is kept in between. A message that many inputs
    repeat is parsed once, and is one object in all of them.

    Attributes:
        violations: by ``id()`` of an item whose event was parsed, the slips that were put right.
    """

    def __init__(self) -> None:
        self.violations: dict[int, Counter[str]] = {}
        self._events: dict[int, Event] = {}
        self._messages: dict[bytes, Message] = {}

    def event(self, placed: Placed) -> Event:
        """Return the event of an item in canonical wire form; its messages are shared and must not be mutated."""
        item = placed.item
        if item.event is None:
            return delta_event(item) if item.text is not None else {"type": item.type}
        known = self._events.pop(id(item), None)
        if known is not None:
            return known
        event, violations = event_of(item.event)
        if violations:
            self.violations[id(item)] = Counter(violations)
        self._give_messages(placed, event)
        if item.type == "RUN_STARTED":
            self._events[id(item)] = event
        return event

    def envelope_input(self, placed: Placed) -> Event | None:
        """Return the RunAgentInput that stood around the events, None where none did."""
        attachment = placed.item.attachment
        if attachment is None or attachment.input is None:
            return None
        found = input_of(attachment.input)
        if placed.item.input_refs is not None:
            found["messages"] = self._shared(placed.segment, placed.item.input_refs)
        return found

    def _give_messages(self, placed: Placed, event: Event) -> None:
        refs = placed.item.refs
        if refs is None:
            return
        messages = self._shared(placed.segment, refs)
        if event["type"] == "MESSAGES_SNAPSHOT":
            event["messages"] = messages
        else:
            event["input"]["messages"] = messages

    def _shared(self, segment: Segment, refs: list[int]) -> list[Message]:
        texts = segment.messages
        return [self._messages.get(texts[ref]) or self._message(texts[ref]) for ref in refs]

    def _message(self, text: bytes) -> Message:
        message = self._messages[text] = message_of(text)
        return message

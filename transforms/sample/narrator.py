"""What happens in a run becomes events, and the view that a client has after them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from schemas.events import RUN_STARTED, Event, Json, Message
from schemas.view import View
from transforms.sample.patch import apply_patch


class Narrator:
    """Tells one run; each method appends events and keeps the view as the AG-UI reference client folds them.

    Args:
        base: the view that the run starts from; neither it nor its messages are changed.
        new_id: makes the next id of a kind (``msg``, ``call``, ``think``, ``act``), unique in the thread.
        cut: splits a text into the pieces that are streamed.

    Attributes:
        events: what was told so far, in order.
    """

    def __init__(self, base: View, new_id: Callable[[str], str], cut: Callable[[str], Sequence[str]]) -> None:
        self.events: list[Event] = []
        self._messages = list(base.messages)
        self._state = base.state
        self._new_id = new_id
        self._cut = cut

    @property
    def view(self) -> View:
        """The view as it is now; whole messages in it never change again."""
        return View(list(self._messages), self._state)

    @property
    def state(self) -> Json:
        """The state as it is now; not to be changed."""
        return self._state

    def tell(self, event: Event) -> None:
        """Append an event that no message and no state changes by."""
        self.events.append(event)

    def start(self, started: Event) -> None:
        """Begin the run: messages of its input whose ids are new are appended to the view."""
        self.events.append(started)
        known = {message["id"] for message in self._messages}
        self._messages += [message for message in started["input"]["messages"] if message["id"] not in known]

    def reason(self, text: str) -> None:
        """Stream a reasoning message."""
        span, message_id = self._new_id("think"), self._new_id("think")
        self.tell({"type": "REASONING_START", "messageId": span})
        self.tell({"type": "REASONING_MESSAGE_START", "messageId": message_id, "role": "reasoning"})
        self.events += [
            {"type": "REASONING_MESSAGE_CONTENT", "messageId": message_id, "delta": delta} for delta in self._cut(text)
        ]
        self.tell({"type": "REASONING_MESSAGE_END", "messageId": message_id})
        self.tell({"type": "REASONING_END", "messageId": span})
        self._messages.append({"id": message_id, "role": "reasoning", "content": text})

    def say(self, text: str, share: float = 1.0, *, is_ended: bool = True) -> str:
        """Stream an assistant's message, or its first part, and return its id.

        Args:
            share: how much of the text comes before the stream stops, 0 to 1.
        """
        message_id = self._new_id("msg")
        deltas = self._cut(text)
        deltas = deltas[: max(1, round(len(deltas) * share))]
        self.tell({"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"})
        self.events += [{"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta} for delta in deltas]
        if is_ended:
            self.tell({"type": "TEXT_MESSAGE_END", "messageId": message_id})
        self._messages.append({"id": message_id, "role": "assistant", "content": "".join(deltas)})
        return message_id

    def call(self, name: str, arguments: Json, owner_id: str | None = None) -> str:
        """Stream a tool call and return its id.

        Args:
            owner_id: a message that was told in this run and gets the call; None for a message of its own.
        """
        call_id = self._new_id("call")
        text = json.dumps(arguments, ensure_ascii=False)
        started: Event = {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": name}
        if owner_id is not None:
            started["parentMessageId"] = owner_id
        self.tell(started)
        self.events += [{"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta} for delta in self._cut(text)]
        self.tell({"type": "TOOL_CALL_END", "toolCallId": call_id})
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        self._own(owner_id or call_id, call)
        return call_id

    def answer_call(self, call_id: str, result: Json) -> None:
        """Give a call its result: a tool message behind the message that owns the call."""
        message_id = self._new_id("msg")
        keys = {"toolCallId": call_id, "role": "tool", "content": json.dumps(result, ensure_ascii=False)}
        self.tell({"type": "TOOL_CALL_RESULT", "messageId": message_id} | keys)
        place = next(i for i, other in enumerate(self._messages) if _owns(other, call_id)) + 1
        while place < len(self._messages) and self._messages[place]["role"] == "tool":
            place += 1
        self._messages.insert(place, {"id": message_id} | keys)

    def set_state(self, state: Json) -> None:
        """Replace the state."""
        self._state = state
        self.tell({"type": "STATE_SNAPSHOT", "snapshot": state})

    def patch_state(self, patch: Sequence[Json]) -> None:
        """Change the state by JSON Patch operations, which must fit it."""
        self._state = apply_patch(self._state, patch)
        self.tell({"type": "STATE_DELTA", "delta": list(patch)})

    def act(self, activity_type: str, content: Json, patches: Sequence[Sequence[Json]]) -> None:
        """Show an activity and its progress."""
        message_id = self._new_id("act")
        keys = {"messageId": message_id, "activityType": activity_type}
        self.tell({"type": "ACTIVITY_SNAPSHOT"} | keys | {"content": content})
        for patch in patches:
            content = apply_patch(content, patch)
            self.tell({"type": "ACTIVITY_DELTA"} | keys | {"patch": list(patch)})
        self._messages.append({"id": message_id, "role": "activity", "activityType": activity_type, "content": content})

    def snapshot_messages(self) -> None:
        """Send all messages, as a server does that keeps the conversation but neither activities nor reasoning."""
        kept = [message for message in self._messages if message["role"] not in {"activity", "reasoning"}]
        self.tell({"type": "MESSAGES_SNAPSHOT", "messages": kept})

    def _own(self, owner_id: str, call: Json) -> None:
        for place, message in enumerate(self._messages):
            if message["id"] == owner_id:
                self._messages[place] = message | {"toolCalls": [*message.get("toolCalls", ()), call]}
                return
        self._messages.append({"id": owner_id, "role": "assistant", "toolCalls": [call]})


def started_event(thread_id: str, run_id: str, parent_run_id: str | None, sent: Json) -> Event:
    """Return the RUN_STARTED of a run, with the RunAgentInput that the client sent."""
    lineage = {} if parent_run_id is None else {"parentRunId": parent_run_id}
    ids = {"threadId": thread_id, "runId": run_id} | lineage
    return {"type": RUN_STARTED} | ids | {"input": ids | sent}


def sent_messages(view: View, new: Sequence[Message]) -> list[Message]:
    """Return RunAgentInput.messages: the client's view and what is new.

    The reference client leaves activities out (``prepareRunAgentInput``).
    """
    return [message for message in view.messages if message["role"] != "activity"] + list(new)


def _owns(message: Message, call_id: str) -> bool:
    return any(call["id"] == call_id for call in message.get("toolCalls", ()))

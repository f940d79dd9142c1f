"""The tour: one short thread, written by hand, that shows every way in which a run follows another.

::

    run-1 question, answer
    ├── run-2 question, answer
    ├── run-3 the same question, the answer regenerated
    └── run-4 the question edited
        └── run-5 asks the user's application for a map
            └── run-6 goes on with what was picked there
                └── run-7 asks a person before it books
                    └── run-8 resumes, and books
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from schemas.events import RUN_FINISHED, Event, Json, Message
from schemas.view import View, empty_view
from transforms.sample.domain import client_tool
from transforms.sample.envelope import Owner
from transforms.sample.language import pieces
from transforms.sample.narrator import Narrator, sent_messages, started_event
from transforms.sample.thread import Run

TOUR_OWNER: Final = Owner("thread-tour", "user-nora", "acme", "travel-agent")

_HOTEL: Final = {"name": "Casa Verde", "price": 118}
_BOOKING: Final = {"hotel": "Casa Verde", "guest": "Nora Feldt", "email": "nora.feldt@example.com"}
_USAGE: Final = {"provider": "anthropic", "model": "claude-sonnet-4-5", "inputTokens": 640, "outputTokens": 96}


def tell_tour() -> Iterator[Run]:
    """Yield the eight runs of ``thread-tour``, in the order in which they were asked."""
    tour = _Tour()
    plan = tour.ask("Plan a weekend in Lisbon for two. I am Nora Feldt, call me at +1-555-0142 if needed.")
    first = tour.begin("run-1", None, empty_view(), [plan])
    first.set_state({"city": "Lisbon", "travellers": 2, "hotel": None, "bookings": []})
    first.reason("Two people, two days. Old town first, river on the second day.")
    first.say("Saturday: Alfama on foot and fado at night. Sunday: tram 15 to Belém, then the river.")
    yield tour.finish("run-1", first)

    hotel = tour.ask("Which hotel would you take?")
    for run_id, name, praise in (
        ("run-2", "Hotel Miramar", "I would take Hotel Miramar, it has the best view."),
        ("run-3", "The Old Granary", "The Old Granary is quieter and has a courtyard."),
    ):
        yield tour.answer_hotel(run_id, hotel, first.view, {"name": name, "price": 160}, praise)
    edited = tour.ask("Which hotel would you take near the river, for less than 120 a night?")
    yield tour.answer_hotel("run-4", edited, first.view, _HOTEL, "Casa Verde, two streets from the river, for 118.")
    yield from _tell_errands(tour, tour.view)


def _tell_errands(tour: _Tour, base: View) -> Iterator[Run]:
    narrator = tour.begin("run-5", "run-4", base, [tour.ask("Show me where that is.")])
    call_id = narrator.call("show_map", {"place": "Casa Verde, Lisbon", "zoom": 15})
    yield tour.finish("run-5", narrator, {"type": "success", "pendingToolCallIds": [call_id]})

    picked: Message = {"id": tour.new_id("msg"), "role": "tool", "toolCallId": call_id, "content": '{"picked": "pier"}'}
    narrator = tour.begin("run-6", "run-5", tour.view, [picked])
    narrator.say("From the pier that you picked it is a walk of four minutes.")
    yield tour.finish("run-6", narrator)

    narrator = tour.begin("run-7", "run-6", tour.view, [tour.ask("Book it and write to nora.feldt@example.com.")])
    call_id = narrator.call("book_hotel", _BOOKING)
    interrupt = {"id": "interrupt-1", "reason": "tool_call", "message": "Book Casa Verde?", "toolCallId": call_id}
    yield tour.finish("run-7", narrator, {"type": "interrupt", "interrupts": [interrupt]})

    resume = [{"interruptId": "interrupt-1", "status": "resolved", "payload": {"approved": True}}]
    narrator = tour.begin("run-8", "run-7", tour.view, [], resume)
    narrator.answer_call(call_id, {"booking": "QX7K2P"})
    narrator.patch_state([{"op": "add", "path": "/bookings/-", "value": "QX7K2P"}])
    narrator.say("Booked: Casa Verde for two nights, the code is QX7K2P.")
    narrator.tell({"type": "CUSTOM", "name": "feedback", "value": {"rating": 5}})
    yield tour.finish("run-8", narrator)


class _Tour:
    """Ids that a reader can follow, and the view after the newest run."""

    def __init__(self) -> None:
        self.view = empty_view()
        self._rng = Random("tour")
        self._numbers: dict[str, int] = {}

    def new_id(self, kind: str) -> str:
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{kind}-{self._numbers[kind]}"

    def ask(self, text: str) -> Message:
        return {"id": self.new_id("msg"), "role": "user", "content": text}

    def begin(self, run_id: str, parent: str | None, base: View, new: list[Message], resume: Json = None) -> Narrator:
        narrator = Narrator(base, self.new_id, lambda text: pieces(self._rng, text))
        sent: dict[str, Json] = {
            "state": base.state,
            "messages": sent_messages(base, new),
            "tools": [
                client_tool("show_map", "Show a map, let the user pick a place.", place="string", zoom="integer")
            ],
            "context": [{"description": "The user's time zone", "value": "Europe/Lisbon"}],
            "forwardedProps": {},
        }
        if resume is not None:
            sent["resume"] = resume
        narrator.start(started_event(TOUR_OWNER.thread_id, run_id, parent, sent))
        return narrator

    def answer_hotel(self, run_id: str, question: Message, base: View, hotel: Json, praise: str) -> Run:
        narrator = self.begin(run_id, "run-1", base, [question])
        call_id = narrator.call("find_hotel", {"city": "Lisbon", "nights": 2})
        narrator.answer_call(call_id, {"hotels": [hotel]})
        narrator.patch_state([{"op": "replace", "path": "/hotel", "value": hotel}])
        narrator.say(praise)
        return self.finish(run_id, narrator)

    def finish(self, run_id: str, narrator: Narrator, outcome: Json = None) -> Run:
        event: Event = {"type": RUN_FINISHED, "threadId": TOUR_OWNER.thread_id, "runId": run_id}
        narrator.tell(event | {"outcome": outcome or {"type": "success"}, "usage": [_USAGE]})
        self.view = narrator.view
        return Run(run_id, narrator.events)

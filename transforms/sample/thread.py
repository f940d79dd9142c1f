"""A user and a number of runs become a conversation: a tree of runs, each told in the order in which it was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Final

import msgspec

from schemas.events import Event, Json, Message
from schemas.view import View, empty_view
from transforms.sample.coding import CODING
from transforms.sample.domain import Domain
from transforms.sample.language import Slots, ask, pieces
from transforms.sample.narrator import Narrator, sent_messages, started_event
from transforms.sample.person import Person
from transforms.sample.raw import with_raw
from transforms.sample.support import SUPPORT
from transforms.sample.travel import TRAVEL
from transforms.sample.turn import ENDINGS, FAILED, FINISHED, INTERRUPTED, Pending, Turn, tell_turn

DOMAINS: Final = (SUPPORT, TRAVEL, CODING)
MAX_BRANCHINGS: Final = 3
REMEMBERED_RUNS: Final = 8


class Run(msgspec.Struct, frozen=True):
    """One run as it is logged."""

    run_id: str
    events: list[Event]


class Past(msgspec.Struct, frozen=True):
    """A run that was told: where it began, what it was asked, and how it ended."""

    run_id: str
    parent: str | None
    base: View
    question: Message | None
    final: View
    ending: str
    pending: Pending | None


class Request(msgspec.Struct, frozen=True):
    """What the client asks next."""

    parent: str | None
    base: View
    new: list[Message]
    question: Message | None = None
    resume: Json = None
    pending: Pending | None = None


class Teller:
    """Tells one thread.

    Args:
        rng: decides everything that follows.
        is_branchy: answers are regenerated and questions edited, up to `MAX_BRANCHINGS` times.
        raw_share: share of the runs whose producer also logs what its model's vendor sent.
    """

    def __init__(self, rng: Random, person: Person, thread_id: str, *, is_branchy: bool, raw_share: float) -> None:
        self._rng = rng
        self._person = person
        self._thread_id = thread_id
        self._domain: Domain = rng.choice(DOMAINS)
        self._branchings = rng.randint(1, MAX_BRANCHINGS) if is_branchy else 0
        self._names_parent = is_branchy or rng.random() < 0.5
        self._raw_share = raw_share
        self._past: deque[Past] = deque(maxlen=REMEMBERED_RUNS)

    @property
    def agent_id(self) -> str:
        """The agent that the thread talks to."""
        return self._domain.agent_id

    def tell(self, runs: int) -> Iterator[Run]:
        """Yield the runs in the order in which they start; each is made when it is asked for."""
        for _ in range(runs):
            yield self._tell_run(self._next_request())

    def _tell_run(self, request: Request) -> Run:
        rng, run_id = self._rng, self._new_run_id()
        slots = Slots(rng, self._person.language, self._person.facts)
        has_spaces = self._person.language.has_spaces
        narrator = Narrator(request.base, self._new_id, lambda text: pieces(rng, text, has_spaces=has_spaces))
        parent = request.parent if self._names_parent else None
        narrator.start(started_event(self._thread_id, run_id, parent, self._sent(request)))
        turn = Turn(rng, self._person, self._domain, slots, narrator, self._thread_id, run_id)
        ending = rng.choices(tuple(ENDINGS), tuple(ENDINGS.values()))[0]
        pending = tell_turn(turn, ending, request.pending)
        self._past.append(Past(run_id, request.parent, request.base, request.question, narrator.view, ending, pending))
        events = narrator.events
        return Run(run_id, with_raw(rng, events, self._domain) if rng.random() < self._raw_share else events)

    def _next_request(self) -> Request:
        if not self._past:
            return self._first_request()
        last = self._past[-1]
        if last.pending is not None:
            return self._fulfil(last, last.pending)
        if self._branchings and self._rng.random() < 0.4:
            asked = [past for past in self._past if past.question and past.parent]
            if asked:
                self._branchings -= 1
                return self._branch(asked[-1])
        if self._names_parent and self._rng.random() < 0.02:
            last = self._rng.choice([past for past in self._past if past.ending == FINISHED] or [last])
        question = self._ask_again() if last.ending == FAILED else self._ask()
        return Request(last.run_id, last.final, [question], question)

    def _first_request(self) -> Request:
        question = self._ask()
        system: list[Message] = [{"id": self._new_id("sys"), "role": "system", "content": self._domain.system}]
        return Request(None, empty_view(), [*(system if self._domain.system else ()), question], question)

    def _fulfil(self, last: Past, pending: Pending) -> Request:
        if last.ending == INTERRUPTED:
            resume = [{"interruptId": pending.interrupt_id, "status": "resolved", "payload": {"approved": True}}]
            return Request(last.run_id, last.final, [], resume=resume, pending=pending)
        content = msgspec.json.encode(pending.use.result).decode()
        result = {"id": self._new_id("msg"), "role": "tool", "toolCallId": pending.call_id, "content": content}
        return Request(last.run_id, last.final, [result], pending=pending)

    def _branch(self, asked: Past) -> Request:
        question = asked.question if self._rng.random() < 0.5 else self._ask()
        return Request(asked.parent, asked.base, [question] if question else [], question)

    def _ask(self) -> Message:
        language = self._person.language
        text = ask(self._rng, language, self._domain.name, Slots(self._rng, language, self._person.facts))
        if self._rng.random() >= 0.02:
            return {"id": self._new_id("msg"), "role": "user", "content": text}
        picture = {"type": "url", "value": f"https://img.example.com/{self._rng.getrandbits(32):08x}.png"}
        parts = [{"type": "text", "text": text}, {"type": "image", "source": picture | {"mimeType": "image/png"}}]
        return {"id": self._new_id("msg"), "role": "user", "content": parts}

    def _ask_again(self) -> Message:
        return {"id": self._new_id("msg"), "role": "user", "content": self._rng.choice(self._person.language.retries)}

    def _sent(self, request: Request) -> Json:
        facts = self._person.facts
        sent: dict[str, Json] = {
            "state": request.base.state,
            "messages": sent_messages(request.base, request.new),
            "tools": list(self._domain.client_tools),
            "context": [{"description": "The user's language and name", "value": f"{self._language}; {facts['name']}"}],
            "forwardedProps": {"model": self._domain.model, "client": {"version": "2.4.1"}},
        }
        return sent if request.resume is None else sent | {"resume": request.resume}

    @property
    def _language(self) -> str:
        return self._person.language.code

    def _new_id(self, kind: str) -> str:
        return f"{kind}_{self._rng.getrandbits(56):014x}"

    def _new_run_id(self) -> str:
        return f"run_{self._rng.getrandbits(64):016x}"


def draw_length(rng: Random) -> int:
    """Return how many runs a thread has: 1 to 40, most have a handful, a few have many."""
    return min(40, 1 + int(rng.lognormvariate(1.65, 0.7)))

"""Inputs: the RunAgentInput of a run becomes a row's columns, its messages named by position; and back exactly.

Most inputs are "all of the path's messages but activities (which a client does not send), then the new ones", and need
no list at all. Where one is not, the list says for each message sent: n >= 0, position n of the base view; n < 0,
position -n-1 of the run's final view; an object, a message that stands in neither with equal content. Where
``messages`` is no list, an object holds the value, or nothing where the key is absent. The ids of thread and run are
left out where they are the row's; else null is an absent one, and a list holds one that is no text.
"""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.events import Event, Json, Message
from schemas.rows import MessageRow, RunRow
from schemas.view import View
from transforms import jsontext
from transforms.runs.message_rows import text_id
from transforms.sameness import same_json

_OWN_IDS: Final = {"threadId": "thread_id", "runId": "run_id"}


class Equals:
    """Remembers which messages of one thread were found equal: every run sends all of the former ones again.

    The pairs are kept, not only their ids, since Python gives the id of a dead object to a new one.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Json, Json]] = {}

    def all_same(self, ones: list[Json], twos: list[Json]) -> bool:
        """Tell whether two lists of one length are equal, message by message."""
        pairs = zip(map(id, ones), map(id, twos), strict=True)
        return all(map(self._known.__contains__, pairs)) or all(map(self.same, ones, twos))

    def same(self, one: Json, two: Json) -> bool:
        """Tell whether two messages are equal as JSON."""
        pair = (id(one), id(two))
        if pair in self._known:
            return True
        if not same_json(one, two):
            return False
        self._known[pair] = (one, two)
        return True


class InputParts(msgspec.Struct):
    """An input as a run's row keeps it: JSON of the rest, and of the list of messages where one is needed."""

    rest: str
    messages: str | None


def split_input(
    given: Event, run: RunRow, base: View, final: View, rows: list[MessageRow], *, equals: Equals | None = None
) -> InputParts:
    """Return what to store of an input.

    Args:
        given: RunAgentInput in canonical form.
        run: its row, for the ids that need not be stored again.
        base, final: the views before and after the run.
        rows: the run's message rows, by position.
        equals: of the thread.
    """
    equals = Equals() if equals is None else equals
    rest = {key: value for key, value in given.items() if key != "messages"}
    for key, column in _OWN_IDS.items():
        if key not in rest:
            rest[key] = None
        elif not isinstance(rest[key], str):
            rest[key] = [rest[key]]
        elif rest[key] == getattr(run, column):
            del rest[key]
    sent = given.get("messages")
    if not isinstance(sent, list):
        return InputParts(jsontext.dumps(rest), jsontext.dumps({"value": sent} if "messages" in given else {}))
    fresh = _fresh_positions(rows)
    if _is_plain(sent, base, final, fresh, equals):
        return InputParts(jsontext.dumps(rest), None)
    places = _Places(base, final, rows, equals)
    return InputParts(jsontext.dumps(rest), jsontext.dumps([places.name(message) for message in sent]))


def restore_input(run: RunRow, base: View, final: View, rows: list[MessageRow]) -> Event | None:
    """Return the RunAgentInput that the run was given; None where none is known.

    Args:
        base, final: the views before and after the run, rebuilt.
        rows: the run's message rows, by position.
    """
    if run.input is None:
        return None
    restored: Event = {}
    for key, column in _OWN_IDS.items():
        restored[key] = getattr(run, column)
    restored.update(jsontext.loads(run.input))
    for key in _OWN_IDS:
        if isinstance(restored[key], list):
            [restored[key]] = restored[key]
        elif restored[key] is None:
            del restored[key]
    if run.input_messages is None:
        restored["messages"] = _sendable(base) + [final.messages[position] for position in _fresh_positions(rows)]
        return restored
    listed = jsontext.loads(run.input_messages)
    if isinstance(listed, list):
        restored["messages"] = [_named(entry, base, final) for entry in listed]
    elif "value" in listed:
        restored["messages"] = listed["value"]
    return restored


def _fresh_positions(rows: list[MessageRow]) -> list[int]:
    return [row.position for row in rows if row.origin == "input" and row.is_new]


def _sendable(base: View) -> list[Message]:
    """Return the messages that a client sends: ``prepareRunAgentInput`` of ``@ag-ui/client`` leaves activities out."""
    return [one for one in base.messages if not (isinstance(one, dict) and one.get("role") == "activity")]


def _is_plain(sent: list[Message], base: View, final: View, fresh: list[int], equals: Equals) -> bool:
    before = _sendable(base)
    known = len(before)
    if len(sent) != known + len(fresh):
        return False
    brought = [final.messages[position] for position in fresh]
    return equals.all_same(sent[known:], brought) and equals.all_same(sent[:known], before)


class _Places:
    """Where the messages of two views stand, by id."""

    def __init__(self, base: View, final: View, rows: list[MessageRow], equals: Equals) -> None:
        self._same = equals.same
        self._base = _by_id(base.messages, range(len(base.messages)))
        self._final = _by_id(final.messages, [row.position for row in rows])
        self._views = base, final

    def name(self, message: Message) -> Json:
        base, final = self._views
        for position in self._base.get(text_id(message), ()):
            if self._same(base.messages[position], message):
                return position
        for position in self._final.get(text_id(message), ()):
            if self._same(final.messages[position], message):
                return -position - 1
        is_plain = isinstance(message, dict) and "isNoMessage" not in message
        return message if is_plain else {"value": message, "isNoMessage": True}


def _named(entry: Json, base: View, final: View) -> Json:
    if isinstance(entry, int):
        return base.messages[entry] if entry >= 0 else final.messages[-entry - 1]
    return entry["value"] if entry.get("isNoMessage") is True else entry


def _by_id(messages: list[Message], positions: range | list[int]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for position in positions:
        places.setdefault(text_id(messages[position]), []).append(position)
    return places

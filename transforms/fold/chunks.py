"""Chunks: *_CHUNK events become the START, CONTENT and END that they stand for.

Source: AG-UI 1.0. Each lane (the parent agent, or one subagent) holds at most one open entity; a chunk without an id
goes on with it, an ordinary event of the lane closes it, one of the whole run all::

    TEXT_CHUNK m "a"   TEXT_CHUNK "b"   TOOL_CHUNK c f "{"
    START m, "a"       "b"              END m, START c, "{"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final

import msgspec

from schemas.events import Event, Json
from transforms import jsontext
from transforms.fold.jsvalue import MISSING, key_of


class _Kind(msgspec.Struct, frozen=True):
    """One of the three chunk types and what it expands to."""

    name: str
    start: str
    content: str
    end: str
    id_key: str
    known: frozenset[str]
    repeats: tuple[str, ...] = ()


_BASE_KEYS: Final = frozenset({"type", "timestamp", "rawEvent", "metadata", "subagentRunId", "delta"})

_KINDS: Final = {
    "TEXT_MESSAGE_CHUNK": _Kind(
        "text",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "messageId",
        _BASE_KEYS | {"messageId", "role", "name"},
        ("role", "name"),
    ),
    "TOOL_CALL_CHUNK": _Kind(
        "tool",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "toolCallId",
        _BASE_KEYS | {"toolCallId", "toolCallName", "parentMessageId"},
        ("toolCallName", "parentMessageId"),
    ),
    "REASONING_MESSAGE_CHUNK": _Kind(
        "reasoning",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "messageId",
        _BASE_KEYS | {"messageId"},
    ),
}

_CLOSES_ITS_LANE: Final = frozenset(
    {
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "CUSTOM",
        "STEP_STARTED",
        "STEP_FINISHED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
    }
)
_CLOSES_ALL: Final = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"})
_CLOSES_A_SUBAGENT: Final = frozenset({"SUBAGENT_FINISHED", "SUBAGENT_ERROR"})


class _Open(msgspec.Struct):
    """What a lane is assembling: its kind, its id, and what its first chunk said."""

    kind: _Kind
    identity: Json
    key: Hashable
    fields: dict[str, Json]
    owner: Json


class ChunkExpander:
    """Expands the events of one thread, in order; where the reference ends the stream, the chunk is dropped.

    Attributes:
        violations: ``chunk_without_id``, ``chunk_ambiguous``, ``chunk_conflict`` (a field repeated with another value),
            ``chunk_owner`` (an id that is open in another subagent's lane).
    """

    def __init__(self) -> None:
        self.violations: Counter[str] = Counter()
        self._lanes: dict[Json, _Open] = {}

    def fork(self) -> ChunkExpander:
        """Return an expander that goes on from here; this one stays as it is."""
        other = ChunkExpander()
        other._lanes = {
            lane: msgspec.structs.replace(opened, fields=dict(opened.fields)) for lane, opened in self._lanes.items()
        }
        return other

    def dump(self) -> bytes | None:
        """Return what is open as JSON, None where nothing is; `load` goes on from there."""
        lanes = [
            [
                lane,
                opened.kind.name,
                opened.identity,
                opened.fields,
                *([] if opened.owner is MISSING else [opened.owner]),
            ]
            for lane, opened in self._lanes.items()
        ]
        return jsontext.dumps(lanes).encode() if lanes else None

    @classmethod
    def load(cls, dumped: bytes | None) -> ChunkExpander:
        """Return an expander that goes on from what `dump` gave."""
        expander = cls()
        for lane, name, identity, fields, *owner in jsontext.loads(dumped.decode()) if dumped else ():
            kind = next(kind for kind in _KINDS.values() if kind.name == name)
            opened = _Open(kind, identity, key_of(identity), fields, owner[0] if owner else MISSING)
            expander._lanes[lane] = opened
        return expander

    def expand(self, event: Event) -> list[Event] | tuple[Event, ...]:
        """Return the events that one event stands for, in order; a dropped chunk stands for none.

        Synthesised events carry no timestamp; a chunk's metadata goes to each of them, but never to the END of the
        entity before. An entity that is open at the end of the stream gets no END.
        """
        kind = event["type"]
        if kind in _KINDS:
            return self._expand_chunk(_KINDS[kind], event)
        if self._lanes:
            closed = self._close_for(kind, event)
            if closed:
                return [*closed, event]
        return (event,)

    def _close_for(self, kind: str, event: Event) -> list[Event]:
        if kind in _CLOSES_ITS_LANE:
            return self._close(event.get("subagentRunId"))
        if kind in _CLOSES_ALL:
            return [end for lane in list(self._lanes) for end in self._close(lane)]
        if kind in _CLOSES_A_SUBAGENT and event.get("subagentRunId") is not None:
            return self._close(event["subagentRunId"])
        return []

    def _close(self, lane: Json) -> list[Event]:
        if not _is_lane(lane):
            return []
        opened = self._lanes.pop(lane, None)
        if opened is None:
            return []
        end = {"type": opened.kind.end, opened.kind.id_key: opened.identity}
        _put_owner(end, opened.owner)
        return [end]

    def _expand_chunk(self, kind: _Kind, chunk: Event) -> list[Event]:
        identity = chunk.get(kind.id_key, MISSING)
        key = key_of(identity)
        lane = self._lane_of(kind, key, chunk.get("subagentRunId"))
        if lane is MISSING:
            return []
        opened = self._lanes.get(lane)
        if opened is not None and opened.kind is kind and (key is MISSING or key == opened.key):
            return self._continue(opened, chunk)
        if key is MISSING or (kind.name == "tool" and "toolCallName" not in chunk):
            self.violations["chunk_without_id"] += 1
            return []
        events = self._close(lane)
        fields = {key: chunk[key] for key in kind.repeats if key in chunk}
        if kind.name == "text":
            fields.setdefault("role", "assistant")
        opened = self._lanes[lane] = _Open(kind, identity, key, fields, chunk.get("subagentRunId", MISSING))
        events.append(_start(opened, chunk))
        if "delta" in chunk or "rawEvent" in chunk:
            events.append(_content(opened, chunk))
        return events

    def _lane_of(self, kind: _Kind, key: Hashable, tag: Json) -> Json:
        """Return the lane of a chunk, None being the parent agent's; MISSING if it has none."""
        if not _is_lane(tag):
            self.violations["chunk_owner"] += 1
            return MISSING
        if key is not MISSING:
            holders = (lane for lane, at in self._lanes.items() if at.kind is kind and at.key == key)
            holder = next(holders, MISSING)
            if holder is MISSING or tag is None:
                return tag if holder is MISSING else holder
            if tag != holder:
                self.violations["chunk_owner"] += 1
                return MISSING
            return holder
        if tag is not None:
            return tag
        candidates = [lane for lane, at in self._lanes.items() if at.kind is kind]
        if None in candidates or not candidates:
            return None
        if len(candidates) > 1:
            self.violations["chunk_ambiguous"] += 1
            return MISSING
        return candidates[0]

    def _continue(self, opened: _Open, chunk: Event) -> list[Event]:
        fields = opened.fields
        if any(key in chunk and key_of(chunk[key]) != key_of(fields.get(key, MISSING)) for key in opened.kind.repeats):
            self.violations["chunk_conflict"] += 1
            return []
        if "delta" in chunk or "rawEvent" in chunk or "metadata" in chunk or not opened.kind.known.issuperset(chunk):
            return [_content(opened, chunk)]
        if "subagentRunId" in chunk and chunk["subagentRunId"] is None:
            return [_content(opened, chunk)]
        return []


def _start(opened: _Open, chunk: Event) -> Event:
    kind = opened.kind
    start = {"type": kind.start, kind.id_key: opened.identity, **opened.fields}
    if kind.name == "reasoning":
        start["role"] = "reasoning"
    _put_owner(start, opened.owner)
    if "metadata" in chunk:
        start["metadata"] = chunk["metadata"]
    return start


def _content(opened: _Open, chunk: Event) -> Event:
    kind = opened.kind
    content = {"type": kind.content, kind.id_key: opened.identity, "delta": chunk.get("delta", "")}
    _put_owner(content, chunk.get("subagentRunId", opened.owner))
    for key in ("metadata", "rawEvent"):
        if key in chunk:
            content[key] = chunk[key]
    return content


def _put_owner(event: Event, owner: Json) -> None:
    if owner is not MISSING:
        event["subagentRunId"] = owner


def _is_lane(tag: Json) -> bool:
    """Tell whether a subagent id can name a lane; an object or array equals no other."""
    return type(tag) is not dict and type(tag) is not list

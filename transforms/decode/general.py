"""One event and what stands around it become a record, whatever their dialect, at leisure."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from schemas.errors import DecodeError
from schemas.events import DELTA_TARGETS, TERMINALS, Json
from schemas.records import Attachment, DeadLetter, Record, Source
from transforms import jsontext
from transforms.decode.depth import is_too_deep, too_deep
from transforms.decode.marks import identity, metadata_mark, whole
from transforms.decode.placing import NOBODY, Places, Who
from transforms.decode.spans import Fields, split_object
from transforms.decode.times import micros

STAGE: Final = "decode"
_ENVELOPE_STAMPS: Final = ("ts", "timestamp", "created_at", "createdAt")
_NOT_PLAIN: Final = ("metadata", "rawEvent", "raw_event", "usage", "subagentRunId", "subagent_run_id")
_NULL: Final = b"null"


class Around(msgspec.Struct, frozen=True):
    """What a record says around its event; ids here win over the event's own.

    Args:
        at_us: the time of the event, where it has none itself.
        ended_us: the time of a terminal, where it has none itself.
    """

    thread: str | None = None
    run: str | None = None
    who: Who = NOBODY
    seq: int | None = None
    event_id: str | None = None
    at_us: int | None = None
    ended_us: int | None = None
    attachment: Attachment | None = None


class GeneralReader:
    """Reads records of any dialect; shares the open run with the short way.

    Args:
        source: where they lie; goes into dead letters.
        places: the runs of the object as they open.
    """

    def __init__(self, source: Source, places: Places) -> None:
        self.source = source
        self.places = places
        self._inputs: dict[tuple[str | None, str | None], bytes] = {}

    def dead(self, offset: int, size: int, error: DecodeError) -> DeadLetter:
        """Return the letter for bytes of this object that are no record."""
        return DeadLetter(self.source.uri, offset, size, error.reason, error.detail, STAGE)

    def envelope(self, fields: Fields, offset: int) -> Record:
        """Return the record of an envelope.

        Raises:
            DecodeError: its event is none, or has no place.
        """
        event = fields["event"]
        if event.startswith(b'"'):
            event = inner_text(event)
        return self.event(event, around_of(fields), offset)

    def event(self, text: bytes, around: Around, offset: int) -> Record:
        """Return the record of one event inside `around`.

        Raises:
            DecodeError: it is no event, or has no place.
        """
        if is_too_deep(text):
            raise too_deep()
        fields = split_object(text)
        kind = first_value(fields, "type")
        if not isinstance(kind, str) or not jsontext.is_text(kind):
            raise DecodeError("no_type", "an object without a string `type`")
        own_thread, own_run = id_of(fields, "threadId", "thread_id"), id_of(fields, "runId", "run_id")
        thread, run = self.places.of(kind, around.thread or own_thread, around.run or own_run)
        if thread is None:
            raise DecodeError("no_thread", f"a {kind if kind in DELTA_TARGETS else 'record'} before any RUN_STARTED")
        record = Record(thread, run, kind, offset, len(text), self.places.owner(around.who))
        _fill(record, fields, text, around)
        mismatch = (own_thread or thread) != thread or (own_run or run) != run
        record.attachment = self._attachment(thread, run, around.attachment, mismatch=mismatch)
        return record

    def _attachment(
        self, thread: str, run: str | None, given: Attachment | None, *, mismatch: bool
    ) -> Attachment | None:
        if given is not None and given.input is not None:
            digest = hashlib.blake2b(given.input, digest_size=16).digest()
            if self._inputs.get((thread, run)) == digest:
                given = msgspec.structs.replace(given, input=None)
            self._inputs[thread, run] = digest
        if mismatch:
            given = given or Attachment()
            given = msgspec.structs.replace(given, violations=(*given.violations, "envelope_mismatch"))
        return None if given == Attachment() else given


def around_of(fields: Fields) -> Around:
    """Return what an envelope says around its event.

    Raises:
        DecodeError: ``bad_id``, or ``too_deep`` of an input.
    """
    sent = input_text(fields)
    if sent is not None and is_too_deep(sent):
        raise too_deep()
    at_us = time_of(fields)
    return Around(
        thread=id_of(fields, "threadId", "thread_id"),
        run=id_of(fields, "runId", "run_id"),
        who=who_of(fields),
        seq=whole(first_value(fields, "seq")),
        event_id=identity(first_value(fields, "eventId", "event_id")),
        at_us=at_us,
        ended_us=at_us,
        attachment=None if sent is None else Attachment(input=sent),
    )


def who_of(fields: Fields) -> Who:
    """Return tenant, user and agent that a record names."""
    return (
        id_of(fields, "tenantId", "tenant_id"),
        id_of(fields, "userId", "user_id"),
        id_of(fields, "agentId", "agent_id"),
    )


def time_of(fields: Fields) -> int | None:
    """Return the first sane time stamp around an event, microseconds since 1970."""
    times = (micros(first_value(fields, name)) for name in _ENVELOPE_STAMPS)
    return next((at_us for at_us in times if at_us is not None), None)


def input_text(fields: Fields) -> bytes | None:
    """Return the JSON object of a RunAgentInput beside the events; some stores write it as a string."""
    text = fields.get("input", _NULL)
    if text.startswith(b'"'):
        text = inner_text(text)
    return text if text.startswith(b"{") else None


def first_value(fields: Fields, *names: str) -> Json:
    """Return the first of these that is there and not null."""
    for name in names:
        text = fields.get(name, _NULL)
        if text != _NULL:
            return jsontext.loads(text)
    return None


def id_of(fields: Fields, *names: str) -> str | None:
    """Return an id; None where it is absent, null or empty.

    Raises:
        DecodeError: ``bad_id``: an object, an array, or text with a lone surrogate.
    """
    for name in names:
        value = first_value(fields, name)
        if value is not None and value != "":
            found = identity(value)
            if found is None:
                raise DecodeError("bad_id", f"{name} is no Unicode text")
            return found
    return None


def inner_text(text: bytes) -> bytes:
    """Return what a JSON string spells, as the JSON text that it is."""
    value = jsontext.loads(text)
    return str(value).strip().encode("utf-8", "surrogatepass")


def _fill(record: Record, fields: Fields, text: bytes, around: Around) -> None:
    target_key = DELTA_TARGETS.get(record.type)
    if target_key is not None and all(fields.get(name, _NULL) == _NULL for name in _NOT_PLAIN):
        target = first_value(fields, target_key, "message_id" if target_key == "messageId" else "tool_call_id")
        delta = first_value(fields, "delta")
        if target and isinstance(target, str) and isinstance(delta, str):
            record.target, record.delta = target, delta
    if record.target is None:
        record.event = text
    seq, event_id = _metadata_mark(fields)
    record.seq = seq if around.seq is None else around.seq
    record.event_id = around.event_id or event_id
    at_us = micros(first_value(fields, "timestamp"))
    if at_us is not None:
        record.at_us, record.time_source = at_us, "event"
        return
    at_us = around.ended_us if record.type in TERMINALS else around.at_us
    if at_us is not None:
        record.at_us, record.time_source = at_us, "envelope"


def _metadata_mark(fields: Fields) -> tuple[int | None, str | None]:
    metadata = fields.get("metadata", _NULL)
    return metadata_mark(split_object(metadata)) if metadata.startswith(b"{") else (None, None)

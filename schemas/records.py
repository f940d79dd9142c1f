"""Records: one event with where it came from, and the dead letter that a bad one becomes."""

from __future__ import annotations

from typing import Final

import msgspec

REASONS: Final = {
    "not_json": "the bytes are not JSON",
    "not_object": "JSON, but not an object",
    "torn": "the object ends in the middle of this record",
    "bad_utf8": "the bytes are not UTF-8",
    "too_large": "longer than the size limit of a record, or unpacks to more than any log would",
    "too_deep": "nested more than 600 levels deep",
    "number_range": "a number that no double holds",
    "no_type": "an object without a string `type`",
    "no_thread": "no thread id in the record, around it or in the path",
    "bad_id": "a thread or run id that is no Unicode text",
    "sse_framing": "JSON in an SSE capture outside of a data field",
    "not_a_log": "an object in none of the forms that are read",
    "barren": "records in a row that could not be used, or that were not read after a million of them",
    "corrupt": "a compressed object that cannot be decompressed further",
    "seq_conflict": "same run and seq as an earlier record, other content",
    "late_terminal": "a terminal for a run that had ended without it",
    "late": "it came after the run that it belongs to, or one behind it, had been written; `rebuild` folds it in",
}
"""Why a record becomes a dead letter: the word in the ``reason`` column, and what it means."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """One raw object as the plan lists it.

    Args:
        uri: the object's key, as given to the job.
        index: place in the natural order of all keys (part-2 before part-10); decides order where no seq does.
        size: bytes as stored.
        modified_us: modification time, UTC, microseconds since 1970; 0 if unknown.
        fields: what the path pattern supplies: any of tenant_id, agent_id, user_id, thread_id, run_id, date.
        etag: the store's tag of the content; empty where it has none.
        stops: offsets in the decompressed object up to which earlier nights have read it, rising; none for a new one.
        known_bytes: stored bytes that they read.
        carried: threads (tenant, id) with open runs, whose records below the last stop are read again.
        copy_of: another object with the same bytes and fields: what this one holds was delivered before.
    """

    uri: str
    index: int
    size: int = 0
    modified_us: int = 0
    fields: dict[str, str] = {}
    etag: str = ""
    stops: list[int] = []
    known_bytes: int = 0
    carried: list[tuple[str, str]] = []
    copy_of: str = ""


class Owner(msgspec.Struct, frozen=True):
    """Whose a record is; one shared instance for all records of one owner in an object."""

    tenant_id: str = ""
    user_id: str | None = None
    agent_id: str | None = None


class Attachment(msgspec.Struct, frozen=True):
    """What stood around the events of a run rather than in one: it goes with the run's first record.

    Args:
        input: JSON of the RunAgentInput that an envelope or a run row carries.
        store_parent_run_id: the parent column of a store; used last, since CopilotKit's only says "the run before".
        created_us: when the store wrote the run, UTC, microseconds since 1970.
        violations: kinds found while reading, such as ``envelope_mismatch``.
        is_run_start: a run row begins here, even where no RUN_STARTED does.
    """

    input: bytes | None = None
    store_parent_run_id: str | None = None
    created_us: int | None = None
    violations: tuple[str, ...] = ()
    is_run_start: bool = False


class Record(msgspec.Struct, gc=False):
    """One event and where it came from.

    A plain text delta (a type of `schemas.events.DELTA_TARGETS` with a string delta and nothing else that counts: no
    metadata, rawEvent, usage, subagentRunId) has ``target`` and ``delta`` and no ``event``; any other record has
    ``event``: the JSON object as it lay in the log, in whichever dialect, untouched.

    Args:
        at_us: UTC, microseconds since 1970, from the event, else from its envelope.
        time_source: ``event`` or ``envelope``; None where neither has a time.
        offset: byte offset in the decompressed object, or index in an array; grows along the object.
        size: bytes of the record's JSON as it lay in the log, its envelope included.
        count: neighbouring deltas that were joined to this one; ``cuts`` is the length of each, where there are
            several, and ``last_us`` the time of the last.
    """

    thread_id: str
    run_id: str | None
    type: str
    offset: int
    size: int
    owner: Owner
    target: str | None = None
    delta: str | None = None
    event: bytes | None = None
    seq: int | None = None
    event_id: str | None = None
    at_us: int | None = None
    time_source: str | None = None
    attachment: Attachment | None = None
    count: int = 1
    cuts: list[int] | None = None
    last_us: int | None = None


class DeadLetter(msgspec.Struct, frozen=True):
    """A record that could not be used: where it lies and why, never what it says.

    Args:
        count: records in a row that it stands for; several for ``barren``, and for ``late`` deltas that were joined.
    """

    uri: str
    offset: int
    size: int
    reason: str
    detail: str
    stage: str
    thread_id: str | None = None
    run_id: str | None = None
    count: int = 1
    tenant_id: str | None = None

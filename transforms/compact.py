"""Compact events: a list of AG-UI events becomes a shorter one that any client folds to the same view.

For SDK users, with no lake: what ``compactEvents`` of ``@ag-ui/client`` is for TypeScript.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Final, Literal

from schemas.events import Event
from schemas.records import Record, Source
from schemas.segments import Segment
from transforms import jsontext
from transforms.decode.objects import decode_batches
from transforms.replay.forms import History
from transforms.replay.stream import snapshot_events
from transforms.runs.thread import CompactOptions, compact_thread
from transforms.segments.builder import SegmentBuilder
from transforms.segments.rawpolicy import RawChoice, RawPolicy

_THREAD: Final = "thread"
_SOURCE: Final = Source("events", 0, fields={"thread_id": _THREAD})


def compact_events(
    events: Iterable[Event], form: Literal["stream", "snapshot"] = "stream", raw: Literal["drop", "keep"] = "drop"
) -> list[Event]:
    """Return fewer events that fold to the same messages and state.

    Args:
        events: of one thread, in order, of any number of runs, which a client folds one after the other (parentRunId
            has no effect on it). Anything that is no event is left out, as a client does.
        form: ``stream`` keeps every run, its messages as START, one CONTENT, END; ``snapshot`` is one run with the
            final messages and state.
        raw: whether RAW events and rawEvent keys stay.

    >>> events = [{"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}]
    >>> events += [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": word} for word in ("hel", "lo")]
    >>> [event.get("delta") for event in compact_events(events) if "delta" in event]
    ['hello']
    """
    segments = list(_segments(events, RawChoice(raw)))
    if not segments:
        return []
    history = History(compact_thread(segments, CompactOptions(is_linear=True)).runs)
    if form == "snapshot":
        return snapshot_events(history.replayed(len(history.runs) - 1))
    return [event for rows in history.runs for event in history.stream(rows.run.run, "new")]


def _segments(events: Iterable[Event], raw: RawChoice) -> Iterable[Segment]:
    log = "\n".join(jsontext.dumps(event) for event in events).encode()
    builder = SegmentBuilder(_SOURCE, RawPolicy(raw), (None, None))
    thread_id: str | None = None
    for batch in decode_batches(io.BytesIO(log), _SOURCE):
        records = [record for record in batch if isinstance(record, Record)]
        for record in records:
            record.thread_id = thread_id = thread_id or record.thread_id
        yield from builder.add_all([*records])[0]
    yield from builder.finish()

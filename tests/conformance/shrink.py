"""A difference becomes a small one: events are left out as long as the reference and our fold still disagree."""

import json
from typing import Any

from schemas.events import Event
from tests.conformance.cases import judged_runs, wire
from tests.conformance.judge import is_view, same_view
from tests.reference_client import Reference
from tests.streams import folded
from transforms import jsontext


def shown(name: str, reference: Reference) -> str:
    """Return what is to know of ``seed:ordinal:form`` as text: both views, and the events, shrunk if that can be."""
    run, _, form = name.rpartition(":")
    [one] = [one for one in judged_runs(int(run.partition(":")[0])) if one.name == run]
    found = reference.fold([{"id": 0, "events": one.forms[form]}])[0]
    lines = [f"{name}: {'the same' if is_view(found, one.view) else 'DIFFERENT'}"]
    events = one.forms[form]
    if _disagree(events, reference):
        events = shrunk(events, reference)
        found, ours = reference.fold([{"id": 0, "events": events}])[0], _folded(events)
        lines.append(f"the fold itself differs; {len(events)} of {len(one.forms[form])} events are enough")
    else:
        ours = jsontext.loads(jsontext.dumps(wire(one.view)))
    lines += [f"reference {_text(found)}", f"ours      {_text(ours)}", *map(json.dumps, events)]
    return "\n".join(lines)


def shrunk(events: list[Event], reference: Reference) -> list[Event]:
    """Return events without those that play no part in the disagreement of the reference with our fold."""
    size = max(len(events) // 2, 1)
    while size:
        start = 0
        while start < len(events):
            fewer = events[:start] + events[start + size :]
            if _disagree(fewer, reference):
                events = fewer
            else:
                start += size
        size //= 2
    return events


def _disagree(events: list[Event], reference: Reference) -> bool:
    return not same_view(reference.fold([{"id": 0, "events": events}])[0], _folded(events))


def _folded(events: list[Event]) -> dict[str, Any]:
    return dict(jsontext.loads(jsontext.dumps(wire(folded(events)))))


def _text(view: dict[str, Any]) -> str:
    return json.dumps({key: view[key] for key in ("messages", "state")})

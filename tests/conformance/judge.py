"""The judge: runs of random threads become a tally of where the reference client sees something else than we say."""

from collections.abc import Iterable

import msgspec

from schemas.view import View
from tests.conformance.cases import FORMS, Judged, case, judged_runs, wire
from tests.reference_client import Case, Reference
from transforms import jsontext
from transforms.sameness import same_json


class Tally(msgspec.Struct):
    """What came of a range of seeds.

    Args:
        different: ``seed:ordinal:form`` whose fold is not the view.
        refused: ``seed:ordinal:form`` that verifyEvents stops at; of the forms that a replay or `compact_events` gives.
        verbatim: ``seed:ordinal`` of runs whose rows could not rebuild their view.
        peer_same: runs whose view the published compactEvents keeps; ``peer_threw`` where it throws.
        events: how many there are in all paths, by form, and the peer's.
    """

    threads: int = 0
    runs: int = 0
    different: list[str] = []
    refused: list[str] = []
    verbatim: list[str] = []
    peer_same: int = 0
    peer_threw: int = 0
    events: dict[str, int] = {}

    def add(self, other: "Tally") -> None:
        """Take in the tally of other seeds."""
        for name, value in msgspec.structs.asdict(other).items():
            if isinstance(value, dict):
                for form, count in value.items():
                    self.events[form] = self.events.get(form, 0) + count
            else:
                setattr(self, name, getattr(self, name) + value)

    @property
    def is_clean(self) -> bool:
        """Tell whether no view differs and no stream is refused."""
        return not self.different and not self.refused


def judge(seeds: Iterable[int], reference: Reference) -> Tally:
    """Return the tally of these seeds' threads, each run of which is judged on its path alone."""
    tally = Tally()
    runs: list[Judged] = []
    for seed in seeds:
        tally.threads += 1
        runs += judged_runs(seed)
    tally.runs = len(runs)
    tally.verbatim = [one.name for one in runs if one.is_verbatim]
    tally.events = {form: sum(len(one.forms[form]) for one in runs) for form in FORMS}
    _judge_views(runs, reference, tally)
    _judge_lifecycle(runs, reference, tally)
    _judge_peer(runs, reference, tally)
    return tally


def is_view(found: Case, view: View) -> bool:
    """Tell whether the reference's fold is a view."""
    return same_view(found, jsontext.loads(jsontext.dumps(wire(view))))


def same_view(one: Case, two: Case) -> bool:
    """Tell whether two views in wire form are the same."""
    return all(same_json(one[key], two[key]) for key in ("messages", "state"))


def _judge_views(runs: list[Judged], reference: Reference, tally: Tally) -> None:
    folded = reference.fold(case(one, form) for one in runs for form in FORMS)
    names = ((f"{one.name}:{form}", one) for one in runs for form in FORMS)
    tally.different = [name for name, one in names if not is_view(folded[name], one.view)]


def _judge_lifecycle(runs: list[Judged], reference: Reference, tally: Tally) -> None:
    verified = reference.verify(case(one, form) for one in runs for form in FORMS if form != "raw")
    tally.refused = [name for name, found in verified.items() if found["index"] is not None]


def _judge_peer(runs: list[Judged], reference: Reference, tally: Tally) -> None:
    compacted = reference.compact(case(one, "raw") for one in runs)
    whole = {name: found["events"] for name, found in compacted.items() if found["error"] is None}
    folded = reference.fold({"id": name, "events": events} for name, events in whole.items())
    tally.peer_threw = len(runs) - len(whole)
    tally.peer_same = sum(is_view(folded[f"{one.name}:raw"], one.view) for one in runs if f"{one.name}:raw" in whole)
    tally.events["peer"] = sum(map(len, whole.values()))

"""Real logs become the judge's cases: what the job's lake says of each run, beside the raw lines as they stand.

The raw lines are read here by the plainest rules there are, so that nothing can hide that the reader, the segments or
lineage do: an envelope or a bare event a line; a thread ordered by seq, or by object and line where events are bare; a
run from its RUN_STARTED to the next; its parent by ``parentRunId``, its input's, or the run before. The spelling alone
of an event is what `transforms.decode.normalise` makes of it: the random threads judge that.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pipelines.io.history import all_histories
from pipelines.io.lake import Lake
from schemas.events import Event
from schemas.view import View
from tests.conformance.judge import Tally, is_view
from tests.reference_client import Case, Reference
from transforms.decode.normalise import event_of
from transforms.replay.forms import History

ROOT = Path(__file__).resolve().parents[2]


class RawRun(msgspec.Struct):
    """A run as its raw lines tell it; ``parent`` is an index into the thread's runs."""

    run_id: str
    parent: int | None
    events: list[Event]


def judge_logs(inputs: list[str], reference: Reference) -> Tally:
    """Compact logs by the job into a lake of its own, and judge every run of it."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pipelines", "compact", *inputs, "--lake", f"{folder}/lake", "--json"]
        done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            raise SystemExit("the logs could not be compacted")
        lake = Lake.open(f"{folder}/lake")
        histories = {runs[0].run.thread_id: History(runs) for runs in all_histories(lake, lake.commits())}
    raw = raw_threads([path for place in inputs for path in _objects(Path(place))])
    tally.threads, tally.runs = len(histories), sum(len(history.runs) for history in histories.values())
    tally.different += sorted(f"{thread}: in the raw log only" for thread in raw.keys() - histories.keys())
    threads = [
        _Thread(thread, history, raw[thread])
        for thread, history in histories.items()
        if _is_told_alike(history, raw.get(thread, []))
    ]
    told = {thread.name for thread in threads}
    tally.different += [
        f"{name}: other runs or parents than the raw log tells" for name in histories if name not in told
    ]
    _judge_views(threads, reference, tally)
    _judge_lifecycle(threads, reference, tally)
    return tally


def raw_threads(objects: list[Path]) -> dict[str, list[RawRun]]:
    """Return the runs of each thread; what is no JSON or belongs to no run is passed over."""
    records: dict[str, list[tuple[int, Event, str | None]]] = {}
    for path in objects:
        thread: str | None = None
        for value in _values(path):
            event = value.get("event") if value.get("type") != "RAW" else None
            if isinstance(event, dict):
                records.setdefault(value["threadId"], []).append((value["seq"], event, value["runId"]))
                continue
            if isinstance(value.get("type"), str):
                bare = event_of(json.dumps(value))[0]
                thread = bare.get("threadId", thread) if bare["type"] == "RUN_STARTED" else thread
                if thread is not None:
                    mine = records.setdefault(thread, [])
                    mine.append((len(mine), bare, None))
    return {thread: _runs(found) for thread, found in records.items()}


def _runs(records: list[tuple[int, Event, str | None]]) -> list[RawRun]:
    runs: list[RawRun] = []
    seen: set[int] = set()
    current: dict[str | None, RawRun] = {}
    for seq, event, run_id in sorted(records, key=lambda record: record[0]):
        if seq in seen:
            continue
        seen.add(seq)
        if event["type"] == "RUN_STARTED":
            claim = event.get("parentRunId") or (event.get("input") or {}).get("parentRunId")
            named = [index for index, run in enumerate(runs) if run.run_id == claim]
            parent = named[-1] if named else len(runs) - 1
            run = RawRun(event["runId"], parent if runs else None, [])
            runs.append(run)
            current[run_id] = run
        if run_id in current:
            current[run_id].events.append(event_of(json.dumps(event))[0])
    return runs


def _values(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _objects(place: Path) -> list[Path]:
    found = [path for path in place.rglob("*") if path.is_file()] if place.is_dir() else [place]
    return sorted(found, key=lambda path: [int(part) if part.isdigit() else part for part in _parts(path, place)])


def _parts(path: Path, place: Path) -> list[str]:
    return re.split(r"(\d+)", path.relative_to(place).as_posix())


class _Thread(msgspec.Struct):
    """A thread of the lake, and its runs as the raw log tells them."""

    name: str
    history: History
    raw: list[RawRun]


def _is_told_alike(history: History, raw: list[RawRun]) -> bool:
    lineage = [(rows.run.run_id, rows.run.parent) for rows in history.runs]
    return lineage == [(run.run_id, run.parent) for run in raw]


def _judge_views(threads: list[_Thread], reference: Reference, tally: Tally) -> None:
    """Fold every run; a raw one and a streamed one start from the reference's own view of the parent."""
    views: dict[str, View] = {}
    cases: list[Case] = []
    for thread in threads:
        for rows in thread.history.runs:
            ordinal, parent = rows.run.run, rows.run.parent
            tally.verbatim += [f"{thread.name}:{ordinal}"] if rows.run.is_verbatim else []
            forms = {"raw": thread.raw[ordinal].events, "stream": thread.history.stream(ordinal)}
            for form, events in forms.items():
                after = None if parent is None else f"{thread.name}:{parent}:{form}"
                cases.append({"id": f"{thread.name}:{ordinal}:{form}", "after": after, "events": events})
                tally.events[form] = tally.events.get(form, 0) + len(events)
            snapshot = thread.history.form(ordinal, "snapshot")
            cases.append({"id": f"{thread.name}:{ordinal}:snapshot", "events": snapshot})
            for form in ("raw", "stream", "snapshot"):
                views[f"{thread.name}:{ordinal}:{form}"] = thread.history.replayed(ordinal).final
    found = reference.fold(cases)
    tally.different += [name for name, view in views.items() if not is_view(found[name], view)]


def _judge_lifecycle(threads: list[_Thread], reference: Reference, tally: Tally) -> None:
    """Send verifyEvents the whole path to every leaf."""
    paths: list[Case] = []
    for thread in threads:
        parents = {rows.run.parent for rows in thread.history.runs}
        leaves = [rows.run.run for rows in thread.history.runs if rows.run.run not in parents]
        paths += ({"id": f"{thread.name}:{leaf}", "events": thread.history.form(leaf, "events")} for leaf in leaves)
    refused = [name for name, found in reference.verify(paths).items() if found["index"] is not None]
    tally.refused += [f"{name}:stream" for name in refused]

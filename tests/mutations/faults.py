"""Deliberate faults: one small change each, which the suite must catch where no Node is there to ask the reference."""

import msgspec


class Fault(msgspec.Struct, frozen=True):
    """A change of one place.

    Args:
        path: below the root of the checkout.
        was: the text that stands there once.
        becomes: what stands there instead.
        means: what would be wrong then.
    """

    path: str
    was: str
    becomes: str
    means: str


_FOLD = "transforms/fold"
_RUNS = "transforms/runs"
_REPLAY = "transforms/replay"

FAULTS = [
    Fault(
        f"{_FOLD}/text.py",
        'content if type(content) is str else "")',
        '"")',
        "text that goes on in a known message replaces what it said",
    ),
    Fault(
        f"{_FOLD}/text.py",
        '    if _is_activity(draft.messages[position]):\n        draft.violations["id_collision"] += 1\n'
        "        return None\n    message",
        "    message",
        "text streams into an activity",
    ),
    Fault(
        f"{_FOLD}/calls.py",
        "position = _after_results(draft.messages, start)",
        "position = start",
        "a second result stands before the first",
    ),
    Fault(
        f"{_FOLD}/calls.py",
        "        if position is None:\n            identity = parent\n",
        "        if position is None:\n            pass\n",
        "the owner that a call creates does not take the name that the call gives",
    ),
    Fault(
        f"{_FOLD}/snapshot.py",
        "            if is_preserved(message):\n                merged.append(message)\n            continue",
        "            continue",
        "a snapshot takes reasoning and activities away",
    ),
    Fault(
        f"{_FOLD}/snapshot.py",
        "if id_key(message) not in draft.first:\n            draft.append(",
        "if True:\n            draft.append(",
        "an input repeats what the view has",
    ),
    Fault(
        f"{_FOLD}/activity.py",
        "is_replaced = replace is None or is_truthy(replace)",
        "is_replaced = True",
        "replace false replaces",
    ),
    Fault(
        f"{_FOLD}/patch.py",
        "    except PatchError:\n        patcher.undo()\n        raise",
        "    except PatchError:\n        raise",
        "a refused patch leaves its first operations behind",
    ),
    Fault(
        f"{_FOLD}/chunks.py",
        "        if kind in _CLOSES_ALL:\n",
        "        if False:\n",
        "a chunk goes on over the end of its run",
    ),
    Fault(
        f"{_FOLD}/jsvalue.py",
        "    if kind is bool:\n        return _BOOLEAN_KEYS[identity]",
        "    if kind is bool:\n        return identity",
        "the ids true and 1 are one",
    ),
    Fault(
        f"{_FOLD}/draft.py",
        'clone["toolCalls"] = clone["toolCalls"].copy()',
        "pass",
        "branches share the list of a message's calls",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        "run.parent, run.parent_source = parent.ordinal, source\n                return",
        "run.parent_source = source\n                return",
        "a branch continues the run before it",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        '            if claim == run.run_id:\n                run.violations["self_parent"] += 1\n            elif',
        "            if",
        "a run can be its own parent",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        '            self.runs[run.parent].ended_by = "child"\n',
        "            pass\n",
        "a child does not end its parent",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        'RunLog(len(self.runs), former.run_id, former.ordinal, "continuation")',
        'RunLog(len(self.runs), former.run_id, len(self.runs) - 1, "continuation")',
        "a continuation hangs on the newest run",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        '("event", event.get("parentRunId")),',
        '("input", mapping(event.get("input")).get("parentRunId")), ("event", event.get("parentRunId")),',
        "the input's parent comes before the event's",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        "        self._latest[run.run_id] = run\n        self._note_missed(run)",
        "        self._latest.setdefault(run.run_id, run)\n        self._note_missed(run)",
        "a run id that comes again means the first run of that name",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        '            if placed.item.type in TERMINALS:\n                run.ended_by = "terminal"',
        '            if False:\n                run.ended_by = "terminal"',
        "a terminal ends nothing",
    ),
    Fault(
        f"{_RUNS}/lineage.py",
        "        if placed.item.seq is not None or not self.runs:\n            return False",
        "        if not self.runs:\n            return False",
        "with seq too, a terminal may end another run",
    ),
    Fault(
        f"{_RUNS}/compactor.py",
        "else Fold.after(parent.fold)",
        "else Fold(empty_view())",
        "a run starts from nothing",
    ),
    Fault(
        f"{_RUNS}/compactor.py",
        "chunks = parent.chunks.fork() if parent is not None and goes_on else None",
        "chunks = parent.chunks if parent is not None and goes_on else None",
        "two continuations share the chunk that was open",
    ),
    Fault(
        f"{_RUNS}/difference.py",
        "if position is not None and position > last:\n        return position",
        "if position is not None:\n        return position",
        "survivors need not stand in their order",
    ),
    Fault(
        f"{_RUNS}/rebuild.py",
        "        taken += gap\n",
        "",
        "a gap is filled with the same survivors again",
    ),
    Fault(
        f"{_RUNS}/message_rows.py",
        "    if extra:\n        row.extra",
        "    if False:\n        row.extra",
        "unknown keys are lost",
    ),
    Fault(
        f"{_REPLAY}/emit.py",
        "after[len(before) :]",
        "after",
        "a message that grew is sent whole",
    ),
    Fault(
        f"{_REPLAY}/emit.py",
        '    start |= {"parentMessageId": owner["id"]} |',
        "    start |=",
        "a call is sent without its owner",
    ),
    Fault(
        f"{_REPLAY}/stream.py",
        "            if _is_legal(events):\n                return Streamed(events, fold)\n",
        "            return Streamed(events, fold)\n",
        "a stream that a client refuses is sent",
    ),
    Fault(
        f"{_REPLAY}/stream.py",
        "    return merged + lifecycle.closing_events()",
        "    return merged",
        "what a kept event opened stays open",
    ),
    Fault(
        f"{_REPLAY}/stream.py",
        "        if same_json(view.messages, run.final.messages) and same_json(view.state, run.final.state):",
        "        if same_json(view.state, run.final.state):",
        "a stream is not folded to be sure",
    ),
    Fault(
        f"{_REPLAY}/stream.py",
        "return [] if run.rows.state is None else",
        "return [] if not run.final.state else",
        "a state that became empty is not sent",
    ),
    Fault(
        f"{_REPLAY}/closing.py",
        "    marks.open_calls = [(row.position, row.call_index) for row in rows.tool_calls if not row.is_complete]\n",
        "",
        "a call without an end counts as ended after a replay",
    ),
    Fault(
        f"{_REPLAY}/closing.py",
        'Marks(status="abandoned" if rows.run.status == "abandoned" else None)',
        "Marks()",
        "an abandoned run counts as failed after a replay",
    ),
    Fault(
        f"{_REPLAY}/forms.py",
        "base = empty_view() if run.parent is None else self._replayed[run.parent].final",
        "base = empty_view() if run.parent is None else self._replayed[run.run - 1].final",
        "a branch is rebuilt on the run before it",
    ),
    Fault(
        f"{_REPLAY}/forms.py",
        "heard = None if run.parent is None else self._streams[run.parent].fold",
        "heard = None",
        "a stream is made for a client that heard nothing of the parent's",
    ),
    Fault(
        f"{_RUNS}/inputs.py",
        "                return -position - 1\n",
        "                return position\n",
        "an input names messages of the base view for new ones",
    ),
]

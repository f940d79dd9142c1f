"""Adversaries that nest: deeper than a parser's stack goes, and wider than a view is."""

import json
from pathlib import Path

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import Event, conversation, message, patch, scaled, snapshot, write_lines

LEGAL_LEVELS = 500
_EDGE = range(880, 1010, 5)


def _deep(levels: int, inside: str = "1") -> str:
    return '{"a":[' * (levels // 2) + inside + "]}" * (levels // 2)


def _write_deep(folder: Path, scale: float) -> None:
    deep = _deep(scaled(100_000, scale, 20_000))
    state: list[Event] = [snapshot('{"before":1}'), snapshot(deep), *message("m", "after")]
    write_lines(folder / "state.ndjson", conversation("deep-state", state))
    custom: list[Event] = [f'{{"type":"CUSTOM","name":"x","value":{deep}}}', *message("m", "after")]
    write_lines(folder / "custom.ndjson", conversation("deep-custom", custom))
    bare = ['{"type":"RUN_STARTED","threadId":"deep-bare","runId":"r"}', snapshot(deep), '{"type":"RUN_FINISHED"}']
    write_lines(folder / "bare.ndjson", bare)
    write_lines(folder / "open.ndjson", ['{"threadId":"deep-open","event":' * scaled(100_000, scale, 20_000)])


def _check_deep(outcome: Outcome, _: float) -> None:
    assert outcome.letters("deep") == {"too_deep": 4}
    assert outcome.view("deep-state") == {
        "messages": [{"id": "m", "role": "assistant", "content": "after"}],
        "state": {"before": 1},
    }
    assert outcome.contents("deep-custom") == ["after"]
    assert outcome.view("deep-bare") == {"messages": [], "state": {}}


def _call_args(text: str) -> list[Event]:
    return [
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "x", "parentMessageId": "m"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": text},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
    ]


def _write_deep_args(folder: Path, scale: float) -> None:
    events = _call_args(_deep(scaled(100_000, scale, 20_000)))
    write_lines(folder / "log.ndjson", conversation("deep-args", events))


def _check_deep_args(outcome: Outcome, scale: float) -> None:
    [only] = outcome.view("deep-args")["messages"]
    assert only["toolCalls"][0]["function"]["arguments"] == _deep(scaled(100_000, scale, 20_000))


def _write_legal(folder: Path, _: float) -> None:
    events: list[Event] = [snapshot(_deep(LEGAL_LEVELS)), patch({"op": "add", "path": "/b", "value": 2})]
    write_lines(folder / "log.ndjson", conversation("legal-depth", events))


def _check_legal(outcome: Outcome, _: float) -> None:
    assert outcome.view("legal-depth")["state"] == {**json.loads(_deep(LEGAL_LEVELS)), "b": 2}
    assert outcome.letters("legal-depth") == {}


def _write_edge(folder: Path, _: float) -> None:
    for levels in _EDGE:
        events: list[Event] = [snapshot("[" * levels + "]" * levels), *message("m", "after")]
        write_lines(folder / f"{levels}.ndjson", conversation(f"edge-{levels}", events))


def _check_edge(outcome: Outcome, _: float) -> None:
    kept = [levels for levels in _EDGE if outcome.view(f"edge-{levels}")["state"] != {}]
    assert all(outcome.contents(f"edge-{levels}") == ["after"] for levels in _EDGE)
    assert outcome.letters("edge-of-depth") == {"too_deep": len(_EDGE) - len(kept)}


def _write_dug(folder: Path, scale: float) -> None:
    levels = scaled(10_000, scale, 2_000)
    events: list[Event] = [snapshot('{"a":{}}')]
    digging: list[Event] = [patch({"op": "add", "path": "/a" * (level + 2), "value": {}}) for level in range(levels)]
    write_lines(folder / "log.ndjson", conversation("dug", [*events, *digging, *message("m", "after")]))


def _check_dug(outcome: Outcome, _: float) -> None:
    assert outcome.contents("dug") == ["after"]


def _write_doubled_depth(folder: Path, _: float) -> None:
    doubling: list[Event] = [patch({"op": "copy", "from": "/a", "path": f"/a{'/a' * 2**power}"}) for power in range(14)]
    write_lines(folder / "log.ndjson", conversation("self-copy", [snapshot('{"a":{"a":{}}}'), *doubling]))


def _check_doubled_depth(outcome: Outcome, _: float) -> None:
    assert outcome.runs("self-copy")


def _write_wide(folder: Path, scale: float) -> None:
    keys = ",".join(f'"k{number}":{number}' for number in range(scaled(200_000, scale, 2_000)))
    numbers = ",".join(map(str, range(scaled(1_000_000, scale, 10_000))))
    events: list[Event] = [
        snapshot(f'{{"keys":{{{keys}}},"numbers":[{numbers}]}}'),
        patch({"op": "remove", "path": "/keys/k0"}),
    ]
    write_lines(folder / "log.ndjson", conversation("wide", events))


def _check_wide(outcome: Outcome, scale: float) -> None:
    state = outcome.view("wide")["state"]
    assert state["numbers"] == list(range(scaled(1_000_000, scale, 10_000)))
    assert len(state["keys"]) == scaled(200_000, scale, 2_000) - 1


NESTING = [
    Adversary("deep", "JSON nested 100,000 deep in a state, a custom value and an envelope", _write_deep, _check_deep),
    Adversary("deep-args", "tool arguments that are JSON nested 100,000 deep", _write_deep_args, _check_deep_args),
    Adversary("legal-depth", "a state of 500 levels, which is legal", _write_legal, _check_legal),
    Adversary("edge-of-depth", "states around the depth at which parsers stop", _write_edge, _check_edge),
    Adversary("wide", "an object of 200,000 keys and an array of 1,000,000 numbers", _write_wide, _check_wide),
]

DIGGING = [
    Adversary("dug", "10,000 patches that each put an object into the innermost one", _write_dug, _check_dug),
    Adversary("self-copy", "patches that copy a state into its own depth", _write_doubled_depth, _check_doubled_depth),
]
"""States that patches dig deeper than an encoder goes."""

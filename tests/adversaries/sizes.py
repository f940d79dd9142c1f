"""Adversaries of sheer number and size: deltas, runs, tool calls, snapshots, ids and lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import conversation, envelope, message, patch, scaled, snapshot, write_lines
from transforms.decode.limits import MIB, Limits

_LONG_ID_CHARS = 1 << 16


def _text(number: int) -> str:
    return f"{number} "


def _write_deltas(folder: Path, scale: float) -> None:
    deltas = scaled(100_000, scale, 1_000)
    write_lines(folder / "one.ndjson", conversation("deltas-one", message("m", *map(_text, range(deltas)))))
    identities = [f"m{number}" for number in range(20)]
    started = [{"type": "TEXT_MESSAGE_START", "messageId": one, "role": "assistant"} for one in identities]
    content = (
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": identities[number % 20], "delta": _text(number)}
        for number in range(deltas)
    )
    ended = [{"type": "TEXT_MESSAGE_END", "messageId": one} for one in identities]
    write_lines(folder / "many.ndjson", conversation("deltas-many", _chain(started, content, ended)))


def _chain(*parts: Any) -> Iterator[Any]:
    for part in parts:
        yield from part


def _check_deltas(outcome: Outcome, scale: float) -> None:
    deltas = scaled(100_000, scale, 1_000)
    assert outcome.contents("deltas-one") == ["".join(map(_text, range(deltas)))]
    assert outcome.contents("deltas-many") == ["".join(map(_text, range(one, deltas, 20))) for one in range(20)]
    assert outcome.violations("deltas-many") == {}


def _runs(thread: str, count: int, parent: int | None) -> Iterator[str]:
    """One thread of many runs. The parent is a fixed run, the one before where it is -1, and not named where None."""
    for run in range(count):
        named = f"r{run - 1}" if parent == -1 else f"r{parent}"
        claim = {} if parent is None or run == 0 else {"parentRunId": named}
        yield from conversation(thread, message(f"m{run}", _text(run)), f"r{run}", run * 10, **claim)


def _write_runs(folder: Path, scale: float) -> None:
    count = scaled(10_000, scale, 40)
    write_lines(folder / "log.ndjson", _runs("runs", count, None))


def _check_runs(outcome: Outcome, scale: float) -> None:
    assert outcome.contents("runs") == list(map(_text, range(scaled(10_000, scale, 40))))


def _write_chain(folder: Path, scale: float) -> None:
    write_lines(folder / "log.ndjson", _runs("run-chain", scaled(10_000, scale, 40), -1))


def _check_chain(outcome: Outcome, scale: float) -> None:
    assert outcome.contents("run-chain") == list(map(_text, range(scaled(10_000, scale, 40))))


def _write_star(folder: Path, scale: float) -> None:
    write_lines(folder / "log.ndjson", _runs("run-star", scaled(10_000, scale, 40), 0))


def _check_star(outcome: Outcome, scale: float) -> None:
    last = scaled(10_000, scale, 40) - 1
    assert outcome.contents("run-star") == [_text(0), _text(last)]
    assert {rows.run.parent for rows in outcome.runs("run-star")} == {None, 0}


def _write_big_state(folder: Path, scale: float) -> None:
    items = ",".join(f'{{"n":{number},"text":"{"x" * 80}"}}' for number in range(scaled(50_000, scale, 500)))
    patches = (
        patch({"op": "replace", "path": f"/items/{number % 500}/n", "value": number})
        for number in range(scaled(10_000, scale, 100))
    )
    write_lines(folder / "log.ndjson", conversation("big-state", _chain([snapshot(f'{{"items":[{items}]}}')], patches)))


def _check_big_state(outcome: Outcome, scale: float) -> None:
    last = scaled(10_000, scale, 100) - 1
    assert outcome.view("big-state")["state"]["items"][last % 500]["n"] == last
    assert outcome.violations("big-state") == {}


def _long(letter: str) -> str:
    return letter * _LONG_ID_CHARS


def _write_long_ids(folder: Path, _: float) -> None:
    call, answer = {"toolCallId": _long("c")}, {"messageId": _long("n"), "content": "found"}
    events = [
        *message(_long("m"), "hello"),
        {"type": "TOOL_CALL_START", **call, "toolCallName": "look", "parentMessageId": _long("m")},
        {"type": "TOOL_CALL_ARGS", **call, "delta": "{}"},
        {"type": "TOOL_CALL_END", **call},
        {"type": "TOOL_CALL_RESULT", **call, **answer},
    ]
    write_lines(folder / "log.ndjson", conversation(_long("t"), events, _long("r")))


def _check_long_ids(outcome: Outcome, _: float) -> None:
    first, second = outcome.view(_long("t"))["messages"]
    assert (first["id"], first["toolCalls"][0]["id"]) == (_long("m"), _long("c"))
    assert (second["id"], second["toolCallId"], second["content"]) == (_long("n"), _long("c"), "found")
    assert outcome.runs(_long("t"))[0].run.run_id == _long("r")


def _write_long_lines(folder: Path, scale: float) -> None:
    deltas = ["x" * MIB for _ in range(scaled(200, scale, 3))]
    write_lines(folder / "log.ndjson", conversation("long-lines", message("m", *deltas)))


def _check_long_lines(outcome: Outcome, scale: float) -> None:
    assert outcome.contents("long-lines") == ["x" * (MIB * scaled(200, scale, 3))]


def _write_too_long(folder: Path, _: float) -> None:
    first, *rest = conversation("too-long", message("m", "after"))
    huge = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x" * Limits().line}
    write_lines(folder / "log.ndjson", [first, envelope(huge, "too-long", "r", 99), *rest])


def _check_too_long(outcome: Outcome, _: float) -> None:
    assert outcome.letters("too-long") == {"too_large": 1}
    assert outcome.contents("too-long") == ["after"]


def _write_snapshots(folder: Path, scale: float) -> None:
    messages = [
        {"id": f"m{number}", "role": "user", "content": _text(number)} for number in range(scaled(2_000, scale, 40))
    ]
    event = {"type": "MESSAGES_SNAPSHOT", "messages": messages}
    write_lines(folder / "log.ndjson", conversation("snapshots", [event] * scaled(300, scale, 6)))


def _check_snapshots(outcome: Outcome, scale: float) -> None:
    assert outcome.contents("snapshots") == list(map(_text, range(scaled(2_000, scale, 40))))


def _write_calls(folder: Path, scale: float) -> None:
    write_lines(folder / "log.ndjson", conversation("calls", _calls(scaled(10_000, scale, 100))))


def _calls(count: int) -> Iterator[dict[str, str]]:
    for number in range(count):
        call = {"toolCallId": f"c{number}"}
        yield {"type": "TOOL_CALL_START", **call, "toolCallName": "look", "parentMessageId": "m"}
        yield {"type": "TOOL_CALL_ARGS", **call, "delta": "{}"}
        yield {"type": "TOOL_CALL_END", **call}


def _check_calls(outcome: Outcome, scale: float) -> None:
    [only] = outcome.view("calls")["messages"]
    assert [call["id"] for call in only["toolCalls"]] == [f"c{number}" for number in range(scaled(10_000, scale, 100))]


SIZES = [
    Adversary(
        "deltas", "100,000 deltas of one message, and as many in turn of 20 messages", _write_deltas, _check_deltas
    ),
    Adversary("runs", "10,000 runs of one thread that name no parent", _write_runs, _check_runs),
    Adversary("run-chain", "10,000 runs that each name the one before", _write_chain, _check_chain),
    Adversary("run-star", "10,000 runs that all name the first", _write_star, _check_star),
    Adversary("big-state", "a state of 5 MB that is patched 10,000 times", _write_big_state, _check_big_state),
    Adversary("long-ids", "ids of 64 KB: thread, run, message, tool call", _write_long_ids, _check_long_ids),
    Adversary("long-lines", "200 deltas of 1 MB in one message", _write_long_lines, _check_long_lines),
    Adversary("too-long", "a line beyond the limit of a record", _write_too_long, _check_too_long),
    Adversary("snapshots", "a snapshot of 2,000 messages, sent 300 times", _write_snapshots, _check_snapshots),
    Adversary("calls", "10,000 tool calls in one message", _write_calls, _check_calls),
]

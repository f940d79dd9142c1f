r"""Adversaries in text and numbers: halves of characters, NUL, numbers beyond doubles, keys that repeat.

Events stand here as JSON text, since what they spell is the point: ``\ud83d`` is an escape of six characters.
"""

from pathlib import Path

import pytest

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import START_MS, Event, conversation, message, snapshot, write_lines


def _start(identity: str) -> str:
    return f'{{"type":"TEXT_MESSAGE_START","messageId":"{identity}","role":"assistant"}}'


def _delta(identity: str, text: str) -> str:
    return f'{{"type":"TEXT_MESSAGE_CONTENT","messageId":"{identity}","delta":"{text}"}}'


def _write(folder: Path, thread: str, *events: Event) -> None:
    write_lines(folder / f"{thread}.ndjson", conversation(thread, events))


def _write_halves(folder: Path, _: float) -> None:
    high, low = r"\ud83d", r"\ude00"
    _write(folder, "cut-emoji", _start("m"), _delta("m", "a" + high), _delta("m", low + "b"))
    _write(folder, "lone-text", _start("m"), _delta("m", "a" + high), _delta("m", "b" + low))
    _write(folder, "lone-id", _start(high), _delta(high, "x"), *message("m", "after"))
    _write(folder, "lone-key", snapshot(f'{{"{high}":"{low}"}}'))
    alone = r'{"threadId":"\ud83d","runId":"r","event":{"type":"CUSTOM","name":"x","value":1}}'
    write_lines(folder / "alone.ndjson", [alone])


def _check_halves(outcome: Outcome, _: float) -> None:
    assert outcome.contents("cut-emoji") == ["a\U0001f600b"]
    assert outcome.contents("lone-text") == ["a\ud83db\ude00"]
    assert outcome.view("lone-id")["messages"][0] == {"id": "\ud83d", "role": "assistant", "content": "x"}
    assert outcome.view("lone-key")["state"] == {"\ud83d": "\ude00"}
    assert outcome.letters("halves") == {"bad_id": 1}


def _write_nul(folder: Path, _: float) -> None:
    nul = r"\u0000"
    _write(folder, "nul-text", _start(f"m{nul}"), _delta(f"m{nul}", f"a{nul}b"), snapshot(f'{{"{nul}":"{nul}"}}'))
    lines = list(conversation("nul\0thread", message("m", "after"), "r\0"))
    around = [line.replace('{"threadId"', r'{"tenantId":"a\u0000b","threadId"', 1) for line in lines]
    write_lines(folder / "ids.ndjson", around)


def _check_nul(outcome: Outcome, _: float) -> None:
    view = outcome.view("nul-text")
    assert view["messages"] == [{"id": "m\0", "role": "assistant", "content": "a\0b"}]
    assert view["state"] == {"\0": "\0"}
    [rows] = outcome.runs("nul\0thread")
    assert (rows.run.tenant_id, rows.run.run_id, rows.run.message_count) == ("a\0b", "r\0", 1)


_BIG = {"a": 10**400, "b": 2**64, "c": -(2**63) - 1, "d": 2**53 + 1}


def _write_integers(folder: Path, _: float) -> None:
    text = "{" + ",".join(f'"{key}":{value}' for key, value in _BIG.items()) + "}"
    _write(folder, "integers", snapshot(text), f'{{"type":"CUSTOM","name":"x","value":{text}}}')
    first, *rest = conversation("integers-around", message("m", *"abcd"))
    odd = ['"seq":1', f'"seq":{10**400}', '"seq":2', f'"seq":{2**64}', '"seq":3', '"seq":-1']
    odd += [f'"ts":{START_MS + 4}', f'"ts":{10**400}', f'"ts":{START_MS + 5}', f'"ts":{2**64}']
    lines = [first]
    for line in rest:
        for old, new in zip(odd[::2], odd[1::2], strict=True):
            line = line.replace(old + ",", new + ",").replace(old + "}", new + "}")  # noqa: PLW2901 - one line, its parts
        lines.append(line)
    write_lines(folder / "around.ndjson", lines)
    stamps = [f'{{"type":"CUSTOM","name":"x","value":1,"timestamp":{stamp}}}' for stamp in (10**400, -(2**63), 1e300)]
    _write(folder, "integers-stamp", *stamps, *message("m", "after"))


def _check_integers(outcome: Outcome, _: float) -> None:
    assert outcome.view("integers")["state"] == _BIG
    assert outcome.contents("integers-stamp") == ["after"]
    assert len(outcome.contents("integers-around")) == 1
    assert outcome.letters("integers") == {}


def _write_floats(folder: Path, _: float) -> None:
    _write(folder, "floats", snapshot('{"a":1e308,"b":5e-324,"c":-0.0,"d":0.30000000000000004,"e":1E-400}'))
    for number, token in enumerate(("1e309", "1E400", "-1e309", "NaN", "Infinity", "-Infinity")):
        _write(folder, f"floats-{number}", snapshot(f'{{"bad":{token}}}'), *message("m", "after"))


def _check_floats(outcome: Outcome, _: float) -> None:
    state = outcome.view("floats")["state"]
    assert state == {"a": 1e308, "b": 5e-324, "c": 0.0, "d": 0.1 + 0.2, "e": 0.0}
    assert str(state["c"]) == "-0.0"
    assert all(outcome.contents(f"floats-{number}") == ["after"] for number in range(6))
    assert outcome.letters("floats") == {"number_range": 3, "not_json": 3}


def _write_repeated(folder: Path, _: float) -> None:
    first, *rest = conversation("repeated", [snapshot('{"a":1,"a":2,"b":{"c":1,"c":[3]}}'), *message("m", "x")])
    twice = r'{"type":"RAW","type":"TEXT_MESSAGE_CONTENT","messageId":"no","messageId":"m","delta":"no","delta":"y"}'
    around = f'{{"threadId":"no","threadId":"repeated","runId":"r","seq":77,"seq":4,"ts":{START_MS},"event":{twice}}}'
    moved = [line.replace('"seq":4,', '"seq":5,').replace('"seq":3,', '"seq":3,"seq":3,') for line in rest[:-1]]
    write_lines(folder / "log.ndjson", [first, *moved, around, rest[-1].replace('"seq":5', '"seq":6')])


def _check_repeated(outcome: Outcome, _: float) -> None:
    assert outcome.view("repeated")["state"] == {"a": 2, "b": {"c": [3]}}
    assert outcome.contents("repeated") == ["xy"]
    with pytest.raises(Exception, match=r"no thread"):
        outcome.runs("no")


TEXTS = [
    Adversary(
        "halves", "emoji cut between deltas, lone surrogates in text, ids and keys", _write_halves, _check_halves
    ),
    Adversary("nul", "NUL characters in text, ids, keys, thread and tenant", _write_nul, _check_nul),
    Adversary("integers", "integers beyond 64 bits in states, seq and times", _write_integers, _check_integers),
    Adversary("floats", "numbers at and beyond the edge of a double, and NaN", _write_floats, _check_floats),
    Adversary("repeated", "keys that stand twice in envelope, event and state", _write_repeated, _check_repeated),
]

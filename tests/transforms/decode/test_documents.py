import json

from schemas.errors import DecodeError
from tests.transforms.decode.decoding import DELTA, STARTED, found, lines, reasons
from transforms.decode.documents import collect
from transforms.decode.limits import Limits


def test_a_document_too_large_is_not_held():
    whole = collect(iter([b"x" * 10] * 10), 50)
    assert whole.data == b""
    assert whole.error.reason == "too_large"


def test_damage_keeps_what_was_read():
    def blocks():
        yield b"ab"
        raise DecodeError("corrupt", "cut")

    assert collect(blocks(), 50).data == b"ab"


def test_a_bad_element_is_one_dead_letter():
    assert reasons(json.dumps([STARTED, 7, {"no": "type"}, DELTA]).encode()) == ["not_object", "no_type"]
    assert reasons(json.dumps([STARTED, DELTA]).encode() + b" trailing") == ["not_json"]


def test_a_huge_first_line_does_not_hide_the_lines_after_it():
    row = {"threadId": "t", "runId": "r", "events": [DELTA] * 1500}
    everything = found(lines(row, STARTED, DELTA), Limits(line=70_000, block=1000))
    assert [getattr(item, "reason", "record") for item in everything] == ["too_large", "record", "record"]


def test_a_document_without_events_is_no_log():
    assert reasons(json.dumps({"chunks": [1], "name": "x"}, indent=1).encode()) == ["not_a_log"]
    assert reasons(b'{\n"events": [\n{"type": "CUST') == ["not_a_log"]

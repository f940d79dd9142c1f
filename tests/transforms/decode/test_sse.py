import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transforms.decode.decoding import DELTA, STARTED, found, reasons, records
from transforms.decode.limits import Limits

STREAM = [STARTED, DELTA, {**DELTA, "delta": "multi\nline"}]


def capture(events, ending="\n", indent=None):
    blocks = (json.dumps(event, indent=indent).replace("\n", f"{ending}data: ") for event in events)
    return "".join(
        f": ping{ending}id: 1{ending}event: x{ending}data: {block}{ending}{ending}" for block in blocks
    ).encode()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", [None, 1])
def test_line_ends_and_many_data_lines_make_no_difference(ending, indent):
    found_deltas = [(r.type, r.thread_id, r.delta) for r in records(capture(STREAM, ending, indent))]
    assert found_deltas == [
        ("RUN_STARTED", "t", None),
        ("TEXT_MESSAGE_CONTENT", "t", "hi"),
        ("TEXT_MESSAGE_CONTENT", "t", "multi\nline"),
    ]


def test_unknown_lines_are_ignored_and_json_is_not():
    text = capture(STREAM[:1]) + b'## title\nretry: 5\n{"type":"CUSTOM"}\n\n' + capture(STREAM[1:])
    assert reasons(text) == ["sse_framing"]
    assert len(found(text)) == 4


def test_empty_data_and_the_done_mark_are_nothing():
    assert found(b"data:\n\ndata: \n\ndata: [DONE]\n\n:\n\n") == []


def test_the_last_block_needs_no_end():
    assert len(records(capture(STREAM).rstrip())) == 3
    assert reasons(capture(STREAM) + b'data: {"type":') == ["torn"]
    assert reasons(capture(STREAM) + b'data: {"type":\n') == ["torn"]
    assert reasons(capture(STREAM) + b'data: {"type":\n\n') == ["not_json"]


def test_an_error_without_a_type_is_dead():
    assert reasons(b'event: error\ndata: {"error":"x"}\n\n') == ["no_type"]


def test_a_block_has_a_limit():
    text = b"data: " + b"\ndata: ".join([b"x" * 50] * 10) + b"\n\n" + capture([STARTED])
    assert reasons(text, Limits(line=200)) == ["too_large"]
    assert len(found(text, Limits(line=200))) == 2


def test_offsets_are_those_of_the_data():
    text = capture(STREAM)
    assert all(text[r.offset :].startswith(b"data: ") for r in records(text))


@given(st.integers(1, 40), st.sampled_from(["\n", "\r\n", "\r"]))
def test_blocks_make_no_difference(block, ending):
    text = capture(STREAM, ending)
    assert found(text, Limits(block=block)) == found(text)


def test_a_real_capture_is_read(shared):
    everything = found((shared / "data" / "captures" / "sse_streams.txt").read_bytes())
    assert [item.reason for item in everything if hasattr(item, "reason")] == ["not_json", "not_json"]
    assert len(everything) == 31

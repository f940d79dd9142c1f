import gzip
import io
import json
from collections import Counter
from random import Random
from types import SimpleNamespace

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import REASONS, DeadLetter, Record, Source
from tests.transforms.decode.decoding import DELTA, FINISHED, STARTED, found, lines, reasons, records
from transforms.decode.limits import Limits
from transforms.decode.objects import decode_object

RUN = [STARTED, DELTA, FINISHED]


def shape(everything):
    return [
        (item.type, item.thread_id, item.run_id, item.delta) if isinstance(item, Record) else item.reason
        for item in everything
    ]


WANTED = [("RUN_STARTED", "t", "r", None), ("TEXT_MESSAGE_CONTENT", "t", "r", "hi"), ("RUN_FINISHED", "t", "r", None)]
FORMS = {
    "lines": lines(*RUN),
    "bom": b"\xef\xbb\xbf" + lines(*RUN),
    "crlf": lines(*RUN).replace(b"\n", b"\r\n"),
    "blank lines": b"\n\n" + lines(*RUN).replace(b"\n", b"\n\n"),
    "no last newline": lines(*RUN).rstrip(),
    "envelopes": lines(*({"threadId": "t", "runId": "r", "event": event} for event in RUN)),
    "events as text": lines(*({"threadId": "t", "runId": "r", "event": json.dumps(event)} for event in RUN)),
    "array": json.dumps(RUN).encode(),
    "pretty array": b"\xef\xbb\xbf" + json.dumps(RUN, indent=2).encode(),
    "export": json.dumps({"events": RUN}).encode(),
    "pretty export": json.dumps({"threadId": "t", "events": RUN, "agent": {}}, indent=2).encode(),
    "run rows": lines({"thread_id": "t", "run_id": "r", "events": RUN, "created_at": 1_790_000_000_000}),
    "run row as text": lines({"threadId": "t", "runId": "r", "events": json.dumps(RUN)}),
    "sse": b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in RUN),
    "sse crlf": b"".join(b"id: 1\r\ndata:" + json.dumps(event).encode() + b"\r\n\r\n" for event in RUN),
    "gzip": gzip.compress(lines(*RUN)),
    "zstd of array": zstandard.ZstdCompressor().compress(json.dumps(RUN).encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form):
    assert shape(records(FORMS[form])) == WANTED


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [1, 2, 5, 64])
def test_blocks_make_no_difference(form, block):
    assert found(FORMS[form], Limits(block=block)) == found(FORMS[form])


LINE = (
    st.sampled_from([STARTED, DELTA, FINISHED, {"threadId": "u", "event": DELTA}, {"no": "type"}, [1], 7])
    .map(json.dumps)
    .map(str.encode)
) | st.binary(max_size=12).map(lambda text: text.replace(b"\n", b""))


@given(st.lists(LINE, max_size=8), st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.integers(1, 50))
def test_any_lines_come_the_same_in_any_blocks(texts, ending, is_ended, block):
    data = ending.join([*texts, b""] if is_ended else texts)
    assert found(data, Limits(block=block)) == found(data)


@given(st.lists(LINE, max_size=8))
def test_every_line_is_accounted_for(texts):
    data = lines(STARTED) + b"\n".join(texts)
    offsets = {item.offset for item in found(data)}
    at = 0
    for line in data.split(b"\n"):
        assert (at in offsets) == bool(line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n"))
        at += len(line) + 1


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    assert all(isinstance(item, DeadLetter) for item in found(data) if not isinstance(item, Record))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"oops", "not_json"),
        (b'{"type":"CUSTOM"', "not_json"),
        (b"[1]", "not_object"),
        (b'"text"', "not_object"),
        (b'{"a":1}', "no_type"),
        (b'{"type":7}', "no_type"),
        (b'{"event":[],"threadId":"t"}', "no_type"),
        (b'{"event":{"x":1},"threadId":"t"}', "no_type"),
        (b'{"event":"oops","threadId":"t"}', "not_json"),
        (b'{"event":"7","threadId":"t"}', "not_object"),
        (b'{"type":"CUSTOM","name":"\xff"}', "bad_utf8"),
        (b'{"threadId":"t","event":{"type":"CUSTOM","name":"\xff"}}', "bad_utf8"),
        (rb'{"type":"CUSTOM","threadId":"\ud83d"}', "bad_id"),
        (rb'{"threadId":"t","runId":"\ud83d","event":{"type":"CUSTOM"}}', "bad_id"),
        (rb'{"threadId":["t"],"event":{"type":"CUSTOM"}}', "bad_id"),
        (rb'{"threadId":"t","tenantId":{},"event":{"type":"CUSTOM"}}', "bad_id"),
        (rb'{"type":"\ud83d","threadId":"t"}', "no_type"),
        (b'{"type":"CUSTOM","value":' + b"[" * 50_000 + b"]" * 50_000 + b"}", "too_deep"),
        (b'{"type":"CUSTOM","value":NaN}', "not_json"),
        (b'{"threadId":"t","events":7}', "not_object"),
    ],
)
def test_a_bad_line_is_one_dead_letter(bad, reason):
    data = lines(STARTED) + bad + b"\n" + lines(DELTA)
    everything = found(data)
    assert [item.reason for item in everything if isinstance(item, DeadLetter)] == [reason]
    assert reason in REASONS
    letter = everything[1]
    assert (letter.uri, letter.stage, letter.size) == ("log", "decode", len(bad))
    assert letter.offset in {len(lines(STARTED)), len(lines(STARTED)) * 1_000_000}
    assert everything[2].delta == "hi"


def test_a_bare_event_without_a_thread_is_dead():
    assert shape(found([DELTA, STARTED, DELTA])) == ["no_thread", *WANTED[:2]]


def test_the_path_can_tell_the_thread():
    assert [(r.thread_id, r.run_id) for r in records([DELTA, FINISHED], thread_id="p")] == [("p", None), ("t", "r")]


def test_a_torn_end_is_torn():
    whole = lines(*RUN)
    assert shape(found(whole + b'{"type":"TEXT_')) == [*WANTED, "torn"]
    assert shape(found(whole + '{"type":"CUSTOM","name":"é'.encode()[:-1])) == [*WANTED, "torn"]
    assert shape(found(whole + b'{"type":"TEXT_\n')) == [*WANTED, "not_json"]
    assert shape(found(whole + b'{"no":"type"}')) == [*WANTED, "no_type"]
    assert shape(found(json.dumps(RUN).encode()[:-5])) == [*WANTED[:2], "torn"]


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.ZstdCompressor().compress], ids=["gzip", "zstd"])
def test_a_cut_compressed_object_gives_what_it_can(compress):
    random = Random(1)
    event = [{"type": "CUSTOM", "threadId": "t", "name": random.randbytes(20).hex()} for _ in range(20_000)]
    for data in (lines(*event), json.dumps(event).encode()):
        stored = compress(data)
        everything = found(stored[: len(stored) // 2])
        assert [item.reason for item in everything if isinstance(item, DeadLetter)] == ["corrupt"]
        assert len(everything) > 1000
        assert isinstance(everything[-1], DeadLetter)


def test_limits_bound_what_is_held():
    long = {"type": "CUSTOM", "threadId": "t", "name": "x" * 3000}
    limits = Limits(block=256, line=1000, document=2000)
    data = lines(STARTED, long, DELTA)
    assert shape(found(data, limits)) == [WANTED[0], "too_large", WANTED[1]]
    assert reasons(json.dumps([long]).encode(), limits) == ["too_large"]
    assert reasons(json.dumps({"events": [long]}, indent=1).encode(), limits) == ["too_large"]
    assert reasons(b"data: " + json.dumps(long).encode() + b"\n\ndata: {}\n\n", limits, thread_id="t")[0] == "too_large"
    assert reasons(gzip.compress(b"[" + b" " * 10_000_000), limits) == ["too_large"]


@pytest.mark.parametrize("data", [b"MIT License\n", b"\x7fELF\0\0", b"a,b\n1,2\n", b"null", b"[1, 2]", b"<html>"])
def test_what_is_no_log_is_one_dead_letter(data):
    assert shape(found(data)) == ["not_a_log"]


@pytest.mark.parametrize("data", [b"", b"\n\r\n ", b"[]", gzip.compress(b"", mtime=0)])
def test_nothing_is_nothing(data):
    assert found(data) == []


def test_a_log_that_begins_in_the_middle_of_a_line():
    assert shape(found(b'lo"}}\n' + lines(*RUN))) == ["not_json", *WANTED]


def test_interleaved_threads_keep_apart():
    other = {"type": "RUN_STARTED", "threadId": "u", "runId": "s"}
    everything = records([STARTED, other, {**DELTA, "threadId": "t"}, DELTA, {**FINISHED, "threadId": None}])
    assert [(r.thread_id, r.run_id) for r in everything] == [
        ("t", "r"),
        ("u", "s"),
        ("t", None),
        ("u", "s"),
        ("u", "r"),
    ]


def test_offsets_grow():
    rows = [{"threadId": "t", "runId": "r", "events": RUN}] * 2
    offsets = [record.offset for record in records([*RUN, *rows, *RUN])]
    assert offsets[:3] == sorted(offsets[:3])
    assert offsets[3:9] == sorted(set(offsets[3:9]))


def test_a_stream_that_reads_short_is_enough():
    data = io.BytesIO(gzip.compress(lines(*RUN)))
    stream = SimpleNamespace(read=lambda size: data.read(min(size, 3)))
    assert shape(decode_object(stream, Source("log", 0))) == WANTED


def test_real_captures_are_read(shared):
    counts, letters = Counter(), Counter()
    for path in sorted((shared / "data" / "captures").rglob("*")):
        if path.is_file() and path.name not in {"expected.json", "agui-captures.tar.zst"}:
            with path.open("rb") as stream:
                for item in decode_object(stream, Source(path.name, 0)):
                    counts[type(item).__name__] += 1
                    if isinstance(item, DeadLetter):
                        letters[item.reason] += 1
    assert counts["Record"] == 1_104
    assert letters == {"not_a_log": 4, "not_json": 2, "no_type": 1}

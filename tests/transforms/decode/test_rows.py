import json

from schemas.records import Attachment
from tests.transforms.decode.decoding import DELTA, FINISHED, STARTED, found, lines, only, reasons, records

ROW = {
    "thread_id": "t",
    "run_id": "r",
    "parent_run_id": "p",
    "tenant_id": "acme",
    "events": [{"type": "RUN_STARTED"}, DELTA, {"type": "RUN_FINISHED"}],
    "input": {"messages": []},
    "created_at": 1_790_000_000_000,
}
AT_US = 1_790_000_000_000_000


def test_a_run_row_gives_what_stands_around_to_its_first_record():
    first, delta, last = records([ROW])
    assert first.attachment == Attachment(b'{"messages": []}', "p", AT_US, (), is_run_start=True)
    assert (delta.attachment, last.attachment) == (None, None)
    assert {(r.thread_id, r.run_id, r.owner.tenant_id) for r in (first, delta, last)} == {("t", "r", "acme")}


def test_a_row_was_written_when_its_run_ended():
    assert [(r.at_us, r.time_source) for r in records([ROW])] == [(None, None), (None, None), (AT_US, "envelope")]


def test_a_row_may_hold_text():
    row = {**ROW, "events": json.dumps(ROW["events"]), "input": json.dumps(ROW["input"])}
    text = [(r.type, r.delta, r.attachment) for r in records([row])]
    assert text == [(r.type, r.delta, r.attachment) for r in records([ROW])]


def test_offsets_hold_the_row_and_the_index():
    first, second = lines(ROW), lines({**ROW, "run_id": "s"})
    offsets = [r.offset for r in records(first + second)]
    assert offsets == [0, 1, 2, *(len(first) * 1_000_000 + i for i in range(3))]
    assert [r.offset for r in records(json.dumps({"events": [STARTED, DELTA]}).encode())] == [0, 1]


def test_the_row_wins_over_its_events_and_says_so():
    first, *_ = records([{**ROW, "events": [{**STARTED, "runId": "other"}]}])
    assert (first.run_id, first.attachment.violations) == ("r", ("envelope_mismatch",))


def test_an_envelope_wins_over_its_event_and_says_so():
    record = only([{"threadId": "t", "runId": "r", "event": {**DELTA, "thread_id": "u"}}])
    assert (record.thread_id, record.attachment) == ("t", Attachment(violations=("envelope_mismatch",)))


def test_an_export_of_all_runs_follows_its_starts():
    export = {
        "threadId": "t",
        "events": [STARTED, DELTA, {**FINISHED, "runId": None}, {**STARTED, "runId": "s"}, DELTA],
    }
    assert [r.run_id for r in records([export])] == ["r", "r", "r", "s", "s"]


def test_what_an_export_lacks_is_told():
    first, second = records([{"events": [STARTED, DELTA], "decodeErrorRowIds": ["x"], "truncated": True}])
    assert first.attachment.violations == ("truncated", "decode_errors")
    assert second.attachment is None
    whole, _ = records([{"events": [STARTED, DELTA], "decodeErrorRowIds": [], "truncated": False}])
    assert whole.attachment is None


def test_bad_events_of_a_row_are_dead_one_by_one():
    everything = found([{**ROW, "events": [7, STARTED, {"no": "type"}, DELTA]}])
    assert reasons([{**ROW, "events": [7, STARTED, {"no": "type"}, DELTA]}]) == ["not_object", "no_type"]
    assert [item.offset for item in everything] == [0, 1, 2, 3]
    assert everything[1].attachment.is_run_start


def test_bare_events_after_a_row_belong_to_its_run():
    assert [r.run_id for r in records([ROW, DELTA])][-1] == "r"


def test_an_envelopes_input_is_given_once():
    line = {"threadId": "t", "runId": "r", "input": {"messages": []}, "event": DELTA}
    one, two, three = records([line, line, {**line, "input": {"messages": [1]}}])
    assert (one.attachment.input, two.attachment, three.attachment.input) == (
        b'{"messages": []}',
        None,
        b'{"messages": [1]}',
    )
    assert one.delta == "hi"


def test_metadata_marks_are_used_where_the_envelope_has_none():
    marked = {**DELTA, "metadata": {"cpki_event_seq": 5, "cpki_event_id": "e"}}
    assert [(r.seq, r.event_id) for r in records([{"threadId": "t", "event": marked}])] == [(5, "e")]
    line = {"threadId": "t", "seq": "7", "eventId": "f", "event": marked}
    assert [(r.seq, r.event_id) for r in records([line])] == [(7, "f")]


def test_numbers_are_ids_by_their_text():
    record = only([{"threadId": 7, "runId": 1.5, "userId": 12, "event": DELTA}])
    assert (record.thread_id, record.run_id, record.owner.user_id) == ("7", "1.5", "12")


def test_empty_ids_are_absent():
    assert reasons([{"threadId": "", "event": DELTA}]) == ["no_thread"]
    assert only([{"threadId": "t", "runId": "", "event": DELTA}]).run_id is None

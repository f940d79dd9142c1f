import json

from schemas.rows import RunRow
from tests.threads import compacted, lines_of, through_arrow
from transforms.runs.folding import KeptEvent
from transforms.runs.usage import usage_rows

RUN = RunRow("acme", "t", 3, "r")
ENTRY = {"provider": "p", "model": "m", "inputTokens": 3, "outputTokens": 4}


def raw(*entries):
    return json.dumps(entries).encode()


def vendor(**counts):
    return KeptEvent({"type": "USAGE_METADATA", "timestamp": 1, **counts}, None, 0)


def told(rows):
    return [(row.source, row.provider, row.model, row.input_tokens, row.output_tokens) for row in rows]


def test_the_terminal_wins_then_vendor_events_then_raw_payloads():
    kept, payloads = [vendor(input_tokens=1)], [raw({"input_tokens": 2})]
    assert told(usage_rows(RUN, [ENTRY], kept, payloads)) == [("terminal", "p", "m", 3, 4)]
    assert told(usage_rows(RUN, [], kept, payloads)) == [("vendor", None, None, 1, None)]
    assert told(usage_rows(RUN, [], [], payloads)) == [("raw", None, None, 2, None)]
    assert usage_rows(RUN, [], [], []) == []


def test_entries_that_tell_nothing_give_way():
    assert told(usage_rows(RUN, [{"model": "m"}, 3], [vendor(note="x")], [raw({"input_tokens": 2})]))[0][0] == "raw"


def test_tokens_are_summed_by_provider_and_model():
    rows = usage_rows(RUN, [ENTRY, {**ENTRY, "model": "a"}, ENTRY], [], [])
    assert told(rows) == [("terminal", "p", "a", 3, 4), ("terminal", "p", "m", 6, 8)]
    assert {(row.tenant_id, row.thread_id, row.run, row.run_id) for row in rows} == {("acme", "t", 3, "r")}


def test_a_model_call_that_is_told_twice_counts_once():
    call = {"input_tokens": 2, "call_id": "x"}
    rows = usage_rows(RUN, [], [], [raw(call), raw({**call, "input_tokens": 5}), raw({"input_tokens": 1})])
    assert told(rows) == [("raw", None, None, 6, None)]


def test_further_keys_are_kept():
    [row] = usage_rows(RUN, [{**ENTRY, "cost": 0.5}], [], [])
    assert json.loads(row.extra) == {"cost": 0.5}


def test_half_a_character_in_a_model_goes_through():
    payload = {
        "model": "\ud83d",
        "id": "\ud83d",
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }
    start = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    log = [("r", start), ("r", {"type": "RAW", "event": payload})]
    [rows] = through_arrow(compacted(lines_of(log)).runs)
    assert [row.total_tokens for row in rows.usage] == [7]

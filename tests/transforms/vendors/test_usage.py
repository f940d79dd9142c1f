import json

import pytest

from schemas.rows import RunRow
from transforms.runs.folding import KeptEvent
from transforms.runs.usage import usage_rows
from transforms.vendors import usage_of_raw
from transforms.vendors.usage import usage_entry

RUN = RunRow("acme", "t", 0, "r")
OPENAI = {"model": "gpt", "id": "x", "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7,
          "prompt_tokens_details": {"cached_tokens": 2},
          "completion_tokens_details": {"reasoning_tokens": 1}}}  # fmt: skip
ANTHROPIC = {"model": "claude", "id": "y", "usage": {"input_tokens": 3, "output_tokens": 4,
             "cache_read_input_tokens": 2, "cache_creation_input_tokens": 5}}  # fmt: skip
DOTNET = {"modelId": "m", "contents": [{"$type": "usage", "details": {"inputTokenCount": 3, "outputTokenCount": 4}}]}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            OPENAI,
            {"model": "gpt", "input_tokens": 3, "output_tokens": 4, "cache_read_tokens": 2, "reasoning_tokens": 1},
        ),
        (ANTHROPIC, {"model": "claude", "input_tokens": 3, "cache_read_tokens": 2, "cache_write_tokens": 5}),
        (DOTNET, {"model": "m", "input_tokens": 3, "output_tokens": 4}),
    ],
)
def test_each_vendor_is_understood(payload, expected):
    [entry] = usage_of_raw(payload)
    assert {key: getattr(entry, key) for key in expected} == expected


@pytest.mark.parametrize("payload", [None, "text", {}, {"usage": "none"}, {"usage": {"input_tokens": True}}])
def test_what_tells_no_usage_tells_none(payload):
    assert usage_of_raw(payload) == []


def test_a_part_of_a_stream_tells_none():
    assert (
        usage_of_raw({"event": "on_chat_model_stream", "data": {"chunk": {"usage_metadata": {"input_tokens": 1}}}})
        == []
    )


def test_counts_that_are_no_counts_are_left_in_extra():
    entry = usage_entry({"inputTokens": 1, "outputTokens": -1, "note": "x"})
    assert (entry.input_tokens, entry.output_tokens, entry.extra) == (1, None, {"outputTokens": -1, "note": "x"})


def test_the_terminal_wins_over_raw():
    raw = [json.dumps([{"input_tokens": 9}]).encode()]
    [row] = usage_rows(RUN, [{"inputTokens": 1, "model": "m"}], [], raw)
    assert (row.source, row.input_tokens, row.model) == ("terminal", 1, "m")


def test_a_model_call_told_twice_counts_once():
    told = [{"input_tokens": 5, "model": "m", "call_id": "c"}], [{"input_tokens": 5, "model": "m", "call_id": "c"}]
    other = [{"input_tokens": 1, "model": "m", "call_id": "d"}]
    [row] = usage_rows(RUN, [], [], [json.dumps(one).encode() for one in (*told, other)])
    assert (row.source, row.input_tokens) == ("raw", 6)


def test_a_vendor_event_is_read():
    event = {"type": "USAGE_METADATA", "input_tokens": 2, "output_tokens": 3, "model": "m", "_index": 4}
    [row] = usage_rows(RUN, [], [KeptEvent(event, None, 0)], [])
    assert (row.source, row.input_tokens, row.output_tokens, row.extra) == ("vendor", 2, 3, None)

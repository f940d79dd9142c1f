import json

import msgspec
import pytest

from schemas.rows import RunRow
from tests.threads import compacted, lines_of
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


RESPONSES = {"model": "gpt", "id": "x", "usage": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7,
             "input_tokens_details": {"cached_tokens": 2},
             "output_tokens_details": {"reasoning_tokens": 1}}}  # fmt: skip
LANGCHAIN = {"event": "on_chat_model_end", "run_id": "z", "metadata": {"ls_provider": "openai"},
             "data": {"output": {"response_metadata": {"model_name": "gpt"},
                                 "usage_metadata": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7,
                                                    "input_token_details": {"cache_read": 2, "cache_creation": 5},
                                                    "output_token_details": {"reasoning": 1}}}}}  # fmt: skip
AGUI = {"provider": "p", "model": "m", "inputTokens": 3, "outputTokens": 4, "totalTokens": 7,
        "reasoningTokens": 1, "cachedInputTokens": 2, "cacheWriteTokens": 5}  # fmt: skip


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (RESPONSES, {"model": "gpt", "input_tokens": 3, "cache_read_tokens": 2, "reasoning_tokens": 1, "call_id": "x"}),
        (
            LANGCHAIN,
            {
                "provider": "openai",
                "model": "gpt",
                "input_tokens": 3,
                "output_tokens": 4,
                "total_tokens": 7,
                "cache_read_tokens": 2,
                "cache_write_tokens": 5,
                "reasoning_tokens": 1,
                "call_id": "z",
            },
        ),
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


def test_the_protocols_own_spelling_fills_every_field():
    entry = usage_entry(AGUI)
    assert msgspec.structs.asdict(entry) == {
        "provider": "p",
        "model": "m",
        "input_tokens": 3,
        "output_tokens": 4,
        "total_tokens": 7,
        "reasoning_tokens": 1,
        "cache_read_tokens": 2,
        "cache_write_tokens": 5,
        "call_id": None,
        "extra": {},
    }


def test_every_part_of_a_dotnet_update_counts():
    parts = [{"$type": "text", "text": "x"}, *DOTNET["contents"], *DOTNET["contents"]]
    assert [entry.input_tokens for entry in usage_of_raw({"contents": parts})] == [3, 3]


@pytest.mark.parametrize("event", ["on_chat_model_stream", "on_chain_end", "on_chat_model_start"])
def test_only_the_end_of_a_model_call_tells(event):
    assert usage_of_raw({**LANGCHAIN, "event": event}) == []


@pytest.mark.parametrize("count", [-1, 1.5, 1 << 62, "3", True, None, float("inf")])
def test_what_is_no_count_is_no_count(count):
    assert usage_entry({"inputTokens": count}) is None


def test_a_whole_float_is_a_count():
    assert usage_entry({"inputTokens": 3.0}).input_tokens == 3


def test_models_are_told_apart_and_calls_summed():
    told = [{"input_tokens": count, "model": model, "call_id": f"{model}{count}"} for model in "ab" for count in (1, 2)]
    rows = usage_rows(RUN, [], [], [json.dumps([one]).encode() for one in told])
    assert [(row.model, row.input_tokens) for row in rows] == [("a", 3), ("b", 3)]


def test_calls_without_an_id_all_count():
    rows = usage_rows(RUN, [], [], [json.dumps([{"input_tokens": 2, "model": "m"}]).encode()] * 2)
    assert [row.input_tokens for row in rows] == [4]


def test_a_call_that_raw_events_tell_twice_counts_once_in_a_whole_run():
    started, finished = ({"type": kind, "threadId": "t", "runId": "r"} for kind in ("RUN_STARTED", "RUN_FINISHED"))
    raw = {"type": "RAW", "event": OPENAI}
    text = {"type": "TEXT_MESSAGE_START", "messageId": "a", "role": "assistant", "rawEvent": OPENAI}
    [rows] = compacted(lines_of([("r", event) for event in (started, raw, text, raw, finished)])).runs
    assert [(row.source, row.input_tokens, row.reasoning_tokens) for row in rows.usage] == [("raw", 3, 1)]

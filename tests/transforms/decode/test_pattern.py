import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import ConfigError
from transforms.decode.pattern import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "uri", "fields"),
    [
        ("{thread_id}.jsonl", "/raw/t-1.jsonl", {"thread_id": "t-1"}),
        ("{thread_id}.jsonl", "s3://b/t.1.jsonl.zst", {"thread_id": "t.1"}),
        ("{thread_id}.jsonl", "/raw/t-1.json", {}),
        ("{thread_id}.jsonl", "/raw/.jsonl", {}),
        ("{tenant_id}/{thread_id}", "s3://b/acme/t", {"tenant_id": "acme", "thread_id": "t"}),
        ("{tenant_id}/{thread_id}", "s3://b/t", {}),
        ("{user_id}-{thread_id}.*", "a/u-t-1.ndjson", {"user_id": "u", "thread_id": "t-1"}),
        ("{thread_id}/part*", "x/t/part-3.json", {"thread_id": "t"}),
        ("{tenant_id}/*/{thread_id}", "x/acme/any/t", {"tenant_id": "acme", "thread_id": "t"}),
        (
            "logs/{tenant_id}/…/{thread_id}.jsonl",
            "/a/logs/acme/2026/12/t.jsonl",
            {"tenant_id": "acme", "thread_id": "t"},
        ),
        ("logs/{tenant_id}/**/{thread_id}.jsonl", "/logs/acme/t.jsonl", {"tenant_id": "acme", "thread_id": "t"}),
        ("{tenant_id}/…/{thread_id}.jsonl", "s3://b/acme/2026/t.jsonl", {"tenant_id": "acme", "thread_id": "t"}),
        ("…/runs/{run_id}/**/{thread_id}", "a/b/runs/r/c/d/t", {"run_id": "r", "thread_id": "t"}),
        ("{date}/{thread_id}", "a/2026-12-01/t", {"date": "2026-12-01", "thread_id": "t"}),
        ("{date}/{thread_id}", "a/dt=2026-12-01/t", {"date": "2026-12-01", "thread_id": "t"}),
        ("{date}/{thread_id}", "a/2026/12/01/t", {"date": "2026-12-01", "thread_id": "t"}),
        ("dt={date}/{thread_id}", "a/dt=2026-12-01/t", {"date": "2026-12-01", "thread_id": "t"}),
        ("{date}-{thread_id}.gz", "a/2026-12-01-t-1.gz", {"date": "2026-12-01", "thread_id": "t-1"}),
        ("{date}/{thread_id}", "a/2026-13-01/t", {}),
        ("{thread_id}.jsonl", "a/\udcff.jsonl", {}),
    ],
)
def test_a_path_tells(pattern, uri, fields):
    assert compile_pattern(pattern).fields(uri) == fields


def test_a_wild_beginning_counts_from_the_folder_that_was_given():
    pattern = compile_pattern("{tenant_id}/{agent_id}/…/{thread_id}.jsonl")
    fields = {"tenant_id": "acme", "agent_id": "support", "thread_id": "t"}
    assert pattern.fields("/data/raw/acme/support/2026/t.jsonl", "/data/raw") == fields


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a/b",
        "{thread}",
        "{thread_id",
        "thread_id}",
        "{}",
        "{thread_id}{run_id}",
        "{thread_id}*",
        "**thread",
        "{thread_id}/{thread_id}",
        "{year}/{thread_id}",
        "{thread_id}" * 1000,
        "a/" * 200 + "{thread_id}",
        "{thread_id}/{{run_id}}",
    ],
)
def test_a_pattern_that_cannot_be_told_apart_stops_the_job(pattern):
    with pytest.raises(ConfigError):
        compile_pattern(pattern)


NAMES = st.text(st.sampled_from("abz09_é"), min_size=1, max_size=6)


@given(NAMES, NAMES, NAMES, st.lists(NAMES, max_size=3))
def test_a_path_made_by_a_pattern_is_read_back(tenant, agent, thread, between):
    uri = "/".join(["s3://bucket/logs", tenant, agent, *between, f"{thread}.jsonl"])
    fields = compile_pattern("logs/{tenant_id}/{agent_id}/…/{thread_id}.jsonl").fields(uri)
    if "logs" not in {tenant, agent, *between}:
        assert fields == {"tenant_id": tenant, "agent_id": agent, "thread_id": thread}


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_a_pattern_or_an_error(text, uri):
    try:
        pattern = compile_pattern(text)
    except ConfigError:
        return
    assert all(value for value in pattern.fields(uri).values())


def test_no_pattern_takes_long():
    pattern = compile_pattern("/".join(["**/a*b*c*d"] * 15) + "/{thread_id}x*y")
    started = time.process_time()
    pattern.fields("/".join(["abcab" * 200] * 300))
    assert time.process_time() - started < 1

"""The log as a whole: its objects, its order, its deliveries, its size."""

import json
from collections import Counter, defaultdict
from itertools import pairwise

import msgspec
import pytest

from schemas.errors import ConfigError
from transforms.sample.log import sample_log

THREADS = 60
SEED = 7


@pytest.fixture(scope="module")
def objects():
    return list(sample_log(THREADS, SEED))


@pytest.fixture(scope="module")
def lines(objects):
    return [line for made in objects for line in made.data.split(b"\n")[:-1]]


@pytest.fixture(scope="module")
def records(lines):
    return [msgspec.json.decode(line) for line in lines]


@pytest.fixture(scope="module")
def events(records):
    """Every event once."""
    return list({(record["threadId"], record["seq"]): record for record in records}.values())


def test_same_seed_gives_the_same_bytes():
    assert list(sample_log(6, 3, raw_share=0.5, hot_runs=3)) == list(sample_log(6, 3, raw_share=0.5, hot_runs=3))


def test_another_seed_gives_another_log():
    assert [made.data for made in sample_log(3, 1)] != [made.data for made in sample_log(3, 2)]


def test_threads_do_not_depend_on_how_many_there_are():
    def runs_of_the_third(threads):
        found = [json.loads(line) for made in sample_log(threads, SEED) for line in made.data.split(b"\n")[:-1]]
        return list(dict.fromkeys(record["runId"] for record in found if record["threadId"] == "thread-000002"))

    assert runs_of_the_third(3) == runs_of_the_third(9)


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"raw_share": 1.5}, {"hot_runs": -1}])
def test_arguments_out_of_range_are_refused_at_once(wrong):
    with pytest.raises(ConfigError):
        sample_log(**{"threads": 1, "seed": 1} | wrong)


def test_every_record_has_its_envelope(records):
    keys = ["threadId", "runId", "seq", "ts", "userId", "tenantId", "agentId", "event"]
    assert all(list(record) == keys and isinstance(record["event"]["type"], str) for record in records)


def test_seq_counts_from_zero_without_a_gap_in_order_of_first_delivery(records):
    expected = defaultdict(int)
    for record in records:
        thread = record["threadId"]
        assert record["seq"] <= expected[thread]
        expected[thread] = max(expected[thread], record["seq"] + 1)
    assert len(expected) == THREADS


def test_time_never_goes_back_but_for_redeliveries(records):
    seen, last = set(), 0
    for record in records:
        key = record["threadId"], record["seq"]
        if key not in seen:
            assert record["ts"] >= last
            last = record["ts"]
        seen.add(key)


def test_redeliveries_are_equal_and_counted(objects, lines, events):
    assert len(set(lines)) == len(events) == sum(made.events for made in objects)
    assert len(lines) - len(events) == sum(made.duplicates for made in objects) > 0


def test_redeliveries_cross_a_flush(objects):
    earlier = set()
    crossing = 0
    for made in objects:
        own = made.data.split(b"\n")
        crossing += sum(line in earlier for line in own)
        earlier.update(own[:-1])
    assert crossing > 0


def test_only_the_newest_object_ends_in_a_torn_line(objects):
    assert all(made.data.endswith(b"}\n") for made in objects[:-1])
    torn = objects[-1].data.rpartition(b"\n")[2]
    assert torn.startswith(b'{"threadId"')
    with pytest.raises(json.JSONDecodeError):
        json.loads(torn)


def test_objects_are_named_by_day_and_hold_that_day(objects):
    names = [made.name for made in objects]
    assert names == sorted(names)
    assert len(set(names)) == len(names)
    assert len({name.partition("/")[0] for name in names}) >= 3


def test_counts_are_what_the_objects_hold(objects, events):
    starts = sum(record["event"]["type"] == "RUN_STARTED" for record in events)
    assert sum(made.threads for made in objects) == THREADS
    assert sum(made.runs for made in objects) == starts == len({record["runId"] for record in events})


def test_threads_are_interleaved(records):
    changes = sum(a["threadId"] != b["threadId"] for a, b in pairwise(records))
    assert changes > 5 * THREADS


def test_several_tenants_users_and_agents_take_part(records):
    assert len({record["tenantId"] for record in records}) >= 3
    assert len({record["userId"] for record in records}) < THREADS
    assert len({record["agentId"] for record in records}) == 3


def test_shares_of_bytes_are_those_of_a_real_log(records, lines):
    size = Counter()
    for record, line in zip(records, lines, strict=True):
        size[record["event"]["type"]] += len(line)
    total = size.total()
    assert 0.58 < (size["TEXT_MESSAGE_CONTENT"] + size["REASONING_MESSAGE_CONTENT"]) / total < 0.74
    assert 0.14 < size["RUN_STARTED"] / total < 0.30
    assert 0.03 < size["TOOL_CALL_ARGS"] / total < 0.09
    assert 270 < total / len(lines) < 370
    assert 900 < len(lines) / THREADS < 1_900


def test_every_kind_of_event_and_ending_occurs(events):
    kinds = Counter(record["event"]["type"] for record in events)
    assert kinds.keys() >= {
        "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED", "TOOL_CALL_RESULT", "STATE_SNAPSHOT", "STATE_DELTA", "RAW",
        "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_MESSAGE_CONTENT", "CUSTOM", "MESSAGES_SNAPSHOT",
    }  # fmt: skip
    outcomes = Counter((record["event"].get("outcome") or {}).get("type") for record in events)
    assert min(outcomes["interrupt"], outcomes["cancelled"], kinds["RUN_ERROR"]) >= 2
    assert kinds["RUN_STARTED"] > kinds["RUN_FINISHED"] + kinds["RUN_ERROR"]


def test_a_raw_share_of_zero_has_none():
    assert all(b'"RAW"' not in made.data and b'"rawEvent"' not in made.data for made in sample_log(4, 1, raw_share=0))


def test_a_raw_share_of_one_has_both_forms():
    text = b"".join(made.data for made in sample_log(6, 1, raw_share=1))
    assert b'"RAW"' in text
    assert b'"rawEvent"' in text


def test_the_hot_thread_has_as_many_runs_as_asked():
    found = [json.loads(line) for made in sample_log(1, 1, hot_runs=12) for line in made.data.split(b"\n")[:-1]]
    assert len({record["runId"] for record in found if record["threadId"] == "thread-hot"}) == 12

from random import Random

import pytest

from tests.strategies import random_thread
from transforms.fold.chunks import ChunkExpander


def expand(*events):
    expander = ChunkExpander()
    return [one for event in events for one in expander.expand(event)], dict(expander.violations)


def text(**keys):
    return {"type": "TEXT_MESSAGE_CHUNK", **keys}


def short(events):
    return [(e["type"].rsplit("_", 1)[1], e.get("messageId", e.get("toolCallId")), e.get("delta")) for e in events]


def test_a_chunk_opens_goes_on_and_is_closed_by_another_kind():
    tool = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "delta": "{"}
    events, _ = expand(text(messageId="m", delta="a"), text(delta="b"), tool)
    assert short(events) == [
        ("START", "m", None),
        ("CONTENT", "m", "a"),
        ("CONTENT", "m", "b"),
        ("END", "m", None),
        ("START", "c", None),
        ("ARGS", "c", "{"),
    ]


def test_lanes_do_not_close_each_other():
    events, violations = expand(
        text(messageId="m", delta="a"),
        text(messageId="n", delta="x", subagentRunId="s"),
        {"type": "STEP_STARTED", "stepName": "p", "subagentRunId": "s"},
        text(delta="b"),
    )
    assert [e["type"] for e in events][-3:] == ["TEXT_MESSAGE_END", "STEP_STARTED", "TEXT_MESSAGE_CONTENT"]
    assert events[-1]["messageId"] == "m"
    assert not violations


@pytest.mark.parametrize("kind", ["RUN_ERROR", "MESSAGES_SNAPSHOT"])
def test_an_event_of_the_whole_run_closes_every_lane(kind):
    events, _ = expand(text(messageId="m"), text(messageId="n", subagentRunId="s"), {"type": kind})
    assert short(events)[-3:-1] == [("END", "m", None), ("END", "n", None)]


@pytest.mark.parametrize("kind", ["RAW", "ACTIVITY_DELTA", "SUBAGENT_STARTED", "SOMETHING_NEW"])
def test_some_events_close_nothing(kind):
    events, _ = expand(text(messageId="m"), {"type": kind, "subagentRunId": "s"}, text(delta="b"))
    assert [e["type"] for e in events] == ["TEXT_MESSAGE_START", kind, "TEXT_MESSAGE_CONTENT"]


def test_metadata_reaches_what_its_chunk_made_and_not_the_end_before_it():
    events, _ = expand(text(messageId="m"), text(messageId="n", delta="", metadata={"k": 1}), text(metadata={"u": 2}))
    assert [e.get("metadata") for e in events] == [None, None, {"k": 1}, {"k": 1}, {"u": 2}]
    assert events[-1]["delta"] == ""


@pytest.mark.parametrize(
    ("chunks", "kind"),
    [
        ([text(delta="a")], "chunk_without_id"),
        ([{"type": "TOOL_CALL_CHUNK", "toolCallId": "c"}], "chunk_without_id"),
        ([text(messageId="m"), text(role="user", delta="a")], "chunk_conflict"),
        ([text(messageId="m"), text(messageId="m", subagentRunId="s")], "chunk_owner"),
        (
            [text(messageId="m", subagentRunId="s"), text(messageId="n", subagentRunId="t"), text(delta="a")],
            "chunk_ambiguous",
        ),
    ],
)
def test_what_ends_the_stream_there_is_dropped_and_named_here(chunks, kind):
    events, violations = expand(*chunks)
    assert violations == {kind: 1}
    assert all("delta" not in event for event in events)


def test_an_event_between_no_chunks_passes_as_it_is():
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a"}
    (passed,) = ChunkExpander().expand(event)
    assert passed is event


def test_what_was_expanded_needs_no_expansion():
    for seed in range(300):
        once = [event for run in random_thread(Random(seed)) for event in run]
        expanded, _ = expand(*once)
        again, violations = expand(*expanded)
        assert again == expanded
        assert not violations

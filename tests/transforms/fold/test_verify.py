import pytest

from tests.streams import legal_stream
from transforms.fold.verify import KINDS, Lifecycle

RUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def check(*events):
    lifecycle = Lifecycle()
    return [lifecycle.check(event) for event in events]


def text(part, identity="m", **keys):
    return {"type": f"TEXT_MESSAGE_{part}", "messageId": identity, **keys}


def test_a_legal_run_breaks_nothing():
    assert check(RUN, text("START"), text("CONTENT"), text("END"), FINISHED, RUN) == [None] * 6


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([text("START")], "before_run"),
        ([RUN, RUN], "run_open"),
        ([RUN, FINISHED, text("START")], "after_finish"),
        ([{"type": "RUN_ERROR"}, FINISHED], "after_error"),
        ([RUN, text("START"), text("START")], "text_open"),
        ([RUN, text("CONTENT")], "text_not_open"),
        ([RUN, text("START"), FINISHED], "finished_open_text"),
        ([RUN, {"type": "TOOL_CALL_ARGS", "toolCallId": "c"}], "call_not_open"),
        ([RUN, {"type": "REASONING_END", "messageId": "m"}], "span_not_open"),
        ([RUN, {"type": "STEP_FINISHED", "stepName": "p"}], "step_not_open"),
        ([RUN, {"type": "SUBAGENT_STARTED", "subagentRunId": "s"}], "bad_subagent"),
        ([RUN, text("START", subagentRunId="s"), text("CONTENT", subagentRunId="u")], "owner_mismatch"),
        ([RUN, text("START", subagentRunId=None)], "null_owner"),
    ],
)
def test_the_last_event_breaks_a_rule(events, kind):
    *before, last = check(*events)
    assert before == [None] * len(before)
    assert last == kind
    assert kind in KINDS


def test_the_check_goes_on_after_a_violation():
    assert check(RUN, text("CONTENT"), text("START"), text("END"), FINISHED) == [
        None,
        "text_not_open",
        None,
        None,
        None,
    ]


def test_asking_changes_nothing():
    lifecycle = Lifecycle()
    assert lifecycle.would_accept(RUN)
    assert lifecycle.would_accept(RUN)
    assert lifecycle.check(RUN) is None
    assert not lifecycle.would_accept(RUN)


def test_after_the_closing_events_a_run_may_finish():
    for seed in range(300):
        lifecycle = Lifecycle()
        for event in legal_stream(seed):
            lifecycle.check(event)
        closing = lifecycle.closing_events()
        assert [lifecycle.check(event) for event in closing] == [None] * len(closing)
        assert not lifecycle.closing_events()


def test_every_kind_is_explained():
    kinds = {Lifecycle().check(event) for seed in range(300) for event in legal_stream(seed)}
    assert kinds - {None} <= KINDS.keys()


def test_the_first_violation_is_the_live_references(reference):
    cases = [{"id": seed, "events": legal_stream(seed)} for seed in range(1_000)]
    found = reference.verify(cases)
    for case in cases:
        kinds = check(*case["events"])
        first = next((index for index, kind in enumerate(kinds) if kind is not None), None)
        assert found[case["id"]]["index"] == first, found[case["id"]]["error"]

from schemas.view import empty_view
from tests.threads import lines_of, segments_of
from transforms import jsontext
from transforms.fold.reducer import Fold
from transforms.runs.folding import RunContext, fold_run
from transforms.runs.lineage import trace_runs
from transforms.segments.ordering import order_items
from transforms.segments.parsing import ParsedItems

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
CUSTOM = {"type": "CUSTOM", "name": "n", "value": 1}


def says(identity):
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": identity, "role": "assistant"},
        {"type": "TEXT_MESSAGE_END", "messageId": identity},
    ]


def folded(*events, keep_all=False, lines=None):
    """The only run of a log, folded onto nothing."""
    parsed = ParsedItems()
    items = order_items(segments_of([lines or lines_of([("r", event) for event in events])])).items
    [run] = trace_runs(items, parsed).runs
    return fold_run(run, RunContext(Fold(empty_view()), parsed, "t", keep_all=keep_all))


def kept(run):
    return [(one.event["type"], one.at_message) for one in run.kept]


def test_what_the_view_does_not_hold_is_kept_with_its_place():
    activity = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {}}
    run = folded(START, CUSTOM, *says("m"), activity, CUSTOM, FINISH)
    assert kept(run) == [("CUSTOM", 0), ("ACTIVITY_SNAPSHOT", 1), ("CUSTOM", 2)]
    assert [message["id"] for message in run.fold.close().messages] == ["m", "a"]


def test_spans_and_terminals_are_not_kept():
    span = [{"type": f"REASONING_{part}", "messageId": "m"} for part in ("START", "END")]
    assert kept(folded(START, *span, FINISH)) == []


def test_every_event_is_kept_when_asked_for():
    run = folded(START, *says("m"), FINISH, keep_all=True)
    assert [one.event["type"].rpartition("_")[2] for one in run.events] == ["STARTED", "START", "END", "FINISHED"]
    assert folded(START, FINISH).events == []


def test_what_was_thought_is_folded_under_a_name_of_its_own():
    words = [{"type": f"THINKING_TEXT_MESSAGE_{part}"} for part in ("START", "CONTENT", "END")]
    words[1]["delta"] = "hm"
    [message] = folded(START, *words, FINISH).fold.close().messages
    assert (message["role"], message["content"], message["id"].partition("-")[0]) == ("reasoning", "hm", "thinking")


def test_violations_of_every_kind_are_counted_once():
    result = {"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "no", "result": "x"}
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "delta": "x"}
    ghost = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "ghost", "delta": "x", "name": "n"}
    run = folded(START, result, chunk, ghost, FINISH)
    assert run.violations == {
        "result_for_content": 1,
        "result_without_call": 1,
        "chunk_without_id": 1,
        "unknown_message": 1,
        "text_not_open": 1,
    }


def test_an_input_around_the_run_is_folded_as_its_own():
    given = {"messages": [{"id": "u", "role": "user", "content": "hi"}]}
    first, *rest = lines_of([("r", START), ("r", FINISH)])
    around = jsontext.dumps(jsontext.loads(first) | {"input": given}).encode()
    run = folded(lines=[around, *rest])
    assert run.fold.close().messages == given["messages"]
    assert (run.facts.input_source, run.facts.given) == ("envelope", given)


def test_an_open_chunk_is_left_for_the_run_that_goes_on():
    run = folded(START, {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a"})
    more = run.chunks.expand({"type": "TEXT_MESSAGE_CHUNK", "delta": "b"})
    assert [(event["messageId"], event["delta"]) for event in more] == [("m", "b")]

from random import Random

from schemas.view import empty_view
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import Fold
from transforms.fold.thinking import ThinkingNames

BLOCK = ("THINKING_START", "THINKING_TEXT_MESSAGE_START", "hm", "THINKING_TEXT_MESSAGE_END", "THINKING_END")


def events(*words):
    texts = ({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": word} for word in words)
    return [{"type": word} if word.isupper() else text for word, text in zip(words, texts, strict=True)]


def translate(seed, *words):
    names = ThinkingNames(seed)
    return [names.translate(event) for event in events(*words)]


def folded(seed, *words):
    fold, expander = Fold(empty_view()), ChunkExpander()
    for event in translate(seed, *words):
        for one in expander.expand(event):
            fold.apply(one)
    return fold.close().messages


def test_each_block_is_one_reasoning_message():
    messages = folded("t r", *BLOCK, *BLOCK)
    assert [(message["role"], message["content"]) for message in messages] == [("reasoning", "hm")] * 2
    assert len({message["id"] for message in messages}) == 2


def test_ids_come_from_the_seed_and_the_order_alone():
    assert translate("t r1", *BLOCK) == translate("t r1", *BLOCK)
    assert translate("t r1", *BLOCK) != translate("t r2", *BLOCK)
    span, message = translate("t r1", *BLOCK)[:2]
    assert span["messageId"] != message["messageId"]
    assert span["messageId"].startswith("thinking-")
    assert len(span["messageId"]) == len("thinking-") + 16


def test_spans_and_messages_keep_their_ids_to_the_end():
    start, opened, content, closed, end = translate("s", *BLOCK)
    assert start["messageId"] == end["messageId"]
    assert opened["messageId"] == content["messageId"] == closed["messageId"]


def test_text_without_a_start_is_kept():
    assert [message["content"] for message in folded("s", "a", "b")] == ["ab"]


def test_text_after_an_end_goes_on_as_in_the_reference():
    assert [message["content"] for message in folded("s", *BLOCK, "more")] == ["hmmore"]


def test_a_start_without_an_end_before_it_opens_another():
    assert len(folded("s", "THINKING_TEXT_MESSAGE_START", "a", "THINKING_TEXT_MESSAGE_START", "b")) == 2


def test_the_title_goes_and_other_events_pass():
    assert "title" not in ThinkingNames("s").translate({"type": "THINKING_START", "title": "plan"})
    event = {"type": "RAW", "event": 1}
    assert ThinkingNames("s").translate(event) is event


def test_a_seed_may_hold_half_a_surrogate_pair():
    assert translate("\ud83d", "THINKING_START")[0]["messageId"]


def numbered(events):
    """The events with ids by order of first appearance, random or not."""
    numbers = {}
    return [
        {**event, "messageId": numbers.setdefault(event["messageId"], len(numbers))} if "messageId" in event else event
        for event in events
    ]


def test_the_events_are_the_live_references_but_for_their_ids(reference):
    kinds = [f"THINKING_{kind}" for kind in ("START", "END", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END")]
    cases = []
    for seed in range(100):
        rng = Random(seed)
        more = [{"type": rng.choice(kinds)} | rng.choice(({}, {"title": "t"}, {"metadata": {}})) for _ in range(9)]
        texts = events(*rng.choices("abc", k=4))
        cases.append({"id": seed, "events": events(*BLOCK[:2]) + rng.sample(more + texts, len(more + texts))})
    found = reference.without_thinking(cases)
    for case in cases:
        names = ThinkingNames("s")
        ours = [names.translate(event) for event in case["events"]]
        assert numbered(ours) == numbered(found[case["id"]]["events"]), case["id"]

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Attachment
from transforms import jsontext
from transforms.segments.messagetable import MessageTable

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=5,
)
USER = {"id": "u", "role": "user", "content": "hi"}


def put_back(table, event_type, event, refs):
    value = json.loads(event)
    if refs is None:
        return value
    holder = value if event_type == "MESSAGES_SNAPSHOT" else value["input"]
    holder["messages"] = [json.loads(table.messages[ref]) for ref in refs]
    return value


@given(st.lists(st.lists(JSON, max_size=4), min_size=1, max_size=4), st.sampled_from(["own", "input"]))
def test_messages_come_back_in_order(lists, place):
    table = MessageTable()
    for messages in lists:
        keys = {"messages": messages, "state": {"messages": 1}}
        kind = "MESSAGES_SNAPSHOT" if place == "own" else "RUN_STARTED"
        event = {"type": kind, **(keys if place == "own" else {"input": keys})}
        left, refs = table.take(kind, jsontext.dumps(event).encode())
        assert put_back(table, kind, left, refs) == event
    assert len(set(table.messages)) == len(table.messages)
    assert table.size == sum(map(len, table.messages))


def test_a_text_is_held_once_and_as_it_came():
    table = MessageTable()
    spaced = b'{"id" : "u"}'
    _, refs = table.take("MESSAGES_SNAPSHOT", b'{"messages":[%s,{"id":"u"},%s]}' % (spaced, spaced))
    assert (refs, table.messages) == ([0, 1, 0], [spaced, b'{"id":"u"}'])


@pytest.mark.parametrize(
    "event",
    [
        {"type": "RUN_STARTED"},
        {"type": "RUN_STARTED", "input": None},
        {"type": "RUN_STARTED", "input": {"state": 1}},
        {"type": "RUN_STARTED", "input": {"messages": {"id": "u"}}},
        {"type": "RUN_STARTED", "messages": [USER]},
    ],
)
def test_an_event_of_another_shape_stays_as_it_is(event):
    table, text = MessageTable(), json.dumps(event).encode()
    assert table.take("RUN_STARTED", text) == (text, None)
    assert table.messages == []


def test_the_input_around_a_run_gives_its_messages_too():
    table = MessageTable()
    given = Attachment(input=json.dumps({"messages": [USER], "tools": []}).encode(), created_us=7)
    left, refs = table.take_attachment(given)
    assert (json.loads(left.input), left.created_us, refs) == ({"messages": [], "tools": []}, 7, [0])
    assert json.loads(table.messages[0]) == USER


def test_an_attachment_without_messages_is_kept():
    given = Attachment(input=b"[]")
    assert MessageTable().take_attachment(given) == (given, None)

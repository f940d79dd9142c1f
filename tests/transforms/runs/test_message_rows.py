import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.rows import MessageRow, ToolCallRow
from transforms.runs.arrow import rows_of_table, table_of_rows
from transforms.runs.message_rows import call_of_row, fill_call_row, fill_message_row, message_of_row, validity_of
from transforms.sameness import same_json

TEXT = st.text(max_size=3) | st.sampled_from(["", "half \ud83d", "\ude00"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=5,
)
CALL_KEYS = ("id", "type", "function", "encryptedValue", "metadata", "other")
MESSAGE_KEYS = ("id", "role", "name", "content", "metadata", "toolCallId", "activityType", "encryptedValue", "error")
FUNCTION = st.fixed_dictionaries({"name": TEXT, "arguments": TEXT}, optional={"strict": JSON})
GOOD_CALL = st.fixed_dictionaries(
    {"id": TEXT, "type": st.just("function"), "function": FUNCTION},
    optional={"encryptedValue": TEXT, "metadata": st.dictionaries(TEXT, JSON, max_size=2)},
)
CALL = GOOD_CALL | st.dictionaries(st.sampled_from(CALL_KEYS), JSON | FUNCTION, max_size=5) | JSON
MESSAGE = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys((*MESSAGE_KEYS, "subagentRunId", "isNoMessage", "unknown"), TEXT | JSON)
    | {"toolCalls": st.lists(CALL, max_size=3) | JSON},
)
KEYS = ("", "t", 0, "r", 0)


def through(table, row):
    return rows_of_table(table, table_of_rows(table, [row]))[0]


def as_call(call):
    row = ToolCallRow(*KEYS, 0)
    fill_call_row(row, call)
    return through("tool_calls", row)


def as_message(message):
    row = MessageRow(*KEYS)
    fill_message_row(row, message)
    return through("messages", row)


@given(CALL)
def test_any_call_comes_back(call):
    assert same_json(call_of_row(as_call(call)), call)


@given(MESSAGE)
def test_any_message_comes_back(message):
    calls = message.get("toolCalls")
    rows = [as_call(call) for call in calls] if isinstance(calls, list) else []
    assert same_json(message_of_row(as_message(message), rows), message)


@pytest.mark.parametrize("more", [{}, {"toolCalls": []}, {"toolCalls": None}, {"content": None}, {"content": ""}])
def test_no_key_is_another_thing_than_an_empty_one(more):
    message = {"id": "a", "role": "assistant", **more}
    row = as_message(message)
    assert message_of_row(row, []) == message
    assert row.tool_calls == (0 if more.get("toolCalls") == [] else None)


def test_what_a_column_cannot_hold_is_extra():
    row = as_message({"id": 7, "role": "user", "name": "\ud83d", "content": "x", "new": [1]})
    assert (row.message_id, row.role, row.name, row.text) == (None, "user", None, "x")
    assert row.extra == '{"id":7,"name":"\\ud83d","new":[1]}'


def test_a_malformed_call_is_whole_in_extra_and_yet_found():
    row = as_call({"id": "c", "type": "function", "function": {"name": "f", "arguments": {"q": 1}}})
    assert (row.tool_call_id, row.name, row.arguments, row.validity) == ("c", "f", None, "invalid")
    assert row.extra is not None


@pytest.mark.parametrize(
    ("arguments", "validity"),
    [("{}", "object"), ("3", "json"), (" \n", "empty"), ("{", "invalid"), ("1e999", "invalid"), (None, "invalid")],
)
def test_arguments_are_judged(arguments, validity):
    assert validity_of(arguments) == validity

from transforms.decode.spelling import EVENT, MESSAGE, null_counts, respell


def test_an_object_in_the_protocols_spelling_is_itself():
    value = {"messageId": "m", "x_y": 1}
    assert respell(value, EVENT) is value


def test_snake_case_of_a_key_is_derived():
    assert EVENT.camel["parent_subagent_run_id"] == "parentSubagentRunId"
    assert "timestamp" not in EVENT.camel
    assert MESSAGE.camel == {
        "tool_calls": "toolCalls",
        "tool_call_id": "toolCallId",
        "activity_type": "activityType",
        "encrypted_value": "encryptedValue",
        "subagent_run_id": "subagentRunId",
    }


def test_null_is_a_value_where_the_protocol_says_so():
    assert respell({"snapshot": None, "messages": None}, EVENT, null_counts("STATE_SNAPSHOT")) == {"snapshot": None}
    assert null_counts("RUN_FINISHED") == frozenset()


def test_the_order_of_keys_stays():
    assert list(respell({"run_id": "r", "a": 1, "threadId": "t"}, EVENT)) == ["runId", "a", "threadId"]

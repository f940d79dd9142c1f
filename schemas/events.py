"""AG-UI events: the type names, and the ones that a record can carry as a bare delta.

Source: AG-UI protocol 0.0.58, 0.0.59 and 1.0 (``@ag-ui/core``); the union of the three is accepted.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Json: TypeAlias = Any
"""A JSON value as Python has it: None, bool, int, float, str, list, dict."""

Event: TypeAlias = dict[str, Any]
"""One AG-UI event in wire form: camelCase protocol keys, an optional key is absent and never None."""

Message: TypeAlias = dict[str, Any]
"""One AG-UI message in wire form, as a client holds it."""

RUN_STARTED: Final = "RUN_STARTED"
RUN_FINISHED: Final = "RUN_FINISHED"
RUN_ERROR: Final = "RUN_ERROR"
TERMINALS: Final = frozenset({RUN_FINISHED, RUN_ERROR})

DELTA_TARGETS: Final = {
    "TEXT_MESSAGE_CONTENT": "messageId",
    "TOOL_CALL_ARGS": "toolCallId",
    "REASONING_MESSAGE_CONTENT": "messageId",
}
"""Event types whose ``delta`` is text that is appended, and the key that names what it is appended to."""

ACTIVITY_TYPES: Final = frozenset({"ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"})
"""Types that are folded and kept too: an activity's former contents are part of the record."""

VIEW_TYPES: Final = frozenset(
    {
        RUN_STARTED,
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_CHUNK",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_CHUNK",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "MESSAGES_SNAPSHOT",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_MESSAGE_CHUNK",
        "REASONING_ENCRYPTED_VALUE",
        "THINKING_TEXT_MESSAGE_START",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
    }
)
"""Event types that can change the view; every other type is kept in the ``events`` table or on the run."""

"""A domain: what the agents of one trade can do, and what their tools answer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

import msgspec

from schemas.events import Json
from transforms.sample.language import Slots


class ToolUse(msgspec.Struct, frozen=True):
    """One tool call, what comes back, and how it changes the state.

    Args:
        patch: JSON Patch operations on the state that the tool was given; empty where nothing changes.
        question: what a person is asked, where the tool needs an approval.
    """

    name: str
    arguments: Json
    result: Json
    patch: tuple[Json, ...] = ()
    question: str = ""


UseTool: TypeAlias = Callable[[Random, Slots, Json], ToolUse]
"""Called with the state as it is; the patch of what it returns fits this state."""


class Domain(msgspec.Struct, frozen=True):
    """One trade.

    Args:
        system: the system prompt, which the client sends as the first message; empty where the server keeps it.
        client_tools: what RunAgentInput.tools holds: the tools that run in the user's application.
        use_tool: a tool that the agent runs itself.
        use_client_tool: a tool that runs in the user's application, so that its result comes in the next run.
        use_approved_tool: a tool for which the run is interrupted and a person asked.
        activity: activity type, content, and patches of the content in order.
    """

    name: str
    agent_id: str
    provider: str
    model: str
    system: str
    client_tools: tuple[Json, ...]
    first_state: Callable[[Random, Slots], Json]
    use_tool: UseTool
    use_client_tool: UseTool
    use_approved_tool: UseTool
    activity: Callable[[Random, Slots], tuple[str, Json, list[list[Json]]]]


def client_tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    """Return a tool as RunAgentInput.tools holds it; parameters: name to JSON Schema type, all required."""
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in parameters.items()},
        "required": list(parameters),
    }
    return {"name": name, "description": description, "parameters": schema}

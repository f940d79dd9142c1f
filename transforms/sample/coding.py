"""The coding domain: files, tests, and a plan as state."""

from __future__ import annotations

from random import Random
from typing import Final

from schemas.events import Json
from transforms.sample.domain import Domain, ToolUse, client_tool
from transforms.sample.language import Slots
from transforms.sample.patch import pointer
from transforms.sample.vocabulary import SNIPPETS

STATUSES: Final = ("pending", "running", "done", "failed")
MAX_FILES: Final = 6


def _first_state(_rng: Random, slots: Slots) -> Json:
    steps = ("reproduce", "find the cause", "write a test", "fix", "review")
    return {
        "plan": {"goal": slots["function"], "steps": [{"title": step, "status": "pending"} for step in steps]},
        "files": {},
        "author": slots["email"],
    }


def _use_tool(rng: Random, slots: Slots, state: Json) -> ToolUse:
    return rng.choice((_read_file, _read_file, _run_tests, _edit_file))(rng, slots, state)


def _read_file(rng: Random, slots: Slots, state: Json) -> ToolUse:
    path, first = slots["file"], rng.randint(1, 400)
    arguments = {"path": path, "from_line": first, "to_line": first + rng.randint(20, 80)}
    patch: list[Json] = [{"op": "add", "path": pointer("files", path), "value": {"read": True, "lines": first}}]
    if len(state["files"]) >= MAX_FILES and path not in state["files"]:
        patch.insert(0, {"op": "remove", "path": pointer("files", next(iter(state["files"])))})
    return ToolUse("read_file", arguments, {"path": path, "text": _code(rng, slots)}, tuple(patch))


def _run_tests(rng: Random, slots: Slots, state: Json) -> ToolUse:
    step = rng.randrange(len(state["plan"]["steps"]))
    passed, failed = rng.randint(3, 90), rng.choice((0, 0, 1, 3))
    result: dict[str, Json] = {"passed": passed, "failed": failed, "seconds": rng.randint(1, 99) / 10}
    if failed:
        result |= {"first_failure": f"{slots['file']}:{slots['line']}: {slots['error']}"}
    patch = ({"op": "replace", "path": f"/plan/steps/{step}/status", "value": rng.choice(STATUSES)},)
    return ToolUse("run_tests", {"path": slots["file"], "keyword": slots["function"], "quiet": True}, result, patch)


def _edit_file(rng: Random, slots: Slots, state: Json) -> ToolUse:
    step = rng.randrange(len(state["plan"]["steps"]))
    arguments = {"path": slots["file"], "line": int(slots["line"]), "text": _code(rng, slots)}
    patch = ({"op": "replace", "path": f"/plan/steps/{step}", "value": {"title": slots["function"], "status": "done"}},)
    return ToolUse("edit_file", arguments, {"ok": True, "commit": slots["commit"]}, patch)


def _use_client_tool(_rng: Random, slots: Slots, _state: Json) -> ToolUse:
    arguments = {"path": slots["file"], "line": int(slots["line"])}
    return ToolUse("open_editor", arguments, {"opened": arguments["path"], "selection": slots["function"]})


def _use_approved_tool(_rng: Random, slots: Slots, _state: Json) -> ToolUse:
    arguments = {"branch": slots["branch"], "command": f"git push --force origin {slots['branch']}"}
    patch = ({"op": "replace", "path": "/plan/goal", "value": f"merge {slots['branch']}"},)
    result = {"exit_code": 0, "output": f"{slots['commit']}..{slots['commit']} {slots['branch']}"}
    return ToolUse("run_command", arguments, result, patch, f"Run `{arguments['command']}`?")


def _activity(rng: Random, slots: Slots) -> tuple[str, Json, list[list[Json]]]:
    content = {"title": slots["function"], "steps": [{"name": slots["file"], "status": "pending"} for _ in range(3)]}
    patches: list[list[Json]] = [
        [{"op": "replace", "path": f"/steps/{step}/status", "value": rng.choice(STATUSES)}] for step in range(3)
    ]
    return "PLAN", content, patches


def _code(rng: Random, slots: Slots) -> str:
    snippet = rng.choice(SNIPPETS).replace("NAME", slots["function"]).replace("N0", slots["n"])
    return snippet.split("\n", 1)[1].removesuffix("\n```")


CODING: Final = Domain(
    name="coding",
    agent_id="code-agent",
    provider="openai",
    model="gpt-5-codex",
    system="You are a careful programmer in a shared repository. Read before you write, "
    "run the tests after every edit, and keep each change small enough to review.",
    client_tools=(
        client_tool("open_editor", "Open a file at a line in the user's editor.", path="string", line="integer"),
    ),
    first_state=_first_state,
    use_tool=_use_tool,
    use_client_tool=_use_client_tool,
    use_approved_tool=_use_approved_tool,
    activity=_activity,
)

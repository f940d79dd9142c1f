"""The reference client: the AG-UI npm package, run by Node over many cases at once."""

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "reference"
INSTALL_SECONDS = 180
RUN_SECONDS = 120
TEXT_TYPES = frozenset({"TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT"})

Case = dict[str, Any]


def install() -> str | None:
    """Put the packages of the lock file beside it, once; return why that cannot be done, None where it was."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "node and npm are not on the PATH"
    with (FOLDER / "package-lock.json").open() as held:  # workers of one suite install once
        fcntl.flock(held, fcntl.LOCK_EX)
        return _install()


def _install() -> str | None:
    done, lock = FOLDER / "node_modules" / ".package-lock.json", FOLDER / "package-lock.json"
    if done.is_file() and done.stat().st_mtime >= lock.stat().st_mtime:
        return None
    command = ["npm", "ci", "--ignore-scripts", "--no-progress"]
    try:
        found = subprocess.run(
            command, cwd=FOLDER, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"npm ci took more than {INSTALL_SECONDS} s"
    if found.returncode != 0:
        return f"npm ci failed: {found.stderr.strip().splitlines()[-1:]}"
    done.touch()
    return None


class Reference:
    """Runs cases ``{"id", "messages"?, "state"?, "events"}`` through the client, in one process a call."""

    def fold(self, cases: Iterable[Case]) -> dict[Any, Case]:
        """Return ``{"messages", "state", "dropped"}`` by id; a null or absent delta is sent as no text."""
        return self._run([], ({**case, "events": list(map(_without_null_delta, case["events"]))} for case in cases))

    def verify(self, cases: Iterable[Case]) -> dict[Any, Case]:
        """Return ``{"index", "error"}`` of the first violation by id, None where there is none."""
        return self._run(["verify"], cases)

    def compact(self, cases: Iterable[Case]) -> dict[Any, Case]:
        """Return ``{"events", "error"}`` of the published compactEvents by id; events is None where it threw."""
        return self._run(["compact"], cases)

    def without_nulls(self, cases: Iterable[Case]) -> dict[Any, Case]:
        """Return ``{"events"}`` by id, without the nulls that stand for absence."""
        return self._run(["nulls"], cases)

    def without_thinking(self, cases: Iterable[Case]) -> dict[Any, Case]:
        """Return ``{"events"}`` by id, THINKING_* called what they are called today, with random ids."""
        return self._run(["legacy"], cases)

    def _run(self, arguments: list[str], cases: Iterable[Case]) -> dict[Any, Case]:
        lines = "\n".join(json.dumps(case) for case in cases)
        command = ["node", "fold.mjs", *arguments]
        found = subprocess.run(
            command, cwd=FOLDER, input=lines, capture_output=True, text=True, timeout=RUN_SECONDS, check=True
        )
        return {row["id"]: row for row in map(json.loads, found.stdout.splitlines())}


def _without_null_delta(event: Case) -> Case:
    is_text = event["type"] in TEXT_TYPES
    return {**event, "delta": ""} if event.get("delta", None if is_text else 0) is None else event

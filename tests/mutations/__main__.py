"""The command behind ``make mutants``: each deliberate fault is put in alone, and the suite must fail, without Node.

    python -m tests.mutations [PART OF A PATH]

Each runs in a copy of the checkout. The golden views come first, the whole job last.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutations.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = ("node", "nodejs", "npm", "npx")
ROUNDS = (
    ("tests/transforms/test_recorded.py",),
    ("tests/transforms/fold", "tests/transforms/runs", "tests/transforms/replay", "tests/transforms/test_laws.py"),
    ("tests/transforms", "tests/pipelines/test_laws.py"),
)
"""What is run one after the other, until something fails."""

TIMEOUT_SECONDS = 400


def main() -> int:
    """Print a line a fault; 1 where one survives, 2 where the suite fails without any."""
    wanted = [fault for fault in FAULTS if not sys.argv[1:] or sys.argv[1] in fault.path]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        environment = {**os.environ, "PATH": str(_path_without_node(folder / "bin"))}
        copy = _copy_of_checkout(folder / "checkout")
        if (reason := _failure(copy, environment)) is not None:
            print(f"the suite fails without a fault: {reason}")
            return 2
        survivors = [fault for fault in wanted if not _is_caught(fault, copy, environment)]
    print(f"{len(wanted) - len(survivors)} of {len(wanted)} caught")
    return 1 if survivors else 0


def _is_caught(fault: Fault, copy: Path, environment: dict[str, str]) -> bool:
    file = copy / fault.path
    text = file.read_text("utf-8")
    file.write_text(text.replace(fault.was, fault.becomes), "utf-8")
    began = time.monotonic()
    try:
        caught = _failure(copy, environment)
    finally:
        file.write_text(text, "utf-8")
    print(f"{time.monotonic() - began:4.0f} s  {fault.path}: {fault.means}: {caught or 'SURVIVES'}", flush=True)
    return caught is not None


def _failure(copy: Path, environment: dict[str, str]) -> str | None:
    """Return the name of the first test that fails, None where none does."""
    reasons = (_first_failure(tests, copy, environment) for tests in ROUNDS)
    return next((reason for reason in reasons if reason is not None), None)


def _first_failure(tests: tuple[str, ...], copy: Path, environment: dict[str, str]) -> str | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return None
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].partition(" - ")[0] if failed else done.stdout[-300:] + done.stderr[-300:]


def _copy_of_checkout(copy: Path) -> Path:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    return copy


def _path_without_node(folder: Path) -> Path:
    """Make a folder of links to every command on the PATH but Node's."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for command in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / command.name
            if command.name not in HIDDEN and not link.is_symlink():
                link.symlink_to(command)
    return folder


if __name__ == "__main__":
    sys.exit(main())

"""Adversaries in names: of objects, of threads and of tenants."""

from pathlib import Path

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import conversation, message, write_lines

OBJECTS = (
    "with space.ndjson",
    "with\nnewline.ndjson",
    "with'quote\".ndjson",
    "..ndjson",
    "%2e%2e%2f.ndjson",
    "dt=2026-99-99",
    "a#b?c=d&e",
    "[a]*?.ndjson",
    "{thread_id}",
    "-rf",
    "--lake",
    "\u65e5\u672c\u8a9e \U0001f600.ndjson",
    "e\u0301.ndjson",
    "x" * 255,
    "\\back\\slash",
    "s3:",
    "tab\tand\x7fdelete",
)
_IDS = (
    "../../etc",
    "a/b",
    "/",
    ".",
    "..",
    "NUL",
    "con.txt",
    "*",
    "[a]",
    "#0",
    "-",
    "all",
    "--run",
    "x'; DROP TABLE runs; --",
    "%",
    "_",
    "line\nbreak",
    "\u202egnp.exe",
    " ",
    "y" * 5_000,
)


def _write_objects(folder: Path, _: float) -> None:
    for number, name in enumerate(OBJECTS):
        path = folder / "s3" / name if number % 2 else folder / name
        write_lines(path, conversation(f"object-{number}", message("m", name)))


def _check_objects(outcome: Outcome, _: float) -> None:
    # A name that begins with a dot is hidden, by the rule that folders have.
    read = [(number, name) for number, name in enumerate(OBJECTS) if not name.startswith(".")]
    assert all(outcome.contents(f"object-{number}") == [name] for number, name in read)


def _write_ids(folder: Path, _: float) -> None:
    lines = [line for name in _IDS for line in conversation(name, message("m", "after"), name)]
    write_lines(folder / "threads.ndjson", lines)
    tenants = [
        line.replace('{"threadId"', f'{{"tenantId":"../{number}/x","threadId"', 1)
        for number in range(3)
        for line in conversation("tenants", message("m", str(number)))
    ]
    write_lines(folder / "tenants.ndjson", tenants)
    empty = [line.replace('"threadId":"empty"', '"threadId":""') for line in conversation("empty", message("m", "x"))]
    write_lines(folder / "empty.ndjson", empty)


def _check_ids(outcome: Outcome, _: float) -> None:
    assert all(outcome.contents(name) == ["after"] for name in _IDS)
    assert all(outcome.runs(name)[0].run.run_id == name for name in _IDS)
    assert [outcome.view("tenants", f"../{number}/x")["messages"][0]["content"] for number in range(3)] == list("012")
    assert outcome.letters("ids") == {"no_thread": 5}


NAMES = [
    Adversary(
        "objects", "names of objects that look like globs, options, URLs and paths", _write_objects, _check_objects
    ),
    Adversary("ids", "thread and tenant ids that look like paths, options and SQL", _write_ids, _check_ids),
]

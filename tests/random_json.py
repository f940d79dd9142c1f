"""Random JSON values, states and patches: few keys and paths, so that patches meet what is there."""

from random import Random
from typing import Any

from schemas.events import Json

TEXTS = ("", "a", "bc", "é", "{", '"k":1}', "😀", "\ud83d", "\ude00", "line\n")
KEYS = ("a", "b", "list", "x/y", "~t", "", "0", "toString", "constructor", "é", "\ud83d")
SCALARS: tuple[Json, ...] = (None, True, False, 0, 1, 1.0, 2.5, -3, "", "s", "1", "true")
ODD: tuple[Json, ...] = (None, True, 1, 1.5, 1e21, 1e-7, "", "x", [], [1, [None, "z"]], {}, {"a": 1})
PATHS = (
    "",
    "/",
    "/a",
    "/b",
    "/a/b",
    "/a/a",
    "/b/a",
    "/list",
    "/list/0",
    "/list/1",
    "/list/-",
    "/list/9",
    "/list/01",
    "/list/",
    "/list/0/a",
    "/list/01/a",
    "/list/4294967295",
    "/list/4294967297",
    "/list/x",
    "/x~1y",
    "/~0t",
    "/0",
    "/1",
    "/-",
    "/0/a",
    "/toString",
    "/toString/a",
    "/a/constructor",
    "/constructor/prototype",
    "/__proto__/a",
    "/\ud83d",
    "a",
)
SOURCES = tuple(path for path in PATHS if "onstr" not in path and "toStr" not in path)
"""Not what a prototype has: the client moves a function then, or the first element of a list."""

OPERATIONS = ("add", "add", "add", "replace", "remove", "test", "move", "copy", "Add", "merge")


def random_json(rng: Random, depth: int = 2) -> Json:
    """Return a small JSON value."""
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        return rng.choice(SCALARS)
    if kind < 0.75:
        return {rng.choice(KEYS): random_json(rng, depth - 1) for _ in range(rng.randrange(4))}
    return [random_json(rng, depth - 1) for _ in range(rng.randrange(4))]


def random_state(rng: Random) -> Json:
    """Return a state: an object more often than not, with the keys that patches go for."""
    if rng.random() < 0.15:
        return random_json(rng)
    return {
        "a": random_json(rng),
        "b": random_json(rng),
        "list": [random_json(rng, 1) for _ in range(rng.randrange(3))],
    }


def random_patch(rng: Random) -> Json:
    """Return operations, one or two in ten of them bad."""
    if rng.random() < 0.03:
        return rng.choice(ODD)
    return [_operation(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 0)))]


def _operation(rng: Random) -> Json:
    operation: dict[str, Any] = {"op": rng.choice(OPERATIONS), "path": rng.choice(PATHS)}
    if operation["op"] in ("move", "copy") or rng.random() < 0.05:
        operation["from"] = rng.choice(SOURCES)
        operation["path"] = operation["path"] or "/a"  # what is not there would become the document: no JSON
    elif rng.random() < 0.97:
        operation["value"] = random_json(rng, 1)
    return operation

"""A state and a JSON Patch become the next state: as much of RFC 6902 as the sample's agents write."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from schemas.events import Json


def apply_patch(document: Json, patch: Sequence[Json]) -> Json:
    """Return the patched document; the old one stays as it is.

    The sample writes add, replace and remove on paths that exist, and ``-`` at the end of a list.

    >>> apply_patch({"legs": [1]}, [{"op": "add", "path": "/legs/-", "value": 2}])
    {'legs': [1, 2]}
    """
    patched = copy.deepcopy(document)
    for operation in patch:
        *parents, last = [escape.replace("~1", "/").replace("~0", "~") for escape in operation["path"].split("/")[1:]]
        target = patched
        for key in parents:
            target = target[int(key)] if isinstance(target, list) else target[key]
        _apply(target, last, operation)
    return patched


def pointer(*keys: str) -> str:
    """Return the JSON Pointer (RFC 6901) of these keys.

    >>> pointer("files", "src/cart.ts")
    '/files/src~1cart.ts'
    """
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def _apply(target: Any, key: str, operation: Json) -> None:
    value = copy.deepcopy(operation.get("value"))
    if isinstance(target, dict):
        if operation["op"] == "remove":
            del target[key]
        else:
            target[key] = value
    elif key == "-":
        target.append(value)
    elif operation["op"] == "add":
        target.insert(int(key), value)
    elif operation["op"] == "remove":
        del target[int(key)]
    else:
        target[int(key)] = value

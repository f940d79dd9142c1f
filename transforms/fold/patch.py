"""JSON Patch: a document and an event's operations become the document after them, in place and all or nothing.

RFC 6902 with the verdicts of fast-json-patch 3.1.1, which the reference client runs: an index with a leading zero is
good enough for an ``add``, ``toString`` counts as existing, a scalar swallows what is written into it. Refused here
alone, since no JSON comes of them: a document moved into itself, a function as value, a root replaced by nothing; and
what would outgrow the job (`transforms.fold.growth`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, TypeAlias

from schemas.events import Json
from transforms.fold.growth import MAX_COPIED_BYTES, MAX_DEPTH, Owned, check_depth, measure, weigh
from transforms.fold.jsonclone import clone_json
from transforms.fold.jsvalue import MISSING
from transforms.fold.operation import NOWHERE, Operation, PatchError, source_of, value_of
from transforms.fold.pointer import (
    INHERITED,
    existing_index,
    find_container,
    find_existing,
    find_value,
    loose_index,
    loose_property,
    own_property,
    split_pointer,
    swallows,
)
from transforms.sameness import same_json

_LookUp: TypeAlias = Callable[[Json, str], Json]

_FAILED_TEST: Final = "failed_test"
_SET, _INSERT, _POP = "set", "insert", "pop"


def apply_patch(document: Json, operations: Json, owned: Owned | None = None) -> Json:
    """Apply the operations and return the document; it is the same object unless its root was replaced or copied.

    Values are cloned as they come in, so that the operations may be shared.

    Args:
        owned: None if the document may be changed throughout. Else ``id()`` of the lists and dicts in it that may be;
            any other is copied, one level deep, on the way to a change, and added. What it names must be kept alive.

    Raises:
        PatchError: the document is as it was, but for copies that equal what they replaced.

    >>> apply_patch({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])
    {'a': [1, 2]}
    """
    if type(operations) is not list:
        raise PatchError
    patcher = _Patcher(document, owned)
    try:
        for operation in operations:
            patcher.apply(operation)
        patcher.weigh()
    except PatchError:
        patcher.undo()
        raise
    return patcher.root


class _Patcher:
    __slots__ = ("_copied", "_growth", "_log", "_owned", "root")

    def __init__(self, root: Json, owned: Owned | None) -> None:
        self.root = root
        self._owned = owned
        self._growth = Owned() if owned is None else owned
        self._copied = 0
        self._log: list[tuple[str, Any, Any, Json]] = []

    def apply(self, operation: Json) -> None:
        if type(operation) is not dict:
            raise PatchError
        name, path = operation.get("op"), operation.get("path")
        if type(name) is not str or type(path) is not str:
            raise PatchError
        if path:
            handler = self._handlers.get(name)
            keys = split_pointer(path) if path[0] == "/" else None
            if handler is None or keys is None:
                raise PatchError
            handler(self, operation, keys)
        else:
            self._apply_to_root(name, operation)

    def weigh(self) -> None:
        """Refuse a document that copies have made too big."""
        if self._copied:
            self._growth.unweighed += self._copied
            weigh(self.root, self._growth)

    def undo(self) -> None:
        """Take every change back, last first."""
        for what, container, key, old in reversed(self._log):
            if what == _INSERT:
                del container[key]
            elif what == _POP:
                container.insert(key, old)
            elif old is MISSING:
                container.pop(key, None)
            else:
                container[key] = old

    def add(self, operation: Operation, keys: list[str]) -> None:
        value = clone_json(value_of(operation))
        check_depth(keys, value)
        container, key = self._open(keys, own_property), keys[-1]
        if type(container) is dict:
            self._set(container, key, value)
        elif type(container) is list:
            index = loose_index(key, len(container))
            if index is None or index > len(container):
                raise PatchError
            self._insert(container, index, value)
        elif container is None:
            raise PatchError

    def replace(self, operation: Operation, keys: list[str]) -> None:
        value = clone_json(value_of(operation))
        check_depth(keys, value)
        container, key = self._open(keys, own_property), keys[-1]
        if type(container) is dict:
            if key not in container and key not in INHERITED:
                raise PatchError
            self._set(container, key, value)
        elif type(container) is list:
            index = existing_index(key, len(container))
            if index is None:
                raise PatchError
            self._log.append((_SET, container, index, container[index]))
            container[index] = value
        elif not swallows(container, key):
            raise PatchError

    def remove(self, _: Operation, keys: list[str]) -> None:
        self._take(keys)

    def test(self, operation: Operation, keys: list[str]) -> None:
        value = value_of(operation)
        found = loose_property(self._target(keys), keys[-1])
        if found is MISSING or not same_json(found, value):
            raise PatchError(_FAILED_TEST)

    def move(self, operation: Operation, keys: list[str]) -> None:
        source = self._source(operation, keys)
        if not source:
            raise PatchError
        is_nothing = source is NOWHERE and find_existing(self.root, NOWHERE) is MISSING
        value = MISSING if is_nothing else self._take(source)
        if len(keys) > len(source):
            check_depth(keys, value)
        self._put(keys, value)

    def copy(self, operation: Operation, keys: list[str]) -> None:
        source = self._source(operation, keys)
        found = find_value(self.root, source, own_property)
        if found is MISSING and len(source) > 1:
            raise PatchError
        depth, weight = measure(found, MAX_COPIED_BYTES)
        self._copied += weight
        if self._growth.is_full or self._copied > MAX_COPIED_BYTES or len(keys) + depth > MAX_DEPTH:
            raise PatchError
        self._put(keys, None if found is MISSING else clone_json(found))

    def _apply_to_root(self, name: str, operation: Operation) -> None:
        if name in ("add", "replace"):
            self.root = clone_json(value_of(operation))
        elif name == "test":
            if not same_json(self.root, value_of(operation)):
                raise PatchError(_FAILED_TEST)
        elif name == "remove":
            self.root = None
        elif name in ("move", "copy"):
            found = find_value(self.root, source_of(operation), loose_property)
            if found is MISSING:
                raise PatchError
            self.root = found
        else:
            raise PatchError

    def _source(self, operation: Operation, keys: list[str]) -> list[str]:
        """Return the keys of ``from``, which must exist; ``path`` must lead into a container."""
        source = source_of(operation)
        self._target(keys)
        if source is NOWHERE:
            if type(self.root) is list:
                raise PatchError
        elif (self.root or type(self.root) in (dict, list)) and find_existing(self.root, source) is MISSING:
            raise PatchError
        return source

    def _target(self, keys: list[str]) -> Json:
        container = find_container(self.root, keys)
        if container is None:
            raise PatchError
        return container

    def _open(self, keys: list[str], look_up: _LookUp, *, may_be_scalar: bool = False) -> Json:
        """Return the container of the last key, ready to be changed."""
        owned = self._owned
        container = self.root
        if owned is not None and id(container) not in owned:
            container = self.root = self._own(container)
        for place in range(len(keys) - 1):
            key = keys[place]
            is_dict = type(container) is dict
            found = container.get(key, MISSING) if is_dict else look_up(container, key)
            if type(found) is not dict and type(found) is not list:
                if may_be_scalar and place == len(keys) - 2 and found is not MISSING:
                    return found
                raise PatchError
            if owned is not None and id(found) not in owned:
                found = self._own(found)
                container[key if is_dict else loose_index(key, len(container))] = found
            container = found
        return container

    def _own(self, container: Json) -> Json:
        """Return a copy that is owned, one level deep; a scalar needs none."""
        if self._owned is None or (type(container) is not dict and type(container) is not list):
            return container
        copied = container.copy()
        self._owned.add(id(copied))
        return copied

    def _take(self, keys: list[str]) -> Json:
        """Remove what stands at a path and return it; MISSING where only the prototype has it."""
        container, key = self._open(keys, own_property), keys[-1]
        if type(container) is dict:
            if key not in container and key not in INHERITED:
                raise PatchError
            old = container.pop(key, MISSING)
            if old is not MISSING:
                self._log.append((_SET, container, key, old))
            return old
        if type(container) is list:
            index = existing_index(key, len(container))
            if index is None:
                raise PatchError
            self._log.append((_POP, container, index, container[index]))
            return container.pop(index)
        if not swallows(container, key):
            raise PatchError
        return MISSING

    def _put(self, keys: list[str], value: Json) -> None:
        """Add without a check of the last key, as the second half of a move or copy does.

        A move may have put a scalar where the container was: it swallows the value.
        """
        container, key = self._open(keys, loose_property, may_be_scalar=True), keys[-1]
        if type(container) is dict:
            self._set(container, key, value)
        elif type(container) is list:
            index = loose_index(key, len(container))
            if index is not None:
                self._insert(container, index, None if value is MISSING else value)
        elif container is None:
            raise PatchError

    def _set(self, container: dict[str, Json], key: str, value: Json) -> None:
        self._log.append((_SET, container, key, container.get(key, MISSING)))
        if value is MISSING:
            container.pop(key, None)
        else:
            container[key] = value

    def _insert(self, container: list[Json], index: int, value: Json) -> None:
        place = max(len(container) + index, 0) if index < 0 else min(index, len(container))
        container.insert(place, value)
        self._log.append((_INSERT, container, place, None))

    _handlers: ClassVar[dict[str, Callable[[_Patcher, Operation, list[str]], None]]] = {
        "add": add,
        "replace": replace,
        "remove": remove,
        "test": test,
        "move": move,
        "copy": copy,
    }

"""JSON Patch: a document and an event's operations become the document after them, in place and all or nothing.

RFC 6902 with the verdicts of fast-json-patch 3.1.1, which the reference client runs: an index with a leading zero is
good enough for an ``add``, ``toString`` counts as existing, a scalar swallows what is written into it. Refused here
alone, since no JSON comes of them: a document moved into itself, a function as value, a root replaced by nothing; and
what would outgrow the job: nesting beyond MAX_DEPTH, copies beyond MAX_WEIGHT.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, TypeAlias

from schemas.errors import RecordError
from schemas.events import Json
from transforms.fold.jsonclone import clone_json
from transforms.fold.jsvalue import MISSING
from transforms.fold.measure import measure
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

_Operation: TypeAlias = dict[str, Any]
_LookUp: TypeAlias = Callable[[Json, str], Json]

MAX_DEPTH: Final = 512
"""Levels of a document that a patch may dig; a log's JSON may have a few more."""

MAX_WEIGHT: Final = 64 << 20
"""Bytes of a document that copies may make; without an end, 40 of them double a value a million million times."""

_LIGHT: Final = 4 << 10
"""Bytes that an event may copy before its document is weighed."""

_FAILED_TEST: Final = "failed_test"
_SET, _INSERT, _POP = "set", "insert", "pop"
_NOWHERE: Final = ["undefined"]
"""Where a ``from`` without a slash leads: JavaScript looks up the key that is not there by this name."""


class PatchError(RecordError):
    """A patch that the reference client ignores as a whole; the document is as it was.

    Args:
        kind: ``bad_patch`` or ``failed_test``.
    """

    def __init__(self, kind: str = "bad_patch") -> None:
        super().__init__(f"{kind}: the operations of this event were not applied")
        self.kind = kind


def apply_patch(document: Json, operations: Json, owned: set[int] | None = None) -> Json:
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
    __slots__ = ("_copied", "_log", "_owned", "root")

    def __init__(self, root: Json, owned: set[int] | None) -> None:
        self.root = root
        self._owned = owned
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
        if self._copied > _LIGHT and measure(self.root)[1] > MAX_WEIGHT:
            raise PatchError

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

    def add(self, operation: _Operation, keys: list[str]) -> None:
        value = clone_json(_value(operation))
        _check_depth(keys, measure(value)[0])
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

    def replace(self, operation: _Operation, keys: list[str]) -> None:
        value = clone_json(_value(operation))
        _check_depth(keys, measure(value)[0])
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

    def remove(self, _: _Operation, keys: list[str]) -> None:
        self._take(keys)

    def test(self, operation: _Operation, keys: list[str]) -> None:
        value = _value(operation)
        found = loose_property(self._target(keys), keys[-1])
        if found is MISSING or not same_json(found, value):
            raise PatchError(_FAILED_TEST)

    def move(self, operation: _Operation, keys: list[str]) -> None:
        source = self._source(operation, keys)
        if not source:
            raise PatchError
        is_nothing = source is _NOWHERE and find_existing(self.root, _NOWHERE) is MISSING
        value = MISSING if is_nothing else self._take(source)
        if len(keys) > len(source):
            _check_depth(keys, measure(value)[0])
        self._put(keys, value)

    def copy(self, operation: _Operation, keys: list[str]) -> None:
        source = self._source(operation, keys)
        found = find_value(self.root, source, own_property)
        if found is MISSING and len(source) > 1:
            raise PatchError
        depth, weight = measure(found)
        _check_depth(keys, depth)
        self._copied += weight
        if self._copied > MAX_WEIGHT:
            raise PatchError
        self._put(keys, None if found is MISSING else clone_json(found))

    def _apply_to_root(self, name: str, operation: _Operation) -> None:
        if name in ("add", "replace"):
            self.root = clone_json(_value(operation))
        elif name == "test":
            if not same_json(self.root, _value(operation)):
                raise PatchError(_FAILED_TEST)
        elif name == "remove":
            self.root = None
        elif name in ("move", "copy"):
            found = find_value(self.root, _source_keys(operation), loose_property)
            if found is MISSING:
                raise PatchError
            self.root = found
        else:
            raise PatchError

    def _source(self, operation: _Operation, keys: list[str]) -> list[str]:
        """Return the keys of ``from``, which must exist; ``path`` must lead into a container."""
        source = _source_keys(operation)
        self._target(keys)
        if source is _NOWHERE:
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

    _handlers: ClassVar[dict[str, Callable[[_Patcher, _Operation, list[str]], None]]] = {
        "add": add,
        "replace": replace,
        "remove": remove,
        "test": test,
        "move": move,
        "copy": copy,
    }


def _check_depth(keys: list[str], depth: int) -> None:
    if len(keys) + depth > MAX_DEPTH:
        raise PatchError


def _value(operation: _Operation) -> Json:
    value = operation.get("value", MISSING)
    if value is MISSING:
        raise PatchError
    return value


def _source_keys(operation: _Operation) -> list[str]:
    source = operation.get("from")
    if type(source) is not str:
        raise PatchError
    if not source:
        return []
    keys = split_pointer(source) if source[0] == "/" else _NOWHERE
    if keys is None:
        raise PatchError
    return keys

"""Operations: the members of one JSON Patch operation become what applies it, or a refusal."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from schemas.errors import RecordError
from schemas.events import Json
from transforms.fold.jsvalue import MISSING
from transforms.fold.pointer import split_pointer

Operation: TypeAlias = dict[str, Any]

NOWHERE: Final = ["undefined"]
"""Where a ``from`` without a slash leads: JavaScript looks up the key that is not there by this name."""


class PatchError(RecordError):
    """A patch that the reference client ignores as a whole; the document is as it was.

    Args:
        kind: ``bad_patch`` or ``failed_test``.
    """

    def __init__(self, kind: str = "bad_patch") -> None:
        super().__init__(f"{kind}: the operations of this event were not applied")
        self.kind = kind


def value_of(operation: Operation) -> Json:
    """Return the value to write or to test.

    Raises:
        PatchError: there is none.
    """
    value = operation.get("value", MISSING)
    if value is MISSING:
        raise PatchError
    return value


def source_of(operation: Operation) -> list[str]:
    """Return the keys of ``from``, none for the root, NOWHERE where it is no pointer.

    Raises:
        PatchError: there is none.
    """
    source = operation.get("from")
    if type(source) is not str:
        raise PatchError
    if not source:
        return []
    keys = split_pointer(source) if source[0] == "/" else NOWHERE
    if keys is None:
        raise PatchError
    return keys

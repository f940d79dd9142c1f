"""An object that is read whole becomes records: a JSON array of them, or one export over many lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from schemas.errors import DecodeError
from schemas.records import REASONS, DeadLetter, Record
from transforms.decode.forms import has_object_lines
from transforms.decode.limits import Limits
from transforms.decode.linewise import read_lines
from transforms.decode.reader import Reader
from transforms.decode.rows import read_object
from transforms.decode.spans import split_array, split_object

_NO_JSON: Final = frozenset({"not_json", "not_object", "torn", "bad_utf8"})


class Whole(msgspec.Struct, frozen=True):
    """The bytes of an object as far as they could be read, and what ended them early."""

    data: bytes
    error: DecodeError | None = None


def collect(blocks: Iterable[bytes], max_bytes: int) -> Whole:
    """Return an object's bytes; ``too_large`` comes without any."""
    data = bytearray()
    try:
        for block in blocks:
            data += block
            if len(data) > max_bytes:
                return Whole(b"", DecodeError("too_large", f"more than {max_bytes} bytes in a form that is read whole"))
    except DecodeError as error:
        return Whole(bytes(data), error)
    return Whole(bytes(data))


def read_array(reader: Reader, whole: Whole, _limits: Limits) -> Iterator[Record | DeadLetter]:
    """Yield the records of a JSON array; of a damaged one those before the damage, then one dead letter."""
    index = 0
    try:
        for text in split_array(whole.data):
            yield from reader.one(text, index)
            index += 1
    except DecodeError as error:
        problem = error if index or error.reason not in _NO_JSON else not_a_log()
        yield reader.general.dead(index, len(whole.data), whole.error or problem)
    else:
        if whole.error is not None:
            yield reader.general.dead(index, len(whole.data), whole.error)


def read_document(reader: Reader, whole: Whole, limits: Limits) -> Iterator[Record | DeadLetter]:
    """Yield the records of one JSON object over many lines; lines that only look like one are read as lines."""
    problem = whole.error or _problem(whole.data)
    if problem is None:
        yield from read_object(reader.general, whole.data, 0)
    elif whole.error is None and has_object_lines(whole.data.partition(b"\n")[2]):
        for batch in read_lines(reader, iter([whole.data]), limits):
            yield from batch
    else:
        yield reader.general.dead(0, len(whole.data), problem)


def not_a_log() -> DecodeError:
    """Return the error of an object in none of the forms."""
    return DecodeError("not_a_log", REASONS["not_a_log"])


def _problem(data: bytes) -> DecodeError | None:
    try:
        fields = split_object(data)
    except DecodeError as error:
        return not_a_log() if error.reason in _NO_JSON else error
    known = {"type", "event", "events", "messages", "state"}
    return None if known & fields.keys() else not_a_log()

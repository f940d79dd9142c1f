"""What the decoder's tests share: a log in memory becomes what was found in it."""

import io
import json

from schemas.records import DeadLetter, Record, Source
from transforms.decode.limits import Limits
from transforms.decode.objects import decode_object

STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
DELTA = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hi"}


def found(data, limits=None, **fields):
    """Everything in one object, given as bytes or as lines of JSON values."""
    if not isinstance(data, bytes):
        data = lines(*data)
    return list(decode_object(io.BytesIO(data), Source("log", 0, len(data), fields=fields), limits or Limits()))


def records(data, limits=None, **fields):
    """The records of an object without a dead letter."""
    everything = found(data, limits, **fields)
    assert not [letter for letter in everything if isinstance(letter, DeadLetter)]
    return everything


def reasons(data, limits=None, **fields):
    """The reasons of the dead letters."""
    return [letter.reason for letter in found(data, limits, **fields) if isinstance(letter, DeadLetter)]


def only(data, **fields):
    """The one record of an object."""
    [record] = records(data, **fields)
    assert isinstance(record, Record)
    return record


def lines(*values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)

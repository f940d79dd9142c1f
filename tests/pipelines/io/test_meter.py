import hashlib
import io

import pytest

from pipelines.io import progress
from pipelines.io.meter import Meter
from schemas.errors import InputError
from schemas.records import Source


def test_bytes_are_counted_as_they_are_read():
    with progress.shown(10, "reading"), Meter(io.BytesIO(b"0123456789"), Source("x", 0, 10)) as meter:
        assert meter.read(4) == b"0123"
        assert meter.bytes == 4
        assert meter.read() == b"456789"
        assert meter.read(1) == b""
    assert meter.bytes == progress._done == 10


def test_the_stream_is_closed_whatever_happens():
    stream = io.BytesIO(b"x")
    with pytest.raises(KeyError), Meter(stream, Source("x", 0, 1)):
        raise KeyError
    assert stream.closed


def test_a_storage_that_fails_midway_is_named():
    class Broken(io.BytesIO):
        def read(self, _size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match=r"^s3://b/x: cannot read it: Input/output error"):
        Meter(Broken(), Source("s3://b/x", 0, 9)).read(1)


def test_an_object_that_has_grown_ends_where_its_plan_says():
    with Meter(io.BytesIO(b"0123456789"), Source("x", 0, 4)) as meter:
        assert meter.read(3) + meter.read() + meter.read(1) == b"0123"
        assert meter.digest() == hashlib.sha256(b"0123").hexdigest()


def test_an_object_that_ends_too_early_is_an_error():
    with Meter(io.BytesIO(b"0123"), Source("x", 0, 9)) as meter, pytest.raises(InputError, match="4 of 9 bytes"):
        meter.drain()

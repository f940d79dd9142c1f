import io
import os

from hypothesis import given
from hypothesis import strategies as st

from pipelines.io.ranges import Ranges

PAYLOAD = bytes(range(256)) * 2


class Bucket:
    """A filesystem of one object, which remembers what it was asked for."""

    def __init__(self):
        self.asked = []

    def cat_file(self, key, start, end):
        self.asked.append((key, start, end))
        return PAYLOAD[start:end]


STEPS = st.lists(
    st.tuples(st.just("seek"), st.integers(0, 600), st.just(os.SEEK_SET))
    | st.tuples(st.just("seek"), st.integers(-512, 0), st.just(os.SEEK_END))
    | st.tuples(st.just("read"), st.integers(0, 600))
)


@given(STEPS)
def test_it_reads_as_a_file_does(steps):
    ranges, file = Ranges(Bucket(), "k", len(PAYLOAD)), io.BytesIO(PAYLOAD)
    for name, *values in steps:
        assert getattr(ranges, name)(*values) == getattr(file, name)(*values)
        assert ranges.tell() == file.tell()


def test_a_read_is_one_request_and_opening_is_none():
    bucket = Bucket()
    file = Ranges(bucket, "k", len(PAYLOAD))
    file.seek(-8, os.SEEK_END)
    assert bucket.asked == []
    file.read(100)
    assert bucket.asked == [("k", 504, 512)]
    assert file.read(1) == b""
    assert len(bucket.asked) == 1

from hypothesis import given
from hypothesis import strategies as st

from transforms.bucket import bucket_of

ANY_TEXT = st.text(st.characters(codec=None))


@given(ANY_TEXT, ANY_TEXT, st.integers(0, 63))
def test_a_bucket_splits_in_two(tenant, thread, bits):
    assert bucket_of(tenant, thread, bits) == bucket_of(tenant, thread, bits + 1) >> 1
    assert 0 <= bucket_of(tenant, thread, bits) < 2**bits


def test_buckets_fill_evenly():
    counts = [0] * 16
    for index in range(16_000):
        counts[bucket_of("acme", f"thread-{index}", 4)] += 1
    assert all(850 < count < 1150 for count in counts)


def test_the_bucket_of_a_thread_is_the_same_for_ever():
    assert [bucket_of("acme", "thread-1", bits) for bits in (1, 4, 8, 64)] == [1, 10, 167, 12100573639468320604]


def test_tenant_and_thread_do_not_run_together():
    assert bucket_of("a", "bc", 64) != bucket_of("ab", "c", 64)

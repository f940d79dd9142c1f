import pytest

from transforms.decode.marks import identity, metadata_mark, whole


@pytest.mark.parametrize(
    ("value", "seq"),
    [
        (0, 0),
        (-3, -3),
        ("12", 12),
        (5.0, 5),
        (5.5, None),
        (True, None),
        ("x", None),
        ("٣", 3),
        (2**63, None),
        (None, None),
    ],
)
def test_a_sequence_number_is_a_whole_number(value, seq):
    assert whole(value) == seq


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), ("", None), (7, "7"), (1.5, "1.5"), (True, "true"), ("\ud83d", None), ([], None)]
)
def test_an_id_is_text(value, text):
    assert identity(value) == text


def test_metadata_carries_marks():
    assert metadata_mark({"cpki_event_seq": b"4", "cpki_event_id": b'"e"', "other": b"{}"}) == (4, "e")
    assert metadata_mark({"cpki_event_seq": b"null", "cpki_event_id": b'"\\ud83d"'}) == (None, None)

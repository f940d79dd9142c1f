from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import DecodeError
from transforms.decode.lines import Damage, Lines, Oversize, Tail, split_lines


def cut(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


def spans(pieces):
    """Every stretch of bytes with its text, None where it was let go."""
    for piece in pieces:
        if isinstance(piece, Lines):
            offset = piece.offset
            for line in piece.lines:
                yield offset, len(line) + 1, line
                offset += len(line) + 1
        elif isinstance(piece, Tail):
            yield piece.offset, len(piece.line), piece.line
        elif isinstance(piece, Oversize):
            yield piece.offset, piece.size, None


def test_lines_and_a_tail():
    assert list(split_lines([b"a\nbb\n", b"c"], 9)) == [Lines(0, [b"a"]), Lines(2, [b"bb"]), Tail(5, b"c")]


def test_a_long_line_is_let_go_and_counted():
    found = list(spans(split_lines(cut(b"ab\n" + b"x" * 50 + b"\nc\n", 4), 10)))
    assert found == [(0, 3, b"ab"), (3, 50, None), (54, 2, b"c")]


def test_damage_says_what_was_begun():
    def blocks():
        yield b"a\nbc"
        raise DecodeError("corrupt", "cut")

    *whole, damage = split_lines(blocks(), 10)
    assert whole == [Lines(0, [b"a"])]
    assert isinstance(damage, Damage)
    assert (damage.offset, damage.size, damage.error.reason) == (2, 2, "corrupt")


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x01", b"\n")), st.integers(1, 9))
def test_every_byte_is_accounted_for(data, size):
    found = list(spans(split_lines(cut(data, size), 1000)))
    assert b"\n".join(text for _, _, text in found) == data.removesuffix(b"\n")
    at = 0
    for offset, length, _ in found:
        assert offset == at
        at += length
    assert at == len(data)


@given(st.lists(st.integers(0, 12), max_size=8), st.integers(1, 30))
def test_the_limit_does_not_depend_on_the_blocks(lengths, size):
    data = b"\n".join(b"x" * length for length in lengths)
    whole = list(spans(split_lines([data] if data else [], 5)))
    assert list(spans(split_lines(cut(data, size), 5))) == whole

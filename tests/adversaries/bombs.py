"""Adversaries that unpack: a few MB of gzip or zstd that stand for many GiB."""

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import zstandard

from tests.adversaries.outcome import Adversary, Outcome
from tests.adversaries.writing import conversation, message, scaled
from transforms.decode.barren import TOLD

_PIECE_BYTES = 16 << 20
_PIECES = 256
_PIECES_BELOW_LIMIT = 60
_WHOLE_PIECES_FROM = 0.1
_SMALL_BYTES = 1 << 16
_Pack: TypeAlias = Callable[[bytes], bytes]
_CheckOf: TypeAlias = Callable[[str], Callable[[Outcome, float], None]]
_HEAD = b"".join(f"{line}\n".encode() for line in conversation("bomb", message("m", "before")))


def _gzip(text: bytes) -> bytes:
    return gzip.compress(text, 6, mtime=0)


def _bomb(path: Path, fill: bytes, pieces: int, scale: float, *, pack: _Pack, head: bytes) -> None:
    """Write so many pieces of one text: members of gzip and frames of zstd may follow each other."""
    piece = pack(fill * ((_PIECE_BYTES if scale >= _WHOLE_PIECES_FROM else _SMALL_BYTES) // len(fill)))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(pack(head) if head else b"")
        for _ in range(scaled(pieces, scale, 1)):
            file.write(piece)


def _fills(
    name: str, what: str, fill: bytes, head: bytes, check: _CheckOf, *, pieces: int = _PIECES
) -> list[Adversary]:
    def write(pack: _Pack, ending: str) -> Callable[[Path, float], None]:
        return lambda folder, scale: _bomb(folder / f"bomb.{ending}", fill, pieces, scale, pack=pack, head=head)

    size = f"{pieces * _PIECE_BYTES >> 20:,} MiB"

    return [
        Adversary(f"gzip-{name}", f"gzip of {size} of {what}", write(_gzip, "gz"), check(f"gzip-{name}")),
        Adversary(f"zstd-{name}", f"zstd of {size} of {what}", write(zstandard.compress, "zst"), check(f"zstd-{name}")),
    ]


def _one_letter(outcome: Outcome, name: str, *reasons: str) -> None:
    [(reason, count)] = outcome.letters(name).items()
    assert count == 1
    assert reason in reasons


def _barren(name: str) -> Callable[[Outcome, float], None]:
    def check(outcome: Outcome, _: float) -> None:
        letters = outcome.letters(name)
        assert letters["no_type"] == TOLD
        assert letters["barren"] == 1

    return check


def _only_before(outcome: Outcome, _: float) -> None:
    assert outcome.contents("bomb") == ["before"]


def _check(name: str, *reasons: str) -> Callable[[Outcome, float], None]:
    """One dead letter for the whole object, of one of these reasons: at full size it may be another."""
    return lambda outcome, _: _one_letter(outcome, name, *reasons)


def _write_nested(folder: Path, _: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "twice.gz").write_bytes(_gzip(_gzip(_HEAD * 10_000)))


def _write_truncated(folder: Path, _: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = list(conversation("truncated", message("m", *(hashlib.sha256(bytes([n])).hexdigest() for n in range(250)))))
    for pack, ending in ((_gzip, "gz"), (zstandard.compress, "zst")):
        packed = pack("\n".join(lines).encode())
        (folder / f"cut.{ending}").write_bytes(packed[: len(packed) * 3 // 4])
        (folder / f"stub.{ending}").write_bytes(packed[:3])


def _check_truncated(outcome: Outcome, _: float) -> None:
    assert outcome.letters("truncated")["corrupt"] >= 3
    assert len(outcome.contents("truncated")) == 1


BOMBS = [
    *_fills("zeros", "zeros", b"\0", b"", lambda name: _check(name, "not_a_log")),
    *_fills("line", "one line", b"x", _HEAD, lambda name: _check(name, "torn", "too_large")),
    *_fills("brackets", "open brackets", b"[", b"", lambda name: _check(name, "torn", "too_deep", "too_large")),
    *_fills("blank", "blank lines", b"\n", _HEAD, lambda _: _only_before),
    *_fills("spaces", "spaces", b" ", _HEAD, lambda _: _only_before),
    *_fills("elements", "an array of tiny elements", b"{},", b"[", _barren, pieces=_PIECES_BELOW_LIMIT),
    *_fills("letters", "lines that are no records", b"{}\n", _HEAD, lambda _: _only_before),
    Adversary("nested", "gzip of gzip", _write_nested, _check("nested", "not_a_log")),
    Adversary("truncated", "gzip and zstd that end too early", _write_truncated, _check_truncated),
]

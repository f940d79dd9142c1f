"""Streams: the deltas of one message's text, or of one call's arguments, become one string.

Deltas gather in a list and are joined once, however many streams are open at a time.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from schemas.events import Message
from transforms.fold.trace import Trace
from transforms.jsontext import join_surrogates


class Stream:
    """Text on its way into one key of a dict.

    Args:
        holder, key: where the text goes; the dict is owned by the fold.
        trace: of the message; its ``pieces`` are filled where stretches of text and of reasoning met.
        kind: of what stands there already: text, reasoning or arguments.
        text: what stands there already.
    """

    __slots__ = ("_closed", "_holder", "_key", "_start", "kind", "parts", "trace")

    def __init__(self, holder: Message, key: str, trace: Trace, kind: str, text: str) -> None:
        self._holder = holder
        self._key = key
        self.trace = trace
        self.kind = kind
        self.parts = [text]
        self._closed = [] if trace.pieces is None else list(trace.pieces)
        self._start = 1 if self._closed else 0

    def turn(self, kind: str) -> None:
        """Go on with text of another kind."""
        self._close_stretch()
        self.kind = kind

    def flush(self) -> None:
        """Write what has gathered; surrogate halves that met become one character."""
        text = "".join(self.parts)
        joined = join_surrogates(text)
        if self._closed:
            self._close_stretch()
            if len(joined) != len(text):
                self._closed = _recount(text, self._closed)
            self.trace.pieces = list(self._closed)
            self._start = 1
        self._holder[self._key] = joined
        self.parts = [joined]

    def _close_stretch(self) -> None:
        length = sum(map(len, self.parts[self._start :]))
        self._start = len(self.parts)
        if not length:
            return
        if self._closed and self._closed[-1][0] == self.kind:
            length += self._closed.pop()[1]
        self._closed.append((self.kind, length))


def _recount(text: str, stretches: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the stretches in characters of the joined text; a character that two share goes to the first."""
    ends = accumulate((length for _, length in stretches), initial=0)
    joined = [len(join_surrogates(text[:end])) for end in ends]
    return [(kind, end - start) for (kind, _), (start, end) in zip(stretches, pairwise(joined), strict=True)]

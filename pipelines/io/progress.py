"""Progress: work that is done in this process becomes one line on a terminal, with what is left of it.

Workers in other processes do not show here; the bar then stands still, and the summary at the end is the same.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_INTERVAL_SECONDS: Final = 0.5
_BAR_CELLS: Final = 24
_done = 0


def advance(amount: int) -> None:
    """Count work that is done, in the units of `shown`'s total."""
    global _done  # noqa: PLW0603 - one process, one bar
    _done += amount


@contextmanager
def shown(total: int, label: str, out: TextIO | None = None) -> Iterator[None]:
    """Draw a bar while the body runs, on a terminal only.

    Args:
        total: bytes to read.
        label: what is done, a verb.
    """
    global _done  # noqa: PLW0603 - as above
    _done = 0
    stream = out or sys.stderr
    if not stream.isatty():
        yield
        return
    over = threading.Event()
    drawer = threading.Thread(target=_draw, args=(total, label, stream, over), daemon=True)
    drawer.start()
    try:
        yield
    finally:
        over.set()
        drawer.join()
        stream.write("\r\x1b[K")
        stream.flush()


def bar(done: int, total: int, label: str, seconds: float) -> str:
    """Return the bar's text.

    >>> bar(50, 100, "reading", 3.0)
    'reading  [############............]  50 %  0:03 left'
    """
    share = min(1.0, done / total) if total else 1.0
    filled = int(share * _BAR_CELLS)
    drawing = "#" * filled + "." * (_BAR_CELLS - filled)
    if share >= 1.0:
        return f"compacting  [{drawing}]  {_clock(seconds)}"
    left = f"{_clock(seconds / share - seconds)} left" if share > 0 else ""
    return f"{label}  [{drawing}]  {share * 100:.0f} %  {left}"


def _draw(total: int, label: str, stream: TextIO, over: threading.Event) -> None:
    began = time.monotonic()
    while not over.wait(_INTERVAL_SECONDS):
        stream.write(f"\r\x1b[K{bar(_done, total, label, time.monotonic() - began)}")
        stream.flush()


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"

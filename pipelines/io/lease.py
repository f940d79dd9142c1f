"""The lease: a numbered object below the lake that one job holds while it writes, and that runs out when it dies.

::

    _lease/000007.json    the seventh job; whoever creates 000008.json when this one is over is the eighth

Only creation must be exclusive, so any store with a conditional put will do. The number is the fencing number: a job
whose number is not the highest any more has lost the lake, whatever it believes.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import secrets
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from pipelines.io.store import Store
from schemas.errors import LakeError, LeaseError

FOLDER: Final = "_lease"
_BEATS: Final = 6
_logger = logging.getLogger(__name__)


class Holder(msgspec.Struct, frozen=True):
    """What a lease object says.

    Args:
        token: random; tells two leases of one number apart.
        doing: what for, in words.
        started: when the process began, in the clock ticks of its machine; tells a process id that is used again.
        taken_at, expires_at: seconds since 1970.
    """

    token: str
    host: str
    pid: int
    started: str
    doing: str
    taken_at: float
    expires_at: float
    released: bool = False


class Fence(msgspec.Struct, frozen=True):
    """What a worker, anywhere, needs to tell whether its job still holds the lease."""

    place: str
    number: int
    token: str

    def check(self) -> None:
        """Return if the lease is held.

        Raises:
            LeaseError: it is not.
        """
        number, holder = _highest(Store(self.place))
        if holder is None or (number, holder.token) != (self.number, self.token):
            taker = "" if holder is None else f" to {_named(holder)}"
            raise LeaseError(f"{self.place}: the lease was lost{taker}; {_NOTHING}")
        if holder.released or time.time() >= holder.expires_at:
            raise LeaseError(f"{self.place}: the lease ran out {_at(holder.expires_at)}; {_NOTHING}")


class Lease:
    """A lease that is held; it is renewed until the body of ``with`` ends, and then released.

    Once it has run out it is lost, even where nobody else took it: what happened meanwhile is not known.
    """

    def __init__(self, store: Store, number: int, holder: Holder, seconds: float) -> None:
        self._store = store
        self._number = number
        self._holder = holder
        self._seconds = seconds
        self._is_lost = False
        self._over = threading.Event()
        self._beat = threading.Thread(target=self._renew_until_over, daemon=True)

    @property
    def fence(self) -> Fence:
        """What the workers check."""
        return Fence(self._store.place, self._number, self._holder.token)

    def renew(self, now: float) -> None:
        """Let the lease stand for its time from now on, unless it is lost.

        Args:
            now: seconds since 1970.
        """
        if self._is_lost or now >= self._holder.expires_at or _numbers(self._store)[-1:] != [self._number]:
            self._is_lost = True
            return
        self._put(msgspec.structs.replace(self._holder, expires_at=now + self._seconds))

    def __enter__(self) -> Self:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._beat.join()
        if not self._is_lost and time.time() < self._holder.expires_at:
            try:
                self._put(msgspec.structs.replace(self._holder, released=True))
            except LakeError as failure:
                _logger.warning("the lease could not be released, it runs out by itself: %s", failure)

    def _put(self, holder: Holder) -> None:
        self._store.write(_path(self._number), msgspec.json.encode(holder))
        self._holder = holder

    def _renew_until_over(self) -> None:
        while not self._over.wait(self._seconds / _BEATS) and not self._is_lost:
            try:
                self.renew(time.time())
            except LakeError as failure:
                _logger.warning("the lease could not be renewed, trying again: %s", failure)


def take(store: Store, seconds: float, doing: str, now: float | None = None) -> Lease:
    """Return the lease of a lake.

    Args:
        seconds: how long it stands without being renewed.
        doing: what for, in words; whoever is refused reads it.
        now: seconds since 1970; the clock where None.

    Raises:
        LeaseError: another job holds it.
    """
    moment = time.time() if now is None else now
    number, holder = _highest(store)
    if holder is not None and not _is_free(holder, moment):
        raise LeaseError(_refusal(store.place, holder))
    mine = Holder(
        token=secrets.token_hex(16),
        host=socket.gethostname(),
        pid=os.getpid(),
        started=_started(os.getpid()),
        doing=doing,
        taken_at=moment,
        expires_at=moment + seconds,
    )
    store.create(_path(number + 1), msgspec.json.encode(mine))
    number, holder = _highest(store)
    if holder is None or holder.token != mine.token:
        raise LeaseError(_refusal(store.place, holder or mine))
    for old in _numbers(store)[:-1]:
        store.delete(_path(old))
    return Lease(store, number, mine, seconds)


_NOTHING: Final = "nothing is committed, run the same command again"


def _refusal(place: str, holder: Holder) -> str:
    return (
        f"{place}: {_named(holder)} since {_at(holder.taken_at)}; its lease stands until {_at(holder.expires_at)}: "
        "wait for it to end, or for the lease to run out"
    )


def _named(holder: Holder) -> str:
    return f"{holder.doing}, process {holder.pid} on {holder.host}, has it"


def _at(moment: float) -> str:
    return dt.datetime.fromtimestamp(moment, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_free(holder: Holder, now: float) -> bool:
    if holder.released or now >= holder.expires_at:
        return True
    return holder.host == socket.gethostname() and _started(holder.pid) != holder.started


def _started(pid: int) -> str:
    """Return when a process of this machine began, empty where there is none of that number."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "" if Path("/proc/self/stat").exists() or not _is_alive(pid) else "unknown"
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _highest(store: Store) -> tuple[int, Holder | None]:
    """Return the highest number, 0 where there is none, and what its object says."""
    numbers = _numbers(store)
    if not numbers:
        return 0, None
    try:
        return numbers[-1], msgspec.json.decode(store.read(_path(numbers[-1])), type=Holder)
    except msgspec.DecodeError as error:
        raise LakeError(
            f"{store.uri(_path(numbers[-1]))}: damaged ({error}); delete it if no job is running"
        ) from error


def _numbers(store: Store) -> list[int]:
    names = [path.rpartition("/")[2].removesuffix(".json") for path in store.list(FOLDER)]
    return sorted(int(name) for name in names if name.isdigit())


def _path(number: int) -> str:
    return f"{FOLDER}/{number:06d}.json"

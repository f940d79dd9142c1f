"""The lease: a numbered file below the lake that one job holds while it writes, and that runs out when it dies.

::

    _lease/000007.json    the seventh job; whoever creates 000008.json when this one is over is the eighth

Only creation must be exclusive, so any store with a conditional put will do. The number is the fencing number: a job
whose number is not the highest any more has lost the lake, whatever it believes. So clocks that differ between hosts
can cost a job its lease, and never give two jobs one lake.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import secrets
import socket
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from pipelines.io.store import Store
from schemas.errors import LakeError, LeaseError

FOLDER: Final = "_lease"

_BEATS: Final = 6
_UNKNOWN: Final = "unknown"
_NOTHING: Final = "nothing is committed; run the same command again"
_Clock = Callable[[], float]

logger = logging.getLogger(__name__)


class Holder(msgspec.Struct, frozen=True):
    """What a lease's file says.

    Args:
        token: random; tells two leases of one number apart.
        host: its name, for people: hosts and containers may share one.
        machine: the running kernel and its space of process ids; what ``pid`` is a number in.
        started: when the process began, in ticks since its kernel did; tells a process id that is used again.
        doing: what for, in words.
        taken_at, expires_at: seconds since 1970.
        released: the job is over; then nothing but the file's number counts.
    """

    token: str
    host: str
    machine: str
    pid: int
    started: str
    doing: str
    taken_at: float
    expires_at: float
    released: bool = False


class Fence(msgspec.Struct, frozen=True):
    """What a worker, in any process on any machine, needs to tell whether its job still holds the lease.

    Args:
        place: of the lake, absolute.
    """

    place: str
    number: int
    token: str

    def check(self, clock: _Clock = time.time) -> None:
        """Return if the lease is held, by one listing and one read. What is written must follow at once.

        Raises:
            LeaseError: it is not.
            LakeError: the lake cannot be read.
        """
        number, holder = _highest(Store(self.place))
        if holder is None or (number, holder.token) != (self.number, self.token):
            taker = f" to {_named(holder)}" if holder is not None and not holder.released else ""
            raise LeaseError(f"{self.place}: the lease was lost{taker}; {_NOTHING}")
        if holder.released:
            raise LeaseError(f"{self.place}: the lease was lost, it is released; {_NOTHING}")
        if clock() >= holder.expires_at:
            raise LeaseError(f"{self.place}: the lease was lost, it ran out {_at(holder.expires_at)}; {_NOTHING}")


class Lease:
    """A lease that is held: a thread renews it until the body of ``with`` ends, and then it is released.

    Once it has run out it is lost, even where nobody else took it: the process slept, and may sleep again.
    """

    def __init__(self, store: Store, number: int, holder: Holder, seconds: float, clock: _Clock) -> None:
        self._store = store
        self._number = number
        self._holder = holder
        self._seconds = seconds
        self._clock = clock
        self._is_lost = False
        self._over = threading.Event()
        self._beat = threading.Thread(target=self._renew_until_over, name="lease", daemon=True)

    @property
    def fence(self) -> Fence:
        """What the workers check."""
        return Fence(self._store.uri(), self._number, self._holder.token)

    def renew(self) -> bool:
        """Let the lease stand for its time from now on; return False where it is lost, which is for good.

        Raises:
            LakeError: the store fails; the lease stands as long as it did.
        """
        now = self._clock()
        if self._is_lost or now >= self._holder.expires_at or not self._is_highest():
            self._is_lost = True
            return False
        self._put(msgspec.structs.replace(self._holder, expires_at=now + self._seconds))
        return True

    def __enter__(self) -> Self:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._beat.join()
        if self._is_lost or self._clock() >= self._holder.expires_at:
            return
        try:
            self._put(msgspec.structs.replace(self._holder, released=True))
        except LakeError as failure:
            logger.warning("the lease could not be released and runs out by itself: %s", failure)

    def _is_highest(self) -> bool:
        number, holder = _highest(self._store)
        return holder is not None and (number, holder.token) == (self._number, self._holder.token)

    def _put(self, holder: Holder) -> None:
        self._store.write(_path(self._number), msgspec.json.encode(holder))
        self._holder = holder

    def _renew_until_over(self) -> None:
        while not self._over.wait(self._seconds / _BEATS):
            try:
                if not self.renew():
                    logger.warning("the lease of %s is lost", self._store.place)
                    return
            except LakeError as failure:
                logger.warning("the lease could not be renewed, trying again: %s", failure)


def take(store: Store, seconds: float, doing: str, clock: _Clock = time.time) -> Lease:
    """Return the lease of a lake, for `with`. It is renewed six times in its time.

    Args:
        store: of the lake.
        seconds: how long the lease stands without being renewed.
        doing: what for, in words; whoever is refused reads it.
        clock: gives seconds since 1970.

    Raises:
        LeaseError: another job holds it.
        LakeError: the lake cannot be read or written.
    """
    now = clock()  # before the file is read: one that was renewed since then is not taken for expired
    number, holder = _highest(store)
    if holder is not None and not _is_free(holder, now):
        raise LeaseError(_refusal(store, holder))
    pid = os.getpid()
    mine = Holder(
        token=secrets.token_hex(16),
        host=socket.gethostname(),
        machine=_machine(),
        pid=pid,
        started=_started(pid),
        doing=doing,
        taken_at=now,
        expires_at=now + seconds,
    )
    # Its answer proves nothing: it may be that of a repeated request, or the number one that had been deleted.
    store.create(_path(number + 1), msgspec.json.encode(mine))
    number, holder = _highest(store)
    if holder is None or holder.token != mine.token:
        raise LeaseError(_refusal(store, holder))
    for old in _numbers(store)[:-1]:
        store.delete(_path(old))
    return Lease(store, number, mine, seconds, clock)


def _refusal(store: Store, holder: Holder | None) -> str:
    if holder is None or holder.released:
        return f"{store.place}: another job took the lease at this moment; run the same command again"
    return (
        f"{store.place}: {_named(holder)} writes it since {_at(holder.taken_at)}, "
        f"its lease stands until {_at(holder.expires_at)}; wait for it, or for the lease to run out"
    )


def _named(holder: Holder) -> str:
    return f"{holder.doing} (process {holder.pid} on {holder.host})"


def _at(moment: float) -> str:
    return dt.datetime.fromtimestamp(moment, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_free(holder: Holder, now: float) -> bool:
    if holder.released or now >= holder.expires_at:
        return True
    if (holder.host, holder.machine) != (socket.gethostname(), _machine()):
        return False
    started = _started(holder.pid)
    return not started or (_UNKNOWN not in {started, holder.started} and started != holder.started)


def _machine() -> str:
    """Return what tells this machine's process ids from all others: containers on one host may share its name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return f"{uuid.getnode():x}"


def _started(pid: int) -> str:
    """Return when a process of this machine began, "" where none of that number is alive.

    The time is field 22 of proc_pid_stat(5), counted from behind the command, which may hold spaces and brackets.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _UNKNOWN if _is_alive(pid) else ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in {"Z", "X"} else fields[19]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _highest(store: Store) -> tuple[int, Holder | None]:
    """Return the highest number, 0 where there is none, and what its file says."""
    while True:
        numbers = _numbers(store)
        if not numbers:
            return 0, None
        path = _path(numbers[-1])
        try:
            return numbers[-1], msgspec.json.decode(store.read(path), type=Holder)
        except msgspec.DecodeError as error:
            raise LakeError(f"{store.uri(path)}: damaged ({error}); delete it if no job is running") from error
        except LakeError:
            if _numbers(store)[-1:] == numbers[-1:]:  # else it was deleted meanwhile, for a higher one
                raise


def _numbers(store: Store) -> list[int]:
    names = [path.rpartition("/")[2].removesuffix(".json") for path in store.list(FOLDER)]
    return sorted(int(name) for name in names if name.isdecimal())


def _path(number: int) -> str:
    return f"{FOLDER}/{number:06d}.json"

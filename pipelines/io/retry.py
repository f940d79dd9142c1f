"""Retries: a request that S3 fails for the moment is sent again, and an answer that broke off is asked for again.

botocore and s3fs repeat requests too, one inside the other and s3fs twice over: 5 x 5 x 5 attempts, none of them
logged. Both are told not to, and this is the one place that does::

    Store, open_input, DuckDB -> S3FileSystem -> PatientCalls -> S3FileSystem._call_s3 -> aiobotocore -> aiohttp
"""

from __future__ import annotations

import asyncio
import errno
import io
import logging
import random
import re
import time
import weakref
from typing import Any, Final

from aiohttp import ClientConnectorCertificateError
from botocore import exceptions as boto  # type: ignore[import-untyped] # botocore ships no types
from s3fs import S3FileSystem
from s3fs.core import S3_RETRYABLE_ERRORS

CONNECT_SECONDS: float = 10
READ_SECONDS: float = 30
"""Silence after which an answer is given up."""

TOTAL_SECONDS: float = 120
"""How long a request is repeated, from its first failure on; the last attempt begins within it."""

FIRST_SECONDS: float = 0.25
LONGEST_SECONDS: float = 20
"""The wait before retry n is random, up to ``FIRST_SECONDS * 2 ** n`` and up to this (full jitter, as AWS advises)."""

_TRANSIENT_STATUS: Final = frozenset({408, 429, 500, 502, 503, 504, 509})
_TRANSIENT_CODES: Final = frozenset(
    {
        "BandwidthLimitExceeded",
        "IncompleteBody",
        "InternalError",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequests",
        "TooManyRequestsException",
        "XAmzContentSHA256Mismatch",
    }
)
"""Codes that come with a status of 4xx as well, or with another at a store that is not Amazon's."""

_RANGE: Final = re.compile(r"bytes[= ](\d+)-(\d+)(?:/(\d+))?")

logger = logging.getLogger(__name__)


class BrokenAnswerError(OSError):
    """An answer with fewer bytes than it announced, or than it was asked for."""

    def __init__(self, detail: str) -> None:
        super().__init__(errno.EIO, f"the answer broke off: {detail}")


_TRANSIENT_ERRORS: Final = (
    *S3_RETRYABLE_ERRORS,
    boto.ConnectionError,
    boto.FlexibleChecksumError,
    ConnectionError,
    BrokenAnswerError,
)


def s3_config() -> dict[str, object]:
    """Return botocore's configuration: timeouts, and no retries of its own."""
    return {
        "connect_timeout": CONNECT_SECONDS,
        "read_timeout": READ_SECONDS,
        "retries": {"mode": "standard", "total_max_attempts": 1},
    }


def patient(fs: S3FileSystem) -> S3FileSystem:
    """Return the filesystem, each of its requests now repeated; done twice, it is as done once."""
    if not isinstance(fs._call_s3, PatientCalls):  # noqa: SLF001 - all that s3fs sends goes through it
        fs.retries = 1
        fs._call_s3 = PatientCalls(fs)  # noqa: SLF001 - a subclass would have instances that s3fs cannot clear
    return fs


class PatientCalls:
    """``S3FileSystem._call_s3``, which repeats what failed for the moment, and reads a body before it gives it.

    A permanent failure (no such key or bucket, no permission, a wrong request) is raised at once. ``AWS_MAX_ATTEMPTS``,
    which botocore reads, bounds the attempts beside `TOTAL_SECONDS`.
    """

    def __init__(self, fs: S3FileSystem) -> None:
        self._fs = weakref.proxy(fs)  # s3fs closes its connections when the last reference goes
        self._send = type(fs)._call_s3  # noqa: SLF001 - see `patient`

    async def __call__(self, method: str, *parameters: Any, **named: Any) -> Any:
        """Send a request of botocore's name and parameters."""
        place = "/".join(str(named[name]) for name in ("Bucket", "Key", "Prefix") if named.get(name))
        attempts, since = 0, 0.0
        while True:
            try:
                return await self._once(method, *parameters, **named)
            except (OSError, *_TRANSIENT_ERRORS) as error:
                attempts += 1
                since = since or time.monotonic()
                wait = self._wait(error, attempts, since)
                if wait is None:
                    if isinstance(error, OSError | boto.BotoCoreError):
                        raise
                    raise BrokenAnswerError(type(error).__name__) from error
                logger.warning("%s %s: %s; retry %d in %.1f s", method, place, _reason(error), attempts, wait)
            await asyncio.sleep(wait)

    async def _once(self, method: str, *parameters: Any, **named: Any) -> Any:
        answer = await self._send(self._fs, method, *parameters, **named)
        if method == "get_object":
            answer["Body"] = _Body(await _whole(answer, named.get("Range")))
        return answer

    def _wait(self, error: Exception, attempts: int, since: float) -> float | None:
        """Return the seconds to wait before the next attempt, None where there is to be none."""
        left = since + TOTAL_SECONDS - time.monotonic()
        if left <= 0 or not is_transient(error):
            return None
        most = self._fs.session.get_config_variable("max_attempts")
        if most is not None and attempts >= most:
            return None
        longest = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(attempts, 20))
        return min(left, random.uniform(0, longest))  # noqa: S311 - jitter


def is_transient(error: BaseException) -> bool:
    """Return whether the same request may succeed later.

    >>> is_transient(ConnectionResetError()), is_transient(FileNotFoundError())
    (True, False)
    """
    response = _response(error)
    if response is None:
        return isinstance(error, _TRANSIENT_ERRORS) and not _is_certificate(error)
    return _status(response) in _TRANSIENT_STATUS or response.get("Error", {}).get("Code") in _TRANSIENT_CODES


def _is_certificate(error: BaseException) -> bool:
    """Return whether the store's certificate was refused; a handshake may also just break off."""
    return isinstance(error, boto.SSLError) and isinstance(error.kwargs["error"], ClientConnectorCertificateError)


class _Body:
    """A body that was read whole, as aiobotocore's streams are read."""

    def __init__(self, payload: bytes) -> None:
        self._payload = io.BytesIO(payload)

    async def read(self, size: int = -1) -> bytes:
        return self._payload.read(size)

    def close(self) -> None:
        self._payload.close()


async def _whole(answer: dict[str, Any], asked: str | None) -> bytes:
    """Return the body of an answer to ``get_object``, exactly the bytes that were asked for."""
    stream = answer["Body"]
    try:
        payload: bytes = await stream.read()
    finally:
        stream.close()
    expected = _expected(answer, asked)
    if expected is not None and len(payload) != expected:
        raise BrokenAnswerError(f"{len(payload):,} of {expected:,} bytes")
    return payload


def _expected(answer: dict[str, Any], asked: str | None) -> int | None:
    """Return the bytes that an answer has to have: those of the range, as far as the object goes (RFC 9110, 14.4)."""
    wanted = _RANGE.fullmatch(asked or "")
    if wanted is None:
        return answer.get("ContentLength")
    given = _RANGE.fullmatch(str(answer.get("ContentRange")))
    if given is None or given[3] is None:
        return int(wanted[2]) - int(wanted[1]) + 1
    return min(int(wanted[2]), int(given[3]) - 1) - int(wanted[1]) + 1


def _response(error: BaseException) -> dict[str, Any] | None:
    """Return the store's answer that became the error; s3fs raises an OSError whose cause is botocore's."""
    response: dict[str, Any] | None = getattr(error.__cause__, "response", None)
    return response if isinstance(response, dict) else None


def _status(response: dict[str, Any]) -> int | None:
    status: int | None = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status


def _reason(error: Exception) -> str:
    """Return what went wrong without the store's words, which may repeat what it was sent."""
    response = _response(error)
    if response is None:
        return type(error).__name__
    return f"{_status(response)} {response.get('Error', {}).get('Code')}"

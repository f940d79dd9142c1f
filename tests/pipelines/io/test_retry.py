import itertools
import random
import time
from unittest.mock import Mock

import aiohttp
import pytest
from botocore import exceptions as boto  # type: ignore[import-untyped] # botocore ships no types
from s3fs.errors import translate_boto_error

from pipelines.io import retry
from pipelines.io.places import filesystem
from pipelines.io.ranges import Ranges


def answered(status, code):
    response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return translate_boto_error(boto.ClientError(response, "GetObject"))


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_status_of_the_moment_is_transient_whatever_its_code(status):
    assert retry.is_transient(answered(status, "Whatever"))
    assert retry.is_transient(answered(status, str(status)))


@pytest.mark.parametrize("code", ["SlowDown", "RequestTimeout", "IncompleteBody"])
def test_a_code_of_the_moment_is_transient_whatever_its_status(code):
    assert retry.is_transient(answered(400, code))


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 405, 409, 411, 412, 416, 501])
def test_a_refusal_is_permanent(status):
    assert not retry.is_transient(answered(status, str(status)))


def test_a_connection_that_breaks_is_transient_and_a_refused_certificate_is_not():
    certificate = aiohttp.ClientConnectorCertificateError(Mock(), ValueError())
    assert retry.is_transient(boto.SSLError(endpoint_url="u", error=OSError()))
    assert not retry.is_transient(boto.SSLError(endpoint_url="u", error=certificate))
    for error in (boto.EndpointConnectionError(endpoint_url="u"), aiohttp.ClientPayloadError(), TimeoutError()):
        assert retry.is_transient(error)
    for error in (boto.NoCredentialsError(), boto.ParamValidationError(report=""), FileNotFoundError(), ValueError()):
        assert not retry.is_transient(error)


def test_waits_grow_are_random_and_end_at_the_bound(monkeypatch):
    class Session:
        def get_config_variable(self, _):
            return None

    class Client:
        session = Session()

        def _call_s3(self):
            """Send nothing."""

    client = Client()
    calls = retry.PatientCalls(client)
    monkeypatch.setattr(random, "uniform", max)
    since = time.monotonic()
    waits = [calls._wait(TimeoutError(), attempt, since) for attempt in range(1, 12)]
    assert waits[:4] == [0.5, 1.0, 2.0, 4.0]
    assert all(earlier <= later <= retry.LONGEST_SECONDS for earlier, later in itertools.pairwise(waits))
    assert calls._wait(TimeoutError(), 1, since - retry.TOTAL_SECONDS) is None
    assert calls._wait(TimeoutError(), 9, since - retry.TOTAL_SECONDS + 0.5) <= 0.5
    assert calls._wait(PermissionError(), 1, since) is None


def test_other_stores_are_left_as_they_are():
    fs, _ = filesystem("memory://faults/x")
    assert not hasattr(fs, "_call_s3")
    assert fs.storage_options == {"use_listings_cache": False}


def test_a_short_answer_of_any_filesystem_is_made_whole():
    class Stingy:
        def cat_file(self, _, start, end):
            return bytes(range(100))[start : min(end, start + 7)]

    file = Ranges(Stingy(), "k", 100)
    assert file.read(100) == bytes(range(100))
    file = Ranges(Stingy(), "k", 120)
    file.seek(90)
    with pytest.raises(OSError, match="bytes 100 to 120: the store gave 0"):
        file.read(30)
    assert file.tell() == 90

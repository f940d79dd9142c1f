"""The S3 server is at hand for the tests of this folder."""

from tests.seaweed import s3, s3_endpoint

__all__ = ["s3", "s3_endpoint"]

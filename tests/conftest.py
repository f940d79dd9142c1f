"""Fixtures for every test: the shared data folder and the reference client, where they can be had."""

from pathlib import Path

import pytest

from tests.reference_client import Reference, install
from tests.seaweed import s3, s3_endpoint

__all__ = ["s3", "s3_endpoint"]

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def reference() -> Reference:
    reason = install()
    if reason is not None:
        pytest.skip(reason)
    return Reference()

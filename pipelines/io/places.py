"""Places: a local path or an fsspec URL, and what its failures mean to a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError

URL_MARK = "://"
_LOCAL_SCHEMES = ("file://", "local://")
_S3_SCHEMES = ("s3://", "s3a://")
_CREDENTIALS = "credentials and endpoint come from the usual AWS variables"


def is_url(place: str) -> bool:
    """Return whether the place is an fsspec URL of something other than a local disk.

    >>> is_url("s3://logs/2026"), is_url("file:///logs"), is_url("logs/2026")
    (True, False, False)
    """
    return URL_MARK in place and not place.startswith(_LOCAL_SCHEMES)


def local_path(place: str) -> str:
    """Return a local place as an absolute path, so that it names the same file from any working folder.

    >>> local_path("file:///logs/a b.jsonl")
    '/logs/a b.jsonl'
    """
    for scheme in _LOCAL_SCHEMES:
        place = place.removeprefix(scheme)
    return os.path.abspath(Path(place).expanduser())  # noqa: PTH100 - resolve() would follow links


def full_path(place: str) -> str:
    """Return the place without a final slash: a URL, or an absolute local path."""
    if not is_url(place):
        return local_path(place)
    scheme, _, rest = place.partition(URL_MARK)
    return f"{scheme}{URL_MARK}{rest.rstrip('/')}"


def filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec filesystem of a URL, and the URL's path in it.

    fsspec keeps one instance per process and set of options, so this is cheap to call again. Listings are never cached:
    a night reads what an earlier command wrote. Requests to S3 that fail for the moment are repeated; the clients of
    other stores repeat theirs.
    """
    import fsspec  # noqa: PLC0415 - local lakes do not pay for it

    if not url.startswith(_S3_SCHEMES):
        fs, path = fsspec.core.url_to_fs(url, use_listings_cache=False)
        return fs, path
    from pipelines.io.retry import patient, s3_config  # noqa: PLC0415 - it needs the extra s3

    fs, path = fsspec.core.url_to_fs(url, use_listings_cache=False, config_kwargs=s3_config())
    return patient(fs), path


@contextmanager
def explained(place: str, family: type[ConfigError], doing: str = "read") -> Iterator[None]:
    """Turn a failure of the outside world into one line: the place, what went wrong, and the remedy.

    Args:
        place: as the person gave it.
        family: the error that is raised instead; errors of the family pass unchanged.
        doing: the verb of the message.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise family(f"{place}: not found; check the path") from error
    except PermissionError as error:
        raise family(f"{place}: no permission to {doing} it; {_remedy(place)}") from error
    except ImportError as error:
        raise family(f"{place}: a package is missing ({error}); pip install the fsspec client of this URL") from error
    except _failures() as error:
        raise family(f"{place}: cannot {doing} it: {_one_line(error)}; {_remedy(place)}") from error


def _failures() -> tuple[type[Exception], ...]:
    """Return what a filesystem may raise; botocore's root error, where an S3 client is loaded, is no OSError."""
    module = sys.modules.get("botocore.exceptions")
    return (OSError, ValueError, module.BotoCoreError) if module else (OSError, ValueError)


def _remedy(place: str) -> str:
    return _CREDENTIALS if place.startswith("s3") else "check the path and its permissions"


def _one_line(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__

"""Errors, by what the job does next.

::

    ThreadlakeError
    ├── RecordError        one record is bad: it becomes a dead letter, the job goes on
    │   └── DecodeError    bytes that are no event (carries a typed reason)
    ├── TransientError     a service is away: retry
    ├── ConfigError        the request cannot be carried out: stop before anything is written
    │   ├── InputError     an input that is missing or cannot be read
    │   └── LakeError      a lake that is missing, unwritable, of a newer format, or holds other inputs
    │       └── LeaseError another job writes the lake, or this one was too slow to go on
    └── ThresholdError     the job found more than it was told to stand: stop before the commit

A message gives value, place and remedy, and never the content of an event.
"""

from __future__ import annotations


class ThreadlakeError(Exception):
    """The root of the family."""


class RecordError(ThreadlakeError):
    """One record cannot be used; everything around it can."""


class DecodeError(RecordError):
    """Bytes that are no event.

    Args:
        reason: a word of `schemas.records.REASONS`.
        detail: what was found, without content.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class TransientError(ThreadlakeError):
    """A service is away for the moment; the caller retries with backoff."""


class ConfigError(ThreadlakeError):
    """The request cannot be carried out as it stands; nothing was written."""


class InputError(ConfigError):
    """An input is missing or cannot be read."""


class LakeError(ConfigError):
    """The lake is missing, unwritable, of a newer format, or holds other inputs."""


class LeaseError(LakeError):
    """Another job writes the lake, or this one lost it; nothing was committed."""


class ThresholdError(ThreadlakeError):
    """The job found more than it was told to stand; it did not commit, and no reader of commits sees what it wrote."""

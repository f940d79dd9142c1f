"""Options: the words after ``compact`` become one frozen request and Beam's own options, checked before anything runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

import msgspec
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.runner import PipelineRunner

from schemas.errors import ConfigError
from transforms.rawpolicy import RawChoice

_REFUSED: Final = {
    "DaskRunner": "it drops outputs and still says DONE (docs/decisions/0005-fnapi-runner.md); leave --runner out, or take "
    "a portable runner",
}


class CompactRequest(msgspec.Struct, frozen=True):
    """What ``threadlake compact`` and ``threadlake plan`` were asked for.

    Args:
        bucket_bits: None to choose by the size of the inputs.
    """

    inputs: tuple[str, ...]
    lake: str
    path_pattern: str | None = None
    raw_policy: str = RawChoice.DROP
    ruleset_id: str = "off"
    bucket_bits: int | None = None


def request_of(args: argparse.Namespace) -> CompactRequest:
    """Return the request that parsed arguments make."""
    return CompactRequest(
        tuple(args.inputs), args.lake, args.path_pattern, RawChoice(args.raw), args.redact, args.bucket_bits
    )


def beam_options(words: Sequence[str]) -> PipelineOptions:
    """Return Beam's options of the words that are not ours.

    Raises:
        ConfigError: a word that Beam does not know either, or a runner that gives wrong results.
    """
    options = PipelineOptions(list(words))
    known = options.get_all_options(retain_unknown_options=False)
    unknown = options.get_all_options(retain_unknown_options=True).keys() - known.keys()
    stray = [word for word in words if not word.startswith("-")] if not _takes_values(words) else []
    if unknown or stray:
        named = ", ".join([f"--{name}" for name in sorted(unknown)] + stray)
        raise ConfigError(f"{named}: no option of threadlake or of Beam; see `threadlake compact --help`")
    runner = options.view_as(StandardOptions).runner or ""
    for name, reason in _REFUSED.items():
        if runner.rsplit(".", 1)[-1].lower() == name.lower():
            raise ConfigError(f"--runner={runner}: refused, since {reason}")
    return options


def runner_of(options: PipelineOptions) -> PipelineRunner | None:
    """Return the embedded engine, chosen explicitly; None where another is asked for by name.

    Beam's own default tries to download an engine first, so that a networked machine would silently run another one.
    """
    return FnApiRunner() if options.view_as(StandardOptions).runner is None else None


def _takes_values(words: Sequence[str]) -> bool:
    """Tell whether a bare word can be the value of the option before it."""
    return all(word.startswith("-") or (index and words[index - 1].startswith("-")) for index, word in enumerate(words))

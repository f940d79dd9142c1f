"""Options: the words that are Beam's become Beam's options and an engine, checked before anything is written."""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from typing import Final, TypeAlias

from apache_beam.options.pipeline_options import PipelineOptions, PortableOptions, StandardOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.runner import PipelineRunner, create_runner

from schemas.errors import ConfigError

BeamOptions: TypeAlias = PipelineOptions
"""Beam's options, for modules that must not import Beam themselves."""

_REFUSED: Final = {
    "daskrunner": "it drops outputs and still says DONE (docs/decisions/0005-fnapi-runner.md); leave --runner out, "
    "or take a portable runner",
}
_HELP: Final = frozenset({"-h", "--help"})


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that are ours and those that are Beam's, each in their order.

    Beam's own parser says which flags there are and which of them take a value, so that the value of one is never taken
    for an INPUT. What follows ``--`` is ours.
    """
    flags = _flags()
    ours: list[str] = []
    beams: list[str] = []
    left = iter(words)
    for word in left:
        name, is_joined, _ = word.partition("=")
        if word == "--":
            ours += [word, *left]
        elif name not in flags:
            ours.append(word)
        else:
            beams.append(word)
            if flags[name] and not is_joined:
                beams += [value for value in [next(left, None)] if value is not None]
    return ours, beams


def beam_options(words: Sequence[str]) -> PipelineOptions:
    """Return Beam's options.

    Args:
        words: as `split_words` gives them.

    Raises:
        ConfigError: a wrong value, an engine that is not there, or one that gives wrong results.
    """
    complaint = io.StringIO()
    try:
        with redirect_stderr(complaint):
            options = PipelineOptions(list(words))
            options.get_all_options()  # reads the options of every engine, not of the one view that is open
    except SystemExit as error:
        lines = complaint.getvalue().strip().splitlines() or ["cannot be read"]
        raise ConfigError(f"options of Beam: {lines[-1].rpartition('error: ')[2]}") from error
    runner = options.view_as(StandardOptions).runner or ""
    kind = runner.rpartition(".")[2].lower()
    if kind in _REFUSED:
        raise ConfigError(f"--runner={runner}: refused, since {_REFUSED[kind]}")
    if kind == "portablerunner" and not options.view_as(PortableOptions).job_endpoint:
        raise ConfigError(f"--runner={runner}: it needs --job_endpoint HOST:PORT of a job service")
    return options


def runner_of(options: PipelineOptions) -> PipelineRunner:
    """Return the engine; the embedded one where none is named.

    Beam's own default tries to download an engine first, so that a networked machine would silently run another one.

    Raises:
        ConfigError: there is no engine of this name.
    """
    name = options.view_as(StandardOptions).runner
    if name is None:
        return FnApiRunner()
    try:
        return create_runner(name)
    except (ValueError, ImportError, AttributeError) as error:
        raise ConfigError(f"--runner={name}: {' '.join(str(error).split())}") from error


def _flags() -> dict[str, bool]:
    """Return every flag of Beam, and whether it takes a value."""
    actions: list[argparse.Action] = []
    PipelineOptions([]).get_all_options(add_extra_args_fn=lambda parser: actions.extend(parser._actions))  # noqa: SLF001 - argparse has no public list
    return {flag: action.nargs != 0 for action in actions for flag in action.option_strings if flag not in _HELP}

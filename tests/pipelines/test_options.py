"""Beam's words are told from ours, and checked, before anything is written."""

import argparse
from itertools import permutations

import pytest
from apache_beam.options.pipeline_options import DirectOptions, StandardOptions
from apache_beam.runners.direct.direct_runner import BundleBasedDirectRunner
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from pipelines.commands import compact
from pipelines.options import _flags, beam_options, runner_of, split_words
from schemas.errors import ConfigError


@pytest.mark.parametrize(
    ("words", "ours", "beams"),
    [
        (["raw", "--lake", "l"], ["raw", "--lake", "l"], []),
        (["--direct_num_workers", "2", "raw"], ["raw"], ["--direct_num_workers", "2"]),
        (["--direct_num_workers=2", "raw"], ["raw"], ["--direct_num_workers=2"]),
        (["--streaming", "raw"], ["raw"], ["--streaming"]),
        (["--experiments", "a", "--experiments=b", "x"], ["x"], ["--experiments", "a", "--experiments=b"]),
        (["raw", "--nonsense", "3"], ["raw", "--nonsense", "3"], []),
        (["raw", "--runner"], ["raw"], ["--runner"]),
        (["--", "--runner", "x"], ["--", "--runner", "x"], []),
        (["-h"], ["-h"], []),
        (["--help"], ["--help"], []),
    ],
)
def test_beam_says_which_of_its_flags_take_a_value(words, ours, beams):
    assert split_words(words) == (ours, beams)


def test_the_order_of_words_does_not_matter():
    groups = (["a", "b"], ["--lake", "l"], ["--direct_num_workers", "2"], ["--streaming"], ["--json"])
    for order in permutations(groups):
        ours, beams = split_words([word for group in order for word in group])
        assert sorted(beams) == ["--direct_num_workers", "--streaming", "2"]
        assert sorted(ours) == ["--json", "--lake", "a", "b", "l"]


def test_no_option_of_ours_is_one_of_beam():
    parser = argparse.ArgumentParser()
    compact.configure(parser)
    ours = {flag for action in parser._actions for flag in action.option_strings}
    assert "--lake" in ours
    assert not ours & set(_flags())


def test_values_reach_beam():
    options = beam_options(["--direct_num_workers", "2", "--direct_running_mode=multi_processing"])
    assert options.view_as(DirectOptions).direct_num_workers == 2
    assert options.view_as(DirectOptions).direct_running_mode == "multi_processing"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--direct_num_workers", "x"], "invalid int value: 'x'"),
        (["--direct_num_workers"], "expected one argument"),
        (["--direct_running_mode=backwards"], "invalid choice"),
        (["--runner=DaskRunner"], "still says DONE"),
        (["--runner", "apache_beam.runners.dask.dask_runner.DaskRunner"], "still says DONE"),
        (["--runner=daskrunner"], "still says DONE"),
        (["--runner=PortableRunner"], "needs --job_endpoint"),
    ],
)
def test_what_cannot_run_is_refused_in_one_line(words, message, capsys):
    with pytest.raises(ConfigError, match=message) as caught:
        beam_options(words)
    assert "\n" not in str(caught.value)
    assert capsys.readouterr() == ("", "")


def test_the_embedded_engine_is_the_default_by_name():
    assert type(runner_of(beam_options([]))) is FnApiRunner


def test_an_engine_that_is_named_is_taken():
    assert type(runner_of(beam_options(["--runner=BundleBasedDirectRunner"]))) is BundleBasedDirectRunner


@pytest.mark.parametrize("name", ["Nonsense", "no.such.Runner"])
def test_an_engine_that_is_not_there_is_refused(name):
    options = beam_options([f"--runner={name}"])
    assert options.view_as(StandardOptions).runner == name
    with pytest.raises(ConfigError, match=f"--runner={name}"):
        runner_of(options)

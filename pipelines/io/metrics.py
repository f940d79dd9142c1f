"""Metrics: the figures of a compaction become a text file that Prometheus's node exporter collects."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from schemas.errors import ConfigError
from schemas.lake import Commit

_PREFIX: Final = "threadlake_compact"
_LABELS: Final = {"violations": "kind", "dead_letters": "reason"}
"""Figures that are told apart, and by what."""


def write_metrics(path: str, commit: Commit, seconds: float, finished: float) -> None:
    """Write a commit's totals as gauges, whole or not at all.

    Args:
        path: a local file; collectors expect the ending ``.prom``.
        seconds: how long the job took.
        finished: when, seconds since 1970: an alert on its age is an alert on a job that did not come.

    Raises:
        ConfigError: prometheus_client is not installed, or the file cannot be written.
    """
    try:
        from prometheus_client import CollectorRegistry, Gauge, write_to_textfile  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ConfigError("prometheus_client is missing; install it with `pip install 'threadlake[jobs]'`") from error
    registry = CollectorRegistry()

    def gauge(name: str, meaning: str, label: str | None = None) -> Gauge:
        return Gauge(f"{_PREFIX}_{name}", meaning, [label] if label else [], registry=registry)

    for name in commit.totals.__struct_fields__:
        figure = getattr(commit.totals, name)
        made = gauge(name, f"{name} of the last compaction", _LABELS.get(name))
        if isinstance(figure, dict):
            for kind, count in figure.items():
                made.labels(kind).set(count)
        else:
            made.set(figure)
    gauge("files", "files of the last compaction").set(len(commit.files))
    gauge("seconds", "how long the last compaction took").set(seconds)
    if commit.frontier_us is not None:
        moment = commit.frontier_us / 1e6
        gauge("frontier_timestamp_seconds", "end of the last night: the lake holds what was logged before").set(moment)
        gauge("lag_seconds", "how long before the end of the compaction that was").set(finished - moment)
    gauge("finished_timestamp_seconds", "when the last compaction ended").set(finished)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_to_textfile(path, registry)
    except OSError as error:
        raise ConfigError(f"{path}: cannot write the metrics ({error.strerror}); the lake is written") from error

import json
import os

import pytest
from apache_beam.testing.test_pipeline import TestPipeline

from schemas.lake import Plan
from schemas.records import Source
from schemas.tables import FORMAT


@pytest.fixture
def pipeline():
    """A pipeline on the embedded engine; the default would look for another one to download."""
    return TestPipeline(runner="FnApiRunner")


@pytest.fixture
def counted():
    """Runs a pipeline; returns its counters by (namespace, name)."""

    def run(pipeline):
        result = pipeline.run()
        result.wait_until_finish()
        counters = result.metrics().query()["counters"]
        return {(one.key.metric.namespace, one.key.metric.name): one.committed for one in counters if one.committed}

    return run


@pytest.fixture
def plan(tmp_path):
    """A plan of two objects: threads a and b, a line of rubbish, a torn tail."""

    def line(thread, seq, event):
        stamp = 1_764_500_000_000 + seq
        return json.dumps({"threadId": thread, "runId": "r", "seq": seq, "ts": stamp, "event": event}) + "\n"

    start = {"type": "RUN_STARTED", "threadId": "a", "runId": "r"}
    first = [line("a", 0, start), "rubbish\n", line("b", 0, start | {"threadId": "b"}), '{"threadId": "a", "ru']
    second = [line("a", 1, {"type": "RUN_FINISHED", "threadId": "a", "runId": "r"})]
    sources = []
    for index, lines in enumerate((first, second)):
        path = tmp_path / f"part-{index}.ndjson"
        path.write_text("".join(lines))
        os.utime(path, (1_764_600_000, 1_764_600_000))
        sources.append(Source(str(path), index, path.stat().st_size, 1_764_600_000_000_000))
    return Plan("n", FORMAT, 1, sources, "drop", "off", "0")

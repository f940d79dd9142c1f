import json

import pytest

from pipelines.cli import main


@pytest.fixture
def threadlake(capsys):
    """Runs a command line; returns exit code, stdout and stderr."""

    def call(*words):
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:
            status = end.code
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def envelopes(tmp_path):
    """Writes a log of envelopes, seq per thread; returns its path."""

    def write(name, events, **around):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for seq, (run, event) in enumerate(events):
            stamp = {"seq": seq, "ts": 1_764_500_000_000 + seq * 1000}
            lines.append(json.dumps({"threadId": "t", "runId": run, **stamp, **around, "event": event}))
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return write

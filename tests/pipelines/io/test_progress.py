import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from pipelines.io import progress
from pipelines.io.progress import advance, bar, shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("done", "total", "seconds", "text"),
    [
        (0, 100, 3.0, "reading  [........................]  0 %  "),
        (25, 100, 30.0, "reading  [######..................]  25 %  1:30 left"),
        (100, 100, 61.0, "compacting  [########################]  1:01"),
        (150, 100, 5.0, "compacting  [########################]  0:05"),
        (0, 0, 5.0, "compacting  [########################]  0:05"),
    ],
)
def test_the_bar_says_how_much_is_left(done, total, seconds, text):
    assert bar(done, total, "reading", seconds) == text


def test_a_terminal_sees_the_bar_and_is_left_clean(monkeypatch):
    monkeypatch.setattr(progress, "_INTERVAL_SECONDS", 0.01)
    out = Terminal()
    with shown(200, "reading", out):
        advance(50)
        deadline = time.monotonic() + 5
        while "25 %" not in out.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert re.search(r"\r\x1b\[Kreading  \[######\.+\]  25 %  \d:\d\d left", out.getvalue())
    assert out.getvalue().endswith("\r\x1b[K")


def test_the_terminal_is_left_clean_by_a_failure_too():
    out = Terminal()
    with pytest.raises(KeyError), shown(200, "reading", out):
        raise KeyError
    assert out.getvalue().endswith("\r\x1b[K")


def test_a_file_gets_no_bar():
    out = io.StringIO()
    with shown(1, "reading", out):
        advance(1)
    assert out.getvalue() == ""


def test_each_bar_begins_at_nothing():
    with shown(1, "reading"):
        advance(7)
    with shown(1, "reading"):
        assert progress._done == 0


def test_a_compaction_shows_its_bar_on_a_terminal_and_json_alone_on_stdout(tmp_path):
    line = b'{"threadId":"t","runId":"r","event":{"type":"CUSTOM","name":"n","value":1}}\n'
    (tmp_path / "log").write_bytes(line * 40_000)
    code = (
        "import sys; import pipelines.io.progress as p; p._INTERVAL_SECONDS = 0.005\n"
        "from pipelines.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["compact", str(tmp_path / "log"), "--lake", str(tmp_path / "lake"), "--json"]
    parent, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": "."}
    command = [sys.executable, "-c", code, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=child, env=environment) as running:
        os.close(child)
        drawn = _read_all(parent)
        assert running.stdout is not None
        assert json.loads(running.stdout.read())["records"] == 40_000
    os.close(parent)
    assert running.returncode == 0
    assert re.search(rb"reading  \[#+\.+\]  [0-9]+ %  [0-9]:[0-9]{2} left", drawn)
    assert b"compacting  [########################]" in drawn
    assert drawn.endswith(b"\r\x1b[K")


def _read_all(handle):
    drawn = b""
    while select.select([handle], [], [], 10)[0]:
        try:
            drawn += os.read(handle, 4096)
        except OSError:  # Linux says so where the other end is closed
            break
    return drawn

"""The command starts quickly: what a subcommand needs is imported when that subcommand runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"apache_beam", "duckdb", "fsspec", "numpy", "pyarrow", "s3fs", "torch"}


def imported_by(*arguments: str) -> set[str]:
    """The top-level modules that a Python process imports, its standard library's too."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {row.partition(".")[0] for row in rows}


def test_help_imports_no_engine():
    assert not imported_by("-m", "pipelines", "--help") & HEAVY


@pytest.mark.parametrize("floor", ["schemas", "transforms", "pipelines"])
def test_client_imports_no_floor(floor):
    assert floor not in imported_by("-c", "import threadlake")


def test_client_imports_the_standard_library_only():
    assert imported_by("-c", "import threadlake") <= sys.stdlib_module_names | {"threadlake"} | imported_by(
        "-c", "pass"
    )


def test_probe_sees_an_import():
    assert "json" in imported_by("-c", "import json.decoder")

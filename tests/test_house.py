"""The house rules of docs/architecture.md, read from the sources: nothing of the project is imported here."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "threadlake": {"threadlake"},
    "schemas": {"schemas", "threadlake"},
    "transforms": {"transforms", "schemas", "threadlake"},
    "pipelines": {"pipelines", "transforms", "schemas", "threadlake"},
}
"""A package, and the packages of the house that it may import."""

BEAM_HOMES = (
    "pipelines/stages/",
    "pipelines/options.py",
    "pipelines/compact.py",
    "pipelines/index.py",
    "pipelines/stream.py",
)
ADAPTERS: dict[str, tuple[str, ...]] = {
    "chdb": (),
    "clickhouse_connect": (),
    "presidio_analyzer": (),
    "qdrant_client": (),
    "qdrant_edge": (),
    "sentence_transformers": (),
    "spacy": (),
    "torch": (),
    "transformers": (),
}
"""An optional engine, and the files that may import it as they are imported; elsewhere only inside a function."""

FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "data", "process"}
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50
SOURCES = sorted(path for package in FLOORS for path in (ROOT / package).rglob("*.py"))
ALL_PYTHON = SOURCES + sorted(path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))

# Character classes keep these patterns from matching themselves.
REGISTRY = re.compile(r"p[y]pi\.org|p[y]thonhosted\.org|registry\.n[p]mjs|deb\.d[e]bian\.org|--(?:extra-)?i[n]dex-url")
MACHINE_PATH = re.compile(r"(?<![\w.\-])/(?:w[o]rk|r[o]ot|U[s]ers|home/[^/\s]+)/")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            yield node.module or ""


def modules_at_import(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported as the file is: not inside a function, not for the type checker alone."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from imported_modules(node)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending.extend(node.orelse)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))


def top(module: str) -> str:
    return module.partition(".")[0]


def test_imports_point_down_only():
    wrong = [
        f"{relative(path)} imports {module}"
        for path in SOURCES
        for module in imported_modules(parse(path))
        if top(module) in FLOORS and top(module) not in FLOORS[path.relative_to(ROOT).parts[0]]
    ]
    assert not wrong


def test_beam_is_imported_by_stages_options_and_jobs_only():
    wrong = [
        relative(path)
        for path in SOURCES
        if not relative(path).startswith(BEAM_HOMES) and "apache_beam" in map(top, imported_modules(parse(path)))
    ]
    assert not wrong


def test_optional_engines_are_imported_by_their_adapter_only():
    wrong = [
        f"{relative(path)} imports {module}"
        for path in SOURCES
        for module in modules_at_import(parse(path))
        if top(module) in ADAPTERS and relative(path) not in ADAPTERS[top(module)]
    ]
    assert not wrong


def test_no_file_is_long():
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in ALL_PYTHON}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES}


def test_every_function_fits_on_a_screen():
    lengths = {
        f"{relative(path)}:{node.name}": node.end_lineno - node.lineno + 1
        for path in ALL_PYTHON
        for node in ast.walk(parse(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES}


def test_every_name_says_what_is_inside():
    wrong = [name for path in ALL_PYTHON for name in [relative(path)] if FORBIDDEN_NAMES & set(name[:-3].split("/"))]
    assert not wrong


def test_every_module_says_what_it_is_for():
    assert not [relative(path) for path in SOURCES if not ast.get_docstring(parse(path))]


@pytest.mark.parametrize("package", FLOORS)
def test_every_package_is_typed(package):
    assert (ROOT / package / "py.typed").is_file()


def test_every_package_folder_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {relative(path.parent).replace("/", ".") for path in SOURCES}
    assert set(settings["packages"]) == folders


def test_every_package_folder_has_an_init():
    assert not {relative(path.parent) for path in SOURCES if not (path.parent / "__init__.py").is_file()}


def test_every_sql_file_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    shipped = {
        path
        for package, patterns in settings["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    assert not {relative(path) for package in FLOORS for path in (ROOT / package).rglob("*.sql") if path not in shipped}


def test_tracked_files_name_no_registry_and_no_machine():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    wrong = []
    for name in filter(None, listing.stdout.split("\0")):
        path = ROOT / name
        text = path.read_text(encoding="utf-8", errors="ignore") if path.is_file() else ""
        found = REGISTRY.search(text) or MACHINE_PATH.search(text)
        if found or f"{ROOT}/" in text:
            wrong.append(f"{name}: {found.group() if found else ROOT}")
    assert not wrong


def test_constraints_pin_every_version_and_nothing_else():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins == sorted(pins, key=str.lower)
    assert not [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", pin)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch", ["torch"]),
        ("def f():\n    import torch", []),
        ("class C:\n    import torch", ["torch"]),
        ("try:\n    import torch\nexcept ImportError:\n    pass", ["torch"]),
        ("if TYPE_CHECKING:\n    import torch", []),
        ("from torch.nn import Linear", ["torch.nn"]),
    ],
)
def test_imports_are_told_by_when_they_happen(source, expected):
    assert list(modules_at_import(ast.parse(source))) == expected


def test_patterns_find_what_they_are_for():
    assert REGISTRY.search("https://" + "pypi" + ".org/simple")
    assert MACHINE_PATH.search("see " + "/ro" + "ot/x")
    assert not MACHINE_PATH.search("bucket/wo" + "rk/x")

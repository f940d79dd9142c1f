"""Input: what a person typed becomes the raw objects to read, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from pipelines.io.globs import glob_test, has_magic, split_glob
from pipelines.io.listing import Days, Found, find_below, find_file, is_folder
from pipelines.io.places import explained, filesystem, full_path, is_url
from schemas.errors import InputError
from schemas.records import Source
from transforms.decode.order import natural_key

LAKE_MARK = "_lake.json"
_SIDECARS = ("-wal", "-shm", "-journal")


class _Below(NamedTuple):
    """A file below a searched folder, and how many leading parts of its relative path were asked for by name."""

    path: str
    asked: int
    found: Found


def expand(inputs: Sequence[str], days: Days | None = None) -> list[Source]:
    """Return the raw objects that the inputs name, each once, in the natural order of their keys.

    An input is a file, a folder (searched down), a glob (``**`` too) or a URL of these; a name that exists is taken as
    it is, whatever wildcards it holds. A local key is an absolute path. In a folder, names that begin with ``.`` or
    ``_``, temporaries, a sqlite file's ``-wal`` and its like, and lakes are passed over.

    Args:
        days: folders of other dates are passed over too, and then there may be nothing left.

    Raises:
        InputError: an input is missing, holds nothing, or cannot be read.
    """
    found: dict[object, Found] = {}
    for place in inputs:
        for file in _expand_one(place, days or Days()):
            found.setdefault(file.identity, file)
    ordered = sorted(found.values(), key=lambda file: (natural_key(file.uri), file.uri))
    return [Source(file.uri, index, file.size, file.modified_us, etag=file.etag) for index, file in enumerate(ordered)]


def open_input(uri: str) -> BinaryIO:
    """Open a raw object for reading, its bytes as they are stored."""
    with explained(uri, InputError):
        if not is_url(uri):
            return Path(full_path(uri)).open("rb")
        fs, key = filesystem(uri)
        return cast("BinaryIO", fs.open(key, "rb"))


def _expand_one(place: str, days: Days) -> list[Found]:
    if not place:
        raise InputError("an input is empty; give a file, a folder, a glob or a URL")
    root = full_path(place)
    with explained(place, InputError):
        file = find_file(root)
        if file:
            return [_readable_name(file)]
        below = find_below(root, days)
    if below is not None:
        return _checked(place, [_Below(path, 0, found) for path, found in below], days)
    if not has_magic(root):
        raise InputError(f"{place}: no such file, folder or prefix; check the path")
    return _checked(place, _matches(place, root, days), days)


def _matches(place: str, pattern: str, days: Days) -> list[_Below]:
    folder, parts = split_glob(pattern, is_folder)
    test = glob_test(parts)
    with explained(place, InputError):
        below = find_below(folder or "/", days) or []
    matches = [_Below(path, test(path), found) for path, found in below]
    return [match for match in matches if match.asked]


def _checked(place: str, below: list[_Below], days: Days) -> list[Found]:
    """Return the files that are logs; none at all is an error, since a typing error looks like that."""
    lakes = [file.path.removesuffix(LAKE_MARK) for file in below if _is_lake_mark(file.path)]
    if "" in lakes:
        raise InputError(f"{place}: is a lake; give the folder of the raw logs")
    paths = {file.path for file in below}
    kept = [
        _readable_name(file.found)
        for file in below
        if not (_is_passed_over(file) or _is_sidecar(file.path, paths) or file.path.startswith(tuple(lakes)))
    ]
    if not kept and not days.passed:
        raise InputError(f"{place}: no file to read there; check the path or the pattern")
    return kept


def _is_lake_mark(path: str) -> bool:
    return path == LAKE_MARK or path.endswith("/" + LAKE_MARK)


def _is_passed_over(file: _Below) -> bool:
    return file.path.endswith(".tmp") or _any_hidden(file.path.split("/")[file.asked :])


def _any_hidden(names: Iterable[str]) -> bool:
    return any(name.startswith((".", "_")) for name in names)


def _is_sidecar(path: str, paths: set[str]) -> bool:
    return any(path.endswith(end) and path.removesuffix(end) in paths for end in _SIDECARS)


def _readable_name(file: Found) -> Found:
    """Return the file unless its name is no text: the plan could not list it."""
    try:
        file.uri.encode()
    except UnicodeEncodeError as error:
        shown = file.uri.encode("utf-8", "backslashreplace").decode()
        raise InputError(f"{shown}: the name is not UTF-8; rename the file") from error
    return file

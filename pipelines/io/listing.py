"""Listings: a folder or a prefix becomes the files below it, with size, time and identity."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.io.places import filesystem, is_url
from transforms.decode.pathdate import path_date

_MICROSECONDS = 1_000_000
_TIME_KEYS = ("LastModified", "last_modified", "mtime", "updated", "created")


class Found(NamedTuple):
    """A file that was found.

    Args:
        uri: absolute path or URL.
        modified_us: UTC, microseconds since 1970; 0 if unknown.
        identity: equal for two names of one file: device and inode, or the URL.
        etag: the store's tag of the content; empty on a disk.
    """

    uri: str
    size: int
    modified_us: int
    identity: object
    etag: str = ""


class Days:
    """The dates that are asked for, ``YYYY-MM-DD``; all where none are given.

    Attributes:
        passed: how many folders of other dates were met.
    """

    def __init__(self, first: str = "", last: str = "") -> None:
        self.first, self.last, self.passed = first, last, 0

    def passes_over(self, folder: str) -> bool:
        """Tell whether a folder is of another date."""
        date = path_date(f"{folder}/") if self.first else None
        is_other = date is not None and not self.first <= date <= self.last
        self.passed += is_other
        return is_other


def find_file(root: str) -> Found | None:
    """Return the file of exactly this name, None where it is a folder or nothing."""
    if is_url(root):
        fs, key = filesystem(root)
        try:
            info = fs.info(key)  # isfile() takes every failure for a no
        except (FileNotFoundError, PermissionError):  # S3 says 403 of a missing key where it may not be listed
            return None
        return _remote(fs, info) if info["type"] == "file" else None
    file = Path(root)
    return _local(root, file.stat()) if file.is_file() else None


def is_folder(root: str) -> bool:
    """Return whether there is a folder, or anything below a prefix, of exactly this name."""
    if not is_url(root):
        return Path(root).is_dir()
    fs, key = filesystem(root)
    return bool(fs.isdir(key))


def find_below(root: str, days: Days | None = None) -> list[tuple[str, Found]] | None:
    """Return (path relative to the root, file) for all below it, in no order; None where there is no such folder.

    Args:
        days: folders of other dates are passed over: on a disk wherever they are, in a store right below the root.

    Raises:
        OSError: a folder on the way cannot be listed. A part of a log is never passed over in silence.
    """
    days = days or Days()
    if not is_url(root):
        return list(_walk(root, "", set(), days)) if Path(root).is_dir() else None
    fs, key = filesystem(root)
    key = key.rstrip("/")
    found = _find(fs, key, days)
    found.pop(key, None)
    if not found and not days.passed:
        return None
    return [(name.removeprefix(key).lstrip("/"), _remote(fs, info)) for name, info in found.items()]


def _find(fs: Any, key: str, days: Days) -> dict[str, dict[str, Any]]:
    """Return all objects below a key; where the folders right below are dates, those that are asked for alone."""
    if not days.first:
        everything: dict[str, dict[str, Any]] = fs.find(key, detail=True)
        return everything
    try:
        entries: list[dict[str, Any]] = fs.ls(key, detail=True)
    except FileNotFoundError:
        return {}
    folders = [entry["name"].rstrip("/") for entry in entries if entry["type"] == "directory"]
    if not any(path_date(f"{folder}/") for folder in folders):
        return _find(fs, key, Days())
    found = {entry["name"]: entry for entry in entries if entry["type"] != "directory"}
    for folder in folders:
        if not days.passes_over(folder):
            found |= fs.find(folder, detail=True)
    return found


def _walk(folder: str, prefix: str, seen: set[tuple[int, int]], days: Days) -> Iterator[tuple[str, Found]]:
    """Yield the files below a folder; links are followed, a folder that was met before is not entered again."""
    status = Path(folder).stat()
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    with os.scandir(folder) as entries:
        for entry in entries:
            path = posixpath.join(prefix, entry.name)
            if entry.is_dir():
                if not days.passes_over(path):
                    yield from _walk(entry.path, path, seen, days)
            elif entry.is_file():
                yield path, _local(entry.path, entry.stat())


def _local(path: str, status: os.stat_result) -> Found:
    identity = (status.st_dev, status.st_ino)
    return Found(path, status.st_size, status.st_mtime_ns // 1000, identity)


def _remote(fs: Any, info: dict[str, Any]) -> Found:
    uri = str(fs.unstrip_protocol(info["name"]))
    etag = str(info.get("ETag") or info.get("etag") or "").strip('"')
    return Found(uri, int(info.get("size") or 0), _modified_us(info), uri, etag)


def _modified_us(info: dict[str, Any]) -> int:
    for key in _TIME_KEYS:
        value = info.get(key)
        if isinstance(value, datetime):
            return int(value.timestamp()) * _MICROSECONDS + value.microsecond
        if isinstance(value, int | float):
            return int(value * _MICROSECONDS)
    return 0

"""A path pattern and an object's key become the fields that the path tells: tenant, agent, user, thread, run, date.

A pattern is compared folder by folder with the end of the key, and never goes back: a field takes as little as the text
after it allows, so the cost is linear in the key whatever the pattern.

::

    {tenant_id}/{agent_id}/…/{thread_id}.jsonl
    acme       /support   /2026/12/t-1  .jsonl.gz
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import msgspec

from schemas.errors import ConfigError
from transforms.decode.pathparts import DATE_PARTS, Part, compile_part, join_date, match_part
from transforms.jsontext import is_text

MAX_PATTERN_CHARS: Final = 1_000
_MAX_FOLDERS: Final = 64
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_COMPRESSED: Final = (".gz", ".gzip", ".zst", ".zstd")
_ANY_FOLDERS: Final = frozenset({"…", "...", "**"})

_Group: TypeAlias = tuple[Part, ...]
"""Folders of a pattern that follow each other; groups have any folders between them."""


class Pattern(msgspec.Struct, frozen=True):
    """A compiled path pattern.

    Args:
        text: as it was given.
        ways: its groups, once with a date as one folder and once as three.
        is_from_start: nothing but the beginning of a key tells where the first group is: it has no text of its own.
    """

    text: str
    ways: tuple[tuple[_Group, ...], ...]
    is_from_start: bool

    def fields(self, uri: str, below: str = "") -> dict[str, str]:
        """Return the fields of a key; empty where it does not match.

        Args:
            uri: a path or a URL. The compression's suffix may be missing in the pattern.
            below: the folder that the key was found in. A pattern whose folders before the first ``…`` are all wild is
                compared from here, or else from the bucket or the root.
        """
        folders = _folders(uri.removeprefix(below) if below else uri)
        for way in self.ways:
            for key in _spellings(folders):
                found = _match(way, key, is_from_start=self.is_from_start)
                if found is not None:
                    return found
        return {}


def compile_pattern(text: str) -> Pattern:
    """Return a pattern: ``{field}``, ``*`` (any text in a folder), ``…`` or ``**`` (any folders), and plain text.

    ``{date}`` is YYYY-MM-DD, dt=YYYY-MM-DD or, as a folder of its own, YYYY/MM/DD.

    Raises:
        ConfigError: it is too long, has no field or one twice, or cannot be told apart.

    >>> compile_pattern("{tenant_id}/*/{thread_id}.jsonl").fields("s3://logs/acme/x/t-1.jsonl.gz")
    {'tenant_id': 'acme', 'thread_id': 't-1'}
    """
    folders = [folder for folder in text.split("/") if folder]
    if not text or len(text) > MAX_PATTERN_CHARS or len(folders) > _MAX_FOLDERS:
        raise ConfigError(f"a path pattern has 1 to {MAX_PATTERN_CHARS} characters and up to {_MAX_FOLDERS} folders")
    ways = [_groups(folders, text)]
    if "{date}" in folders:
        at = folders.index("{date}")
        ways.append(_groups([*folders[:at], *(f"{{{name}}}" for name in DATE_PARTS), *folders[at + 1 :]], text))
    names = [wild.name for group in ways[0] for part in group for wild in part.wilds if wild.name is not None]
    if not names or len(names) != len(set(names)) or set(names) & set(DATE_PARTS):
        raise ConfigError(f"path pattern {text!r}: it needs a field, and each at most once; a date is {{date}}")
    is_from_start = len(ways[0]) > 1 and bool(ways[0][0]) and not any("".join(part.texts) for part in ways[0][0])
    return Pattern(text, tuple(ways), is_from_start)


def _groups(folders: list[str], text: str) -> tuple[_Group, ...]:
    groups: list[list[Part]] = [[]]
    for folder in folders:
        if folder in _ANY_FOLDERS:
            groups.append([])
        else:
            groups[-1].append(compile_part(folder, text))
    return tuple(map(tuple, groups))


def _folders(uri: str) -> list[str]:
    scheme = _SCHEME.match(uri)
    folders = [folder for folder in uri[scheme.end() if scheme else 0 :].split("/") if folder]
    return folders[1:] if scheme and not scheme.group().startswith("file:") else folders


def _spellings(folders: list[str]) -> list[list[str]]:
    last = folders[-1] if folders else ""
    stem, dot, suffix = last.rpartition(".")
    return [folders, [*folders[:-1], stem]] if stem and dot + suffix in _COMPRESSED else [folders]


def _match(groups: tuple[_Group, ...], folders: list[str], *, is_from_start: bool) -> dict[str, str] | None:
    """Match the last group at the end, the first one at the beginning if it must, those between as soon as they do."""
    end = len(folders) - len(groups[-1])
    at = 0
    found: dict[str, str] = {}
    for index, group in enumerate(groups[:-1]):
        is_fixed = index == 0 and is_from_start
        here = next(
            (
                (start, fields)
                for start in range(at, at + 1 if is_fixed else end - len(group) + 1)
                if start + len(group) <= end and (fields := _match_group(group, folders, start)) is not None
            ),
            None,
        )
        if here is None:
            return None
        at = here[0] + len(group)
        found.update(here[1])
    last = _match_group(groups[-1], folders, end) if end >= at else None
    return None if last is None else join_date({**found, **last})


def _match_group(group: _Group, folders: list[str], start: int) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for part, folder in zip(group, folders[start : start + len(group)], strict=True):
        fields = match_part(part, folder)
        if fields is None:
            return None
        found.update(fields)
    return found if all(map(is_text, found.values())) else None

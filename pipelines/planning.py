"""Planning: what a person asked for becomes a frozen plan, checked against its lake, before anything is written."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec

from pipelines.io.files import expand
from pipelines.io.globs import glob_test, has_magic, split_glob
from pipelines.io.lake import MARK, Lake
from pipelines.io.ledger import sort_objects
from pipelines.io.listing import Days, is_folder
from pipelines.io.places import explained, full_path, is_url
from pipelines.io.store import Store
from schemas.errors import ConfigError, InputError, LakeError
from schemas.lake import MAX_BUCKET_BITS, Plan
from schemas.records import Source
from schemas.tables import FORMAT
from threadlake import __version__
from transforms.decode.pattern import Pattern, compile_pattern
from transforms.segments.rawpolicy import RawChoice

_FILE_BYTES: Final = 128 << 20
"""Size of the largest file that a bucket should have."""

_FEW_BYTES: Final = 256 << 20
_MANY_BYTES: Final = 4 << 30
"""Raw bytes that one bucket holds at least and at most: the rest of them bound what a worker keeps."""

LOOKBACK_DAYS: Final = 14
"""Days before its date from which a night still takes objects."""

_PACKED_ENDINGS: Final = (".gz", ".gzip", ".zst", ".zstd")
_PACKED_RATIO: Final = 10
_RATIO: Final = 20.0
_NIGHT_DIGITS: Final = 16


class CompactRequest(msgspec.Struct, frozen=True):
    """What ``threadlake compact`` and ``threadlake plan`` were asked for.

    Args:
        lake: absolute path or URL, so that it is the same place for a worker in another folder.
        bucket_bits: None to choose by the size of the inputs.
        lookback_days: days before its date from which a night takes objects.
        allow_gap: a night may follow one that is missing or failed.
    """

    inputs: tuple[str, ...]
    lake: str
    path_pattern: str | None = None
    raw_policy: str = RawChoice.DROP
    ruleset_id: str = "off"
    bucket_bits: int | None = None
    lookback_days: int = LOOKBACK_DAYS
    allow_gap: bool = False


def request_of(args: argparse.Namespace) -> CompactRequest:
    """Return the request that parsed arguments make.

    Raises:
        ConfigError: the lake's place is empty.
    """
    if not args.lake:
        raise ConfigError("--lake is empty; give a folder or a URL")
    place = full_path(args.lake)
    return CompactRequest(
        tuple(args.inputs),
        place,
        args.path_pattern,
        RawChoice(args.raw),
        args.redact,
        args.bucket_bits,
        args.lookback,
        args.allow_gap,
    )


def find_sources(request: CompactRequest, days: Days | None = None) -> list[Source]:
    """Return the raw objects that the inputs name, with what their paths tell, in natural order.

    Args:
        days: folders of other dates need not be listed, unless the pattern says what a date is.

    Raises:
        ConfigError: an input is missing or would take in the lake, or the path pattern is none.
    """
    pattern = None if request.path_pattern is None else compile_pattern(request.path_pattern)
    sources = expand(request.inputs, None if pattern is not None and "{date}" in pattern.text else days)
    _check_apart(request, sources)
    return sources if pattern is None else _with_fields(sources, pattern, request.inputs)


def make_plan(request: CompactRequest) -> Plan:
    """Return what an undated compaction of these inputs reads and how; the same request gives the same plan.

    Raises:
        ConfigError: an input is missing or would take in the lake, or the path pattern is none.
    """
    sources = sort_objects(Store(request.lake), [], find_sources(request), {}).fresh
    bits = request.bucket_bits if request.bucket_bits is not None else bucket_bits(sources)
    draft = Plan("", FORMAT, bits, sources, request.raw_policy, request.ruleset_id, __version__)
    digest = hashlib.sha256(msgspec.json.encode(draft)).hexdigest()[:_NIGHT_DIGITS]
    return msgspec.structs.replace(draft, night=digest)


def bucket_bits(sources: list[Source], ratio: float = _RATIO) -> int:
    """Return how many bits a bucket's number has, so that files come near `_FILE_BYTES`.

    Args:
        ratio: raw bytes to a byte of the largest table.
    """
    size = sum(
        (source.size - source.known_bytes) * (_PACKED_RATIO if source.uri.endswith(_PACKED_ENDINGS) else 1)
        for source in sources
    )
    a_bucket = min(_MANY_BYTES, max(_FEW_BYTES, int(_FILE_BYTES * ratio)))
    return min(MAX_BUCKET_BITS, (max(1, -(-size // a_bucket)) - 1).bit_length())


def is_written(place: str, plan: Plan) -> bool:
    """Return whether the lake holds this very compaction; a place without a lake holds none. Writes nothing.

    Raises:
        LakeError: it is of a newer format, or holds the compaction of other inputs, whose threads would meet twice.
    """
    if not Store(place).exists(MARK):
        return False
    lake = Lake.open(place)
    nights = lake.nights()
    others = [night for night in nights if night != plan.night and not night.startswith(f"{plan.night}-rebuild-")]
    if others:
        raise LakeError(
            f"{place}: holds the compaction {others[0]} of other inputs or options; "
            "give a new --lake and all inputs at once, or --date for what came since"
        )
    return bool(nights)


def _check_apart(request: CompactRequest, sources: list[Source]) -> None:
    """Refuse a lake that an input would take in: what is written would be read as a log the next time."""
    lake = request.lake
    swallowing = [place for place in request.inputs if _takes_in(place, lake)]
    if swallowing or any(source.uri.startswith(f"{lake}/") for source in sources):
        named = swallowing[0] if swallowing else request.inputs[0]
        raise InputError(f"{named}: the lake {lake} lies inside of this input; give a --lake outside of it")


def _takes_in(place: str, lake: str) -> bool:
    root = full_path(place)
    with explained(place, InputError):
        if lake == root or lake.startswith(f"{root}/"):
            return is_folder(root)
        folder, parts = split_glob(root, is_folder)
    inside = lake.removeprefix(f"{folder}/")
    return bool(parts) and inside != lake and glob_test(parts)(inside) > 0


def _with_fields(sources: list[Source], pattern: Pattern, inputs: Sequence[str]) -> list[Source]:
    """Return the sources with what their paths tell.

    A pattern that can begin anywhere is compared from the folder that was searched, any other one from the end.
    """
    folders = [folder for folder in map(_folder_of, inputs) if folder] if pattern.is_from_start else []

    def below(uri: str) -> str:
        found = next((folder for folder in folders if uri.startswith(f"{folder}/")), "")
        if not found and pattern.is_from_start and not is_url(uri):
            raise InputError(
                f"{uri}: path pattern {pattern.text!r} begins at the searched folder; give that folder, "
                "or put the glob into quotes, instead of naming each file"
            )
        return found

    return [msgspec.structs.replace(one, fields=pattern.fields(one.uri, below(one.uri))) for one in sources]


def _folder_of(place: str) -> str:
    """Return the folder that an input was searched from; empty for a single file, which no folder was named for."""
    root = full_path(place)
    with explained(place, InputError):
        if is_folder(root):
            return root
        return split_glob(root, is_folder)[0] if has_magic(root) else ""

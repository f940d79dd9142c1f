"""`threadlake sample`: a seed becomes a raw AG-UI log in a folder or a bucket."""

from __future__ import annotations

import argparse
import gzip
import json
import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from schemas.errors import ConfigError

if TYPE_CHECKING:
    from pipelines.io.store import Store
    from transforms.sample.flush import SampleObject

SUFFIXES: Final = {"none": "", "gzip": ".gz", "zstd": ".zst"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("--threads", type=int, default=100, metavar="N", help="how many conversations (default: 100)")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder or URL that the log is written to")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="same seed, same bytes (default: 0)")
    parser.add_argument(
        "--raw-share",
        type=float,
        default=0.02,
        metavar="F",
        help="share of the runs with vendor events (default: 0.02)",
    )
    parser.add_argument(
        "--hot-runs",
        type=int,
        default=0,
        metavar="N",
        help="add thread-hot, one conversation of N runs (default: none)",
    )
    parser.add_argument(
        "--compress", choices=SUFFIXES, default="none", help="how each object is stored (default: none)"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON document")


def run(args: argparse.Namespace) -> int:
    """Write the log, print what was written, and return the exit code.

    Raises:
        ConfigError: the place holds files that this sample would not write, or cannot be written.
    """
    from pipelines.io.store import Store

    store = Store(args.out, ConfigError)
    compress = _compressor(args.compress)
    existing = frozenset(store.list())
    if existing:
        _check_same(store, existing, _stored(args, compress))
    summary = dict.fromkeys(("objects", "threads", "runs", "events", "duplicates", "bytes"), 0)
    for name, payload, made in _stored(args, compress):
        if name not in existing:
            store.write(name, payload)
        for key in ("threads", "runs", "events", "duplicates"):
            summary[key] += getattr(made, key)
        summary["objects"] += 1
        summary["bytes"] += len(payload)
    print(_as_json(args, summary) if args.json else _as_text(args, summary))
    return 0


def _stored(args: argparse.Namespace, compress: Callable[[bytes], bytes]) -> Iterator[tuple[str, bytes, SampleObject]]:
    from transforms.sample.log import sample_log

    for made in sample_log(args.threads, args.seed, raw_share=args.raw_share, hot_runs=args.hot_runs):
        yield made.name + SUFFIXES[args.compress], compress(made.data), made


def _check_same(store: Store, existing: frozenset[str], stored: Iterator[tuple[str, bytes, SampleObject]]) -> None:
    """Refuse a place where any file is not, byte for byte, one of this sample; what a broken-off run left is."""
    strange = set(existing)
    for name, payload, _ in stored:
        if name in existing and store.read(name) == payload:
            strange.discard(name)
    if strange:
        raise ConfigError(
            f"{store.place} holds {len(strange)} file(s) that this sample would not write, such as {min(strange)}; "
            "choose an empty folder, or the threads, seed and options that it was written with"
        )


def _compressor(method: str) -> Callable[[bytes], bytes]:
    if method == "gzip":
        return lambda payload: gzip.compress(payload, mtime=0)
    if method == "zstd":
        import zstandard

        return zstandard.ZstdCompressor(level=3).compress
    return bytes


def _as_json(args: argparse.Namespace, summary: dict[str, int]) -> str:
    return json.dumps({"out": args.out, "seed": args.seed, **summary})


def _as_text(args: argparse.Namespace, summary: dict[str, int]) -> str:
    size = f"{summary['bytes'] / 1e6:,.1f} MB"
    return (
        f"{args.out}: {summary['objects']:,} objects, {size}\n"
        f"{summary['threads']:,} threads, {summary['runs']:,} runs, {summary['events']:,} events "
        f"({summary['duplicates']:,} of them delivered again)\n"
        f"next: threadlake compact {shlex.quote(args.out)} --lake lake"
    )

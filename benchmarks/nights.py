"""The cost of a night beside how many nights the lake holds: time, and what is read of the lake.

    python benchmarks/nights.py 1 30 300

Every lake gets the same last night, of threads that begin and threads that go on from the night before. The nights
before it are as large, and their raw logs lie in the same folder. The last night runs several times, each time on the
same lake, the lakes in alternation.
"""

from __future__ import annotations

import functools
import io
import json
import shutil
import statistics
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, BinaryIO, Self

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipelines.cli import main as threadlake
from pipelines.io.disk import Disk
from tests.nightly import DAY_MS, date
from tests.threads import MOMENT_MS, compacted, lines_of, random_log

THREADS_A_NIGHT = 400
ROUNDS = 11


class Counted:
    """Counts what is read of files while the body runs."""

    def __init__(self) -> None:
        self.objects = self.bytes = 0
        self._read, self._open = Disk.read, Disk.open

    def __enter__(self) -> Self:
        counted = self

        def read(disk: Disk, path: str) -> bytes:
            payload = counted._read(disk, path)
            counted.objects += 1
            counted.bytes += len(payload)
            return payload

        def open_counted(disk: Disk, path: str, size: int | None = None) -> BinaryIO:
            counted.objects += 1
            return _Counting(counted._open(disk, path, size), counted)  # type: ignore[return-value]  # a raw stream is enough

        Disk.read, Disk.open = read, open_counted  # type: ignore[method-assign]  # for the body
        return self

    def __exit__(self, *_: object) -> None:
        Disk.read, Disk.open = self._read, self._open  # type: ignore[method-assign]  # as before


class _Counting(io.RawIOBase):
    def __init__(self, stream: BinaryIO, counted: Counted) -> None:
        super().__init__()
        self._stream, self._counted = stream, counted

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        payload = self._stream.read(len(buffer))
        buffer[: len(payload)] = payload
        self._counted.bytes += len(payload)
        return len(payload)

    def close(self) -> None:
        self._stream.close()
        super().close()


@functools.cache
def thread_lines(seed: int) -> list[bytes]:
    """The lines of a random thread all of whose runs end; of another one none, since open runs are read again."""
    lines = lines_of(random_log(seed, 0, f"t{seed}"), f"t{seed}")
    is_over = bool(lines) and all(rows.run.status != "abandoned" for rows in compacted(lines).runs)
    return lines if is_over else []


def lines_of_night(night: int) -> list[bytes]:
    """The lines of one night: of threads that begin, and of some that began the night before."""
    lines: list[bytes] = []
    for began in (night - 1, night):
        for seed in range(began * THREADS_A_NIGHT, (began + 1) * THREADS_A_NIGHT):
            goes_on = seed % 3 == 0
            whole = thread_lines(seed)
            half = len(whole) // 2 if goes_on else len(whole)
            for seq, line in enumerate(whole):
                if (seq >= half) == (began < night):
                    moved = b'"ts":%d' % (MOMENT_MS + seq + night * DAY_MS)
                    lines.append(line.replace(b'"ts":%d' % (MOMENT_MS + seq), moved, 1))
    return lines


def write_raw(folder: Path, night: int) -> None:
    """Write the objects of a night."""
    target = folder / "raw" / f"dt={date(night)}"
    target.mkdir(parents=True)
    lines = lines_of_night(night)
    for part in range(4):
        (target / f"part-{part}.ndjson").write_bytes(b"".join(line + b"\n" for line in lines[part::4]))


def compact(folder: Path, night: int) -> dict[str, Any]:
    """Carry out a night."""
    out = io.StringIO()
    words = ["compact", f"{folder}/raw", "--lake", f"{folder}/lake", "--date", date(night), "--json"]
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        if threadlake(words) not in (0, 1):
            raise AssertionError(f"night {night} failed")
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def build(folder: Path, nights: int, last: int) -> None:
    """Make a lake of so many nights, up to the one before `last`, and the raw log of `last`."""
    for night in range(last - nights, last):
        write_raw(folder, night)
        compact(folder, night)
    write_raw(folder, last)
    shutil.copytree(folder / "lake", folder / "kept")


def run_last(folder: Path, last: int) -> tuple[float, float, Counted]:
    """Run the last night on a lake as it was built; return seconds, CPU seconds and what was read of the lake."""
    shutil.rmtree(folder / "lake")
    shutil.copytree(folder / "kept", folder / "lake")
    with Counted() as counted:
        began, cpu = time.monotonic(), time.process_time()
        compact(folder, last)
        return time.monotonic() - began, time.process_time() - cpu, counted


def main(sizes: list[int]) -> None:
    """Print a row for each number of nights."""
    last = max(sizes) + 1
    with tempfile.TemporaryDirectory() as place:
        folders = {size: Path(place, str(size)) for size in sizes}
        for size, folder in folders.items():
            build(folder, size, last)
        found: dict[int, list[tuple[float, float, Counted]]] = {size: [] for size in sizes}
        for size in sizes:
            run_last(folders[size], last)
        for _ in range(ROUNDS):
            for size in sizes:
                found[size].append(run_last(folders[size], last))
    base = statistics.median(cpu for _, cpu, _ in found[sizes[0]])
    print("nights  seconds  CPU s  ratio  objects read  bytes read")
    for size, rounds in found.items():
        seconds, cpu = (statistics.median(one[index] for one in rounds) for index in (0, 1))
        counted = rounds[0][2]
        print(f"{size:6}  {seconds:7.3f}  {cpu:5.3f}  {cpu / base:5.2f}  {counted.objects:12}  {counted.bytes:10,}")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [1, 30])

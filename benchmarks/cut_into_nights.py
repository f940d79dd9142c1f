"""Cut random threads into nights, in their order and at random, and compare with the thread compacted at once.

python benchmarks/cut_into_nights.py 0:9000
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.laws import without_counters
from tests.nights import cut_at_random, cut_in_order, through_nights
from tests.threads import compacted, lines_of, random_log, through_arrow


def main(first: int, end: int) -> int:
    """Print, for both ways to cut, how many threads came out how; 1 where any is wrong."""
    found: Counter[str] = Counter()
    for seed in range(first, end):
        lines = lines_of(random_log(seed, seed % 4 / 30))
        if not lines:
            continue
        whole = through_arrow(list(map(without_counters, compacted(lines).runs)))
        for name, cut in (("in order", cut_in_order), ("at random", cut_at_random)):
            rng = Random(seed)  # noqa: S311 - no cryptography
            done = through_nights(cut(rng, lines, rng.randrange(2, 9)))
            rows = through_arrow([without_counters(done.rows[ordinal]) for ordinal in sorted(done.rows)])
            outcome = "late" if any(one.reason == "late" for one in done.letters) else "equal"
            if not done.is_balanced or (outcome == "equal" and rows != whole):
                outcome = "wrong"
                print(f"seed {seed} {name}: {'other rows' if done.is_balanced else 'books do not balance'}")
            found[f"{name}: {outcome}"] += 1
    for outcome, count in sorted(found.items()):
        print(f"{outcome} {count:,}")
    return int(any("wrong" in outcome for outcome in found))


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1].split(":"))))

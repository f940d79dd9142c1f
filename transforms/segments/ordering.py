"""Ordering: the segments of one thread become its items in order, each delivered once.

By seq where every record has one; else by object and position. Never by time. A redelivery (same run and seq, or same
event id, with equal content) is dropped and counted; with other content it is a conflict and the first is kept.

Joined deltas are taken apart only where their seqs overlap::

    a: 1 2 3        a joined item, delivered again in part by b
    b:   2 3 4      -> 1 2 3 of a, 4 of b; two duplicates
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import msgspec

from schemas.errors import DecodeError
from schemas.events import Json
from schemas.records import DeadLetter
from schemas.segments import SILENCE_US, Item, Segment
from transforms.decode.normalise import event_of, message_of
from transforms.sameness import same_json


class Placed(msgspec.Struct, gc=False):
    """An item and the segment that it came in; ``parts`` are those that were joined to it, where several were."""

    item: Item
    segment: Segment
    parts: tuple[Placed, ...] = ()


class Ordered(msgspec.Struct):
    """A thread's items in order, what was delivered twice (by run id, and each), and the conflicts."""

    items: list[Placed]
    duplicates: dict[str | None, int]
    conflicts: list[DeadLetter]
    again: list[Placed] = []


def order_items(segments: Iterable[Segment]) -> Ordered:
    """Return the items of all segments of one thread, which may come in any order."""
    placed = [Placed(item, segment) for segment in segments for item in segment.items]
    placed.sort(key=_position)
    result = Ordered([], {}, [], [])
    has_seq = [item.item.seq is not None for item in placed]
    if any(has_seq):
        placed = _settle_overlaps(placed, result, all_have_seq=all(has_seq))
    result.items = join_neighbours(_drop_repeated_ids(placed, result))
    return result


def _position(placed: Placed) -> tuple[bool, int, int]:
    """Return where an item lies; what an earlier night has read comes first, as it did then."""
    return not placed.segment.is_old, placed.segment.source, placed.item.offset


def _settle_overlaps(placed: list[Placed], result: Ordered, *, all_have_seq: bool) -> list[Placed]:
    """Return the items without redeliveries, in seq order where all have one."""
    by_seq = sorted((item for item in placed if item.item.seq is not None), key=_first_seq)
    if _is_strictly_rising(by_seq):
        return by_seq if all_have_seq else placed
    kept = _keep_first(_take_apart(by_seq), result)
    if not all_have_seq:
        return sorted([*kept, *(item for item in placed if item.item.seq is None)], key=_position)
    if _is_numbered_by_run(kept):
        return _order_by_run(kept)
    return sorted(kept, key=_first_seq)


def _first_seq(placed: Placed) -> int:
    return placed.item.seq or 0


def _is_strictly_rising(by_seq: list[Placed]) -> bool:
    return all(_first_seq(one) + one.item.count <= _first_seq(two) for one, two in pairwise(by_seq))


def _take_apart(by_seq: list[Placed]) -> list[Placed]:
    """Split every joined item whose seqs another item holds too."""
    pieces: list[Placed] = []
    reach = -1
    for index, placed in enumerate(by_seq):
        first, end = _first_seq(placed), _first_seq(placed) + placed.item.count
        following = _first_seq(by_seq[index + 1]) if index + 1 < len(by_seq) else end
        if placed.item.count > 1 and (first < reach or following < end):
            pieces.extend(split_item(placed))
        else:
            pieces.append(placed)
        reach = max(reach, end)
    return pieces


def split_item(placed: Placed) -> Iterable[Placed]:
    """Yield the deltas of a joined item, each on its own."""
    item, start, text = placed.item, 0, placed.item.text or ""
    for index, length in enumerate(item.cuts or [len(text)]):
        piece = Item(
            item.type,
            item.run_id,
            item.offset,
            item.size if index == 0 else 0,
            (item.seq or 0) + index,
            target=item.target,
            text=text[start : start + length],
            first_us=item.first_us if index == 0 else None,
            last_us=item.last_us if index == item.count - 1 else None,
            time_source=item.time_source,
            raw_events=item.raw_events if index == 0 else 0,
            raw_bytes=item.raw_bytes if index == 0 else 0,
            attachment=item.attachment if index == 0 else None,
        )
        start += length
        yield Placed(piece, placed.segment)


def _keep_first(pieces: list[Placed], result: Ordered) -> list[Placed]:
    kept: dict[tuple[str | None, int], Placed] = {}
    for placed in sorted(pieces, key=_position):
        key = (placed.item.run_id, _first_seq(placed))
        first = kept.setdefault(key, placed)
        if first is not placed:
            _count_again(first, placed, result)
    return list(kept.values())


def _count_again(first: Placed, again: Placed, result: Ordered) -> None:
    """Count a redelivery on the first; its bytes and times were delivered too."""
    if not _is_same(first, again):
        result.conflicts.append(_conflict(again))
        return
    item = again.item
    result.again.append(again)
    result.duplicates[item.run_id] = result.duplicates.get(item.run_id, 0) + item.count
    first.item.size += item.size
    if first.item.first_us is None:
        first.item.first_us = item.first_us
    if first.item.last_us is None:
        first.item.last_us = item.last_us


def _is_same(one: Placed, two: Placed) -> bool:
    a, b = one.item, two.item
    if (a.type, a.target, a.text, a.event is None) != (b.type, b.target, b.text, b.event is None):
        return False
    if a.event is None or b.event is None:
        return True
    ones, twos = _texts(one, a.event), _texts(two, b.event)
    if ones == twos:
        return True
    if len(ones) != len(twos) or (a.refs is None) != (b.refs is None):
        return False
    try:
        return same_json(_parsed(ones), _parsed(twos))
    except DecodeError:
        return False


def _texts(placed: Placed, event: bytes) -> list[bytes]:
    """Return the JSON of an event and of its messages."""
    return [event, *(placed.segment.messages[ref] for ref in placed.item.refs or ())]


def _parsed(texts: list[bytes]) -> list[Json]:
    return [event_of(texts[0])[0], *map(message_of, texts[1:])]


def dead_letter(placed: Placed, reason: str, detail: str) -> DeadLetter:
    """Return the dead letter of an item that the compaction cannot use."""
    item = placed.item
    return DeadLetter(
        uri=placed.segment.uri,
        offset=item.offset,
        size=item.size,
        reason=reason,
        detail=detail,
        stage="compact",
        thread_id=placed.segment.thread_id,
        run_id=item.run_id,
        tenant_id=placed.segment.owner.tenant_id,
    )


def _conflict(placed: Placed) -> DeadLetter:
    item = placed.item
    place = f"seq {item.seq}" if item.seq is not None else "event id"
    return dead_letter(placed, "seq_conflict", f"{place}, {_shown(item.type)}")


def _shown(event_type: str) -> str:
    """Return a type that is known, and not what a log put in its place."""
    return event_type if event_type.isidentifier() and event_type.isupper() else "an unknown type"


def _is_numbered_by_run(kept: list[Placed]) -> bool:
    """Tell whether two runs use one seq: then seq counts in the run, not in the thread."""
    seqs = {_first_seq(placed) for placed in kept}
    return len(seqs) < len(kept)


def _order_by_run(kept: list[Placed]) -> list[Placed]:
    rank: dict[str | None, int] = {}
    for placed in sorted(kept, key=_position):
        rank.setdefault(placed.item.run_id, len(rank))
    return sorted(kept, key=lambda placed: (rank[placed.item.run_id], _first_seq(placed)))


def join_neighbours(placed: list[Placed], *, is_sorted_out: bool = False) -> list[Placed]:
    """Join deltas that segments cut apart, so that how the log was cut does not show in what is counted.

    Args:
        is_sorted_out: all belong to one run; else what was read before and what is new stay apart.
    """
    joined: list[Placed] = []
    stretch: list[Placed] = []
    for one in placed:
        is_apart = stretch and not is_sorted_out and stretch[-1].segment.is_old != one.segment.is_old
        if stretch and (is_apart or not _follows(stretch[-1].item, one.item)):
            _close(stretch, joined)
            stretch = []
        if stretch or _is_joinable(one.item):
            stretch.append(one)
        if len(stretch) <= 1:
            joined.append(one)
    _close(stretch, joined)
    return joined


def _is_joinable(item: Item) -> bool:
    return item.text is not None and item.event_id is None


def _follows(one: Item, two: Item) -> bool:
    return (
        two.text is not None
        and two.seq == (None if one.seq is None else one.seq + one.count)
        and (two.type, two.target, two.run_id) == (one.type, one.target, one.run_id)
        and two.event_id is None
        and two.attachment is None
        and (one.last_us is None or two.first_us is None or two.first_us - one.last_us < SILENCE_US)
    )


def _close(stretch: list[Placed], joined: list[Placed]) -> None:
    """Put the join of a stretch in the place of its first item, which stands last in the list."""
    if len(stretch) <= 1:
        return
    items = [one.item for one in stretch]
    times = [item.last_us for item in items if item.last_us is not None]
    whole = msgspec.structs.replace(
        items[0],
        size=sum(item.size for item in items),
        count=sum(item.count for item in items),
        text="".join(item.text or "" for item in items),
        cuts=None,
        last_us=times[-1] if times else None,
        raw_events=sum(item.raw_events for item in items),
        raw_bytes=sum(item.raw_bytes for item in items),
    )
    parts = tuple(part for one in stretch for part in one.parts or (one,))
    joined[-1] = Placed(whole, joined[-1].segment, parts)


def _drop_repeated_ids(placed: list[Placed], result: Ordered) -> list[Placed]:
    """Return the items without those whose event id an earlier one has."""
    seen: dict[str, Placed] = {}
    kept: list[Placed] = []
    for one in placed:
        event_id = one.item.event_id
        first = one if event_id is None else seen.setdefault(event_id, one)
        if first is one:
            kept.append(one)
        else:
            _count_again(first, one, result)
    return kept

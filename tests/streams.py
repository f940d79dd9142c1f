"""Streams of events: random ones that keep the rules of the lifecycle for long, and the view of any."""

from collections.abc import Iterable
from random import Random

from schemas.events import Event
from schemas.view import View, empty_view
from tests.strategies import random_thread, spoil
from transforms.fold.chunks import ChunkExpander
from transforms.fold.reducer import Fold
from transforms.fold.verify import Lifecycle


def legal_stream(seed: int) -> list[Event]:
    """Return expanded events; most streams are kept legal for long, so that rules far from the start are reached."""
    rng, expander, lifecycle = Random(seed), ChunkExpander(), Lifecycle()
    sent = [event for run in random_thread(rng) for event in run]
    sent = [spoil(rng, event) if rng.random() < 0.03 else event for event in sent]
    expanded = [one for event in sent for one in expander.expand(event)]
    if rng.random() < 0.2:
        return expanded
    legal = []
    for event in expanded:
        if lifecycle.would_accept(event) or rng.random() < 0.02:
            lifecycle.check(event)
            legal.append(event)
    return legal


def folded(events: Iterable[Event]) -> View:
    """Return the view that events fold to from nothing, their chunks expanded."""
    fold, chunks = Fold(empty_view()), ChunkExpander()
    for event in events:
        for one in chunks.expand(event):
            fold.apply(one)
    return fold.close()

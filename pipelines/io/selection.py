"""Selection: what a person names becomes the threads to rebuild."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

import msgspec

from pipelines.io.files import expand
from pipelines.io.heads import find_heads
from pipelines.io.lake import Lake
from pipelines.io.meter import Meter
from pipelines.io.rows import threads
from pipelines.io.sources import open_source
from pipelines.io.threads import thread_runs
from schemas.lake import Commit
from schemas.records import Record, Source
from transforms.audit.removal import Thread
from transforms.bucket import key_of
from transforms.decode.objects import decode_batches
from transforms.runs.headrows import object_of


def threads_with_id(lake: Lake, ids: Iterable[str], tenant_id: str | None) -> set[Thread]:
    """Return the threads of some ids.

    Raises:
        ConfigError: no such thread, or one id in several tenants.
    """
    return {(thread_runs(lake, one, tenant_id)["tenant_id"][0].as_py(), one) for one in ids}


def threads_since(lake: Lake, first: dt.date) -> set[Thread]:
    """Return the threads with a run that lies under a day or a later one."""
    days = {file.day for file in lake.files("runs") if file.day >= first.isoformat()}
    return set(threads(lake, days))


def threads_of_objects(lake: Lake, last: Commit, uris: Sequence[str]) -> tuple[list[Source], set[Thread]]:
    """Return raw objects as they are now, and the threads whose records are in them or in the rows made of them.

    Raises:
        InputError: there is no such object.
    """
    sources = expand(uris) if uris else []
    known = find_heads(lake.store, last.heads, "objects", {key_of("", source.uri) for source in sources})
    found: set[Thread] = set()
    anew = []
    for source in sources:
        fields = object_of(known[source.uri]).fields if source.uri in known else {}
        anew.append(msgspec.structs.replace(source, fields=fields))
        with Meter(open_source(source), source) as stream:
            for batch in decode_batches(stream, anew[-1]):
                found |= {(one.owner.tenant_id, one.thread_id) for one in batch if isinstance(one, Record)}
    return anew, found

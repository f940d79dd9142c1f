"""Rows: one struct a table, its fields the table's columns in order, and what a thread's compaction gives.

Times are UTC, microseconds since 1970. What each column means stands in `schemas.tables`.
"""

from __future__ import annotations

import msgspec

from schemas.records import DeadLetter


class RunRow(msgspec.Struct):
    """A row of ``runs``."""

    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None
    parent: int | None = None
    parent_source: str = "root"
    parent_run_id: str | None = None
    user_id: str | None = None
    agent_id: str | None = None
    status: str = "abandoned"
    started_at: int | None = None
    first_text_at: int | None = None
    ended_at: int | None = None
    time_source: str | None = None
    input: str | None = None
    input_source: str = "none"
    input_messages: str | None = None
    has_user_message: bool = False
    protocol_version: str | None = None
    dropped_positions: list[int] = []
    outcome: str | None = None
    result: str | None = None
    error_code: str | None = None
    error_message: str | None = None
    metadata: str | None = None
    tags: list[str] = []
    system_prompt_hash: str | None = None
    tools_hash: str | None = None
    message_count: int = 0
    new_messages: int = 0
    tool_call_count: int = 0
    events: int = 0
    bytes: int = 0
    raw_events: int = 0
    raw_bytes: int = 0
    duplicates: int = 0
    violations: dict[str, int] = {}
    is_verbatim: bool = False
    is_approximate: bool = False
    ruleset_id: str = "off"
    key_id: str | None = None
    seqs: list[int] = []
    is_day_clamped: bool = False


class UsageRow(msgspec.Struct):
    """A row of ``usage``."""

    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None
    provider: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    source: str = "terminal"
    extra: str | None = None


class MessageRow(msgspec.Struct):
    """A row of ``messages``."""

    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None
    position: int
    message_id: str | None = None
    role: str | None = None
    name: str | None = None
    text: str | None = None
    parts: str | None = None
    metadata: str | None = None
    tool_call_id: str | None = None
    activity_type: str | None = None
    encrypted_value: str | None = None
    subagent_run_id: str | None = None
    error: str | None = None
    tool_calls: int | None = None
    same_as: int | None = None
    extra: str | None = None
    origin: str = "stream"
    is_new: bool = True
    is_complete: bool = True
    is_synthetic: bool = False
    pieces: str | None = None
    first_at: int | None = None
    last_at: int | None = None


class ToolCallRow(msgspec.Struct):
    """A row of ``tool_calls``."""

    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None
    position: int
    call_index: int
    tool_call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    metadata: str | None = None
    encrypted_value: str | None = None
    extra: str | None = None
    validity: str = "invalid"
    is_new: bool = True
    is_complete: bool = True
    first_at: int | None = None
    last_at: int | None = None


class StateRow(msgspec.Struct):
    """A row of ``states``."""

    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None
    state: str


class EventRow(msgspec.Struct):
    """A row of ``events``."""

    tenant_id: str
    thread_id: str
    run: int
    run_id: str | None
    position: int
    at_message: int
    type: str
    name: str | None
    message_id: str | None
    at: int | None
    event: str


class RunRows(msgspec.Struct):
    """All rows of one run."""

    run: RunRow
    usage: list[UsageRow]
    messages: list[MessageRow]
    tool_calls: list[ToolCallRow]
    state: StateRow | None
    events: list[EventRow]


class ThreadRows(msgspec.Struct):
    """What the compaction of one thread gives: its runs by ordinal, and what could not be used."""

    tenant_id: str
    thread_id: str
    runs: list[RunRows]
    dead_letters: list[DeadLetter]
    duplicates: int = 0

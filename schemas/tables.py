"""The lake's tables: their columns become Arrow schemas and docs/tables.md.

Together the tables are a lossless decomposition of every view (docs/tables.md says how a view is rebuilt).

Evolution: `FORMAT` grows by one when a reader of the former format would go wrong. A new nullable column at the end of
a table does not count: old files simply lack it and read as null (``union_by_name``). A column is never renamed,
retyped or reused.
"""

from __future__ import annotations

from typing import Final

import msgspec
import pyarrow as pa

FORMAT: Final = 1
"""Version of the lake's format; a lake of a higher one is refused."""

TIME: Final = pa.timestamp("us", tz="UTC")
_TEXT: Final = pa.string()
_INT: Final = pa.int32()
_LONG: Final = pa.int64()
_FLAG: Final = pa.bool_()
_COUNTS: Final = pa.map_(pa.string(), pa.int64())


class Column(msgspec.Struct, frozen=True):
    """One column: its Arrow type, what it means, and its OpenTelemetry GenAI name where there is one.

    Args:
        otel: attribute of the OpenTelemetry GenAI semantic conventions v1.41.
    """

    name: str
    type: pa.DataType
    meaning: str
    required: bool = False
    otel: str = ""


class Table(msgspec.Struct, frozen=True):
    """One table: what a row is, its columns in file order, and the columns that it is sorted by."""

    name: str
    row: str
    columns: tuple[Column, ...]
    sort: tuple[str, ...]

    def schema(self) -> pa.Schema:
        """Return the Arrow schema, the format version in its metadata."""
        fields = [pa.field(column.name, column.type, nullable=not column.required) for column in self.columns]
        return pa.schema(fields, metadata={"threadlake.format": str(FORMAT), "threadlake.table": self.name})


_KEYS: Final = (
    Column("tenant_id", _TEXT, "tenant the thread belongs to; empty where the log names none", required=True),
    Column("thread_id", _TEXT, "AG-UI threadId", required=True, otel="gen_ai.conversation.id"),
    Column("run", _INT, "ordinal of the run in its thread, from 0 by first record", required=True),
    Column("run_id", _TEXT, "AG-UI runId; ids repeat in real logs, (thread_id, run) does not"),
)
_POSITION: Final = Column("position", _INT, "index in the view at the run's end", required=True)
_FIRST: Final = Column("first_at", TIME, "time of the first event of this run that touched it")
_LAST: Final = Column("last_at", TIME, "time of the last event of this run that touched it")
_METADATA: Final = Column("metadata", _TEXT, "JSON object: merged metadata")

RUNS: Final = Table(
    "runs",
    "one run",
    (
        *_KEYS,
        Column("parent", _INT, "ordinal of the run it continues; null for a root"),
        Column(
            "parent_source",
            _TEXT,
            "where the parent came from: event, input, previous, store, continuation; root has none",
            required=True,
        ),
        Column("parent_run_id", _TEXT, "the parentRunId that the log names, also where it is unknown"),
        Column("user_id", _TEXT, "user, from the envelope or the path", otel="user.id"),
        Column("agent_id", _TEXT, "agent, from the envelope or the path", otel="gen_ai.agent.id"),
        Column("status", _TEXT, "finished, error, interrupted, cancelled or abandoned", required=True),
        Column("started_at", TIME, "time of the first event"),
        Column("first_text_at", TIME, "time of the first text delta of an assistant"),
        Column("ended_at", TIME, "time of the last event up to the terminal"),
        Column("time_source", _TEXT, "event, envelope, path or object: the best that the run's times come from"),
        Column(
            "input", _TEXT, "JSON of the RunAgentInput without messages, threadId and runId; null where none is known"
        ),
        Column("input_source", _TEXT, "event, envelope, snapshot or none", required=True),
        Column(
            "input_messages",
            _TEXT,
            "JSON array of the input's messages where they are not simply the base view and then the run's new input "
            "messages: n >= 0 is base position n, n < 0 is final position -n-1, an object is a message that differs",
        ),
        Column("has_user_message", _FLAG, "the run brought a message of the user", required=True),
        Column("protocol_version", _TEXT, "AG-UI protocolVersion"),
        Column("dropped_positions", pa.list_(_INT), "base view positions that do not stand unchanged", required=True),
        Column(
            "outcome", _TEXT, "JSON: RUN_FINISHED.outcome, interrupts included", otel="gen_ai.response.finish_reasons"
        ),
        Column("result", _TEXT, "JSON: RUN_FINISHED.result"),
        Column("error_code", _TEXT, "RUN_ERROR.code", otel="error.type"),
        Column("error_message", _TEXT, "RUN_ERROR.message"),
        _METADATA,
        Column("tags", pa.list_(_TEXT), "tags in metadata or forwardedProps", required=True),
        Column("system_prompt_hash", _TEXT, "keyed hash of the system and developer messages of the input"),
        Column("tools_hash", _TEXT, "keyed hash of the input's tools"),
        Column("message_count", _INT, "messages in the view at the run's end", required=True),
        Column("new_messages", _INT, "messages that the run brought", required=True),
        Column("tool_call_count", _INT, "tool calls that the run brought", required=True),
        Column("events", _LONG, "raw events, redeliveries not counted", required=True),
        Column("bytes", _LONG, "bytes of the raw events", required=True),
        Column("raw_events", _LONG, "RAW events and rawEvent keys dropped, hashed or kept by policy", required=True),
        Column("raw_bytes", _LONG, "their bytes", required=True),
        Column("duplicates", _LONG, "redelivered records", required=True),
        Column("violations", _COUNTS, "protocol violations by kind", required=True),
        Column("is_verbatim", _FLAG, "rows could not rebuild the view: the events table holds the run", required=True),
        Column("is_approximate", _FLAG, "redaction changed what a later patch or delta meant", required=True),
        Column("ruleset_id", _TEXT, "redaction rules that were applied; off for none", required=True),
        Column("key_id", _TEXT, "id of the key of the tokens and hashes; null without a key"),
        Column(
            "seqs", pa.list_(_LONG), "first and last seq of each stretch of its raw records; empty where they have none"
        ),
        Column("is_day_clamped", _FLAG, "its clock lies: `dt` is the night's date, not the day on which it ended"),
    ),
    ("tenant_id", "thread_id", "run"),
)

USAGE: Final = Table(
    "usage",
    "the tokens of one run, provider and model",
    (
        *_KEYS,
        Column("provider", _TEXT, "model provider", otel="gen_ai.provider.name"),
        Column("model", _TEXT, "model", otel="gen_ai.response.model"),
        Column("input_tokens", _LONG, "tokens", otel="gen_ai.usage.input_tokens"),
        Column("output_tokens", _LONG, "tokens", otel="gen_ai.usage.output_tokens"),
        Column("total_tokens", _LONG, "tokens"),
        Column("reasoning_tokens", _LONG, "tokens", otel="gen_ai.usage.reasoning.output_tokens"),
        Column("cache_read_tokens", _LONG, "tokens", otel="gen_ai.usage.cache_read.input_tokens"),
        Column("cache_write_tokens", _LONG, "tokens", otel="gen_ai.usage.cache_creation.input_tokens"),
        Column("source", _TEXT, "terminal, vendor or raw: the event that told it", required=True),
        Column("extra", _TEXT, "JSON: further keys of the entry"),
    ),
    ("tenant_id", "thread_id", "run"),
)

MESSAGES: Final = Table(
    "messages",
    "one message that a run brought or changed",
    (
        *_KEYS,
        _POSITION,
        Column("message_id", _TEXT, "AG-UI id; null in the wild for many tool results"),
        Column("role", _TEXT, "user, assistant, system, developer, tool, reasoning or activity"),
        Column("name", _TEXT, "author's name"),
        Column("text", _TEXT, "string content; null where the content is no string"),
        Column("parts", _TEXT, "JSON: content that is no string (parts of a user message, an activity's object)"),
        _METADATA,
        Column("tool_call_id", _TEXT, "of a tool message: the call it answers", otel="gen_ai.tool.call.id"),
        Column("activity_type", _TEXT, "of an activity"),
        Column("encrypted_value", _TEXT, "encrypted reasoning, opaque"),
        Column("subagent_run_id", _TEXT, "subagent that wrote it"),
        Column("error", _TEXT, "of a tool message: its error"),
        Column("tool_calls", _INT, "number of tool calls; null where the message has no such key, 0 for an empty list"),
        Column("same_as", _INT, "position of the message that is the same object, where ids were duplicate"),
        Column("extra", _TEXT, "JSON object: unknown keys, and known ones of an unexpected type"),
        Column("origin", _TEXT, "how it came: input, stream, result, snapshot or activity", required=True),
        Column("is_new", _FLAG, "the run brought it, rather than changed it", required=True),
        Column("is_complete", _FLAG, "it came whole, or its END was seen", required=True),
        Column("is_synthetic", _FLAG, "a store made it up, such as a result for a stopped call", required=True),
        Column("pieces", _TEXT, "JSON array of [kind, characters] where streams of several kinds met in one message"),
        _FIRST,
        _LAST,
    ),
    ("tenant_id", "thread_id", "run", "position"),
)

TOOL_CALLS: Final = Table(
    "tool_calls",
    "one tool call of a message that a run brought or changed",
    (
        *_KEYS,
        _POSITION,
        Column("call_index", _INT, "index in its message", required=True),
        Column("tool_call_id", _TEXT, "AG-UI toolCallId", otel="gen_ai.tool.call.id"),
        Column("name", _TEXT, "tool", otel="gen_ai.tool.name"),
        Column("arguments", _TEXT, "as they came, JSON or not", otel="gen_ai.tool.call.arguments"),
        _METADATA,
        Column("encrypted_value", _TEXT, "encrypted reasoning, opaque"),
        Column("extra", _TEXT, "JSON: unknown keys; the whole call where it is malformed"),
        Column(
            "validity", _TEXT, "of the arguments: object, json (another JSON value), empty or invalid", required=True
        ),
        Column("is_new", _FLAG, "the run brought it, rather than its message was rewritten", required=True),
        Column("is_complete", _FLAG, "its END or a result was seen, or it came whole", required=True),
        _FIRST,
        _LAST,
    ),
    ("tenant_id", "thread_id", "run", "position", "call_index"),
)

STATES: Final = Table(
    "states",
    "the state at the end of a run that changed it",
    (*_KEYS, Column("state", _TEXT, "JSON; null as JSON is a value", required=True)),
    ("tenant_id", "thread_id", "run"),
)

EVENTS: Final = Table(
    "events",
    "an event that the other tables do not hold",
    (
        *_KEYS,
        Column("position", _INT, "index among the run's rows of this table", required=True),
        Column("at_message", _INT, "messages in the view when it came", required=True),
        Column("type", _TEXT, "AG-UI event type", required=True),
        Column("name", _TEXT, "CUSTOM name, step name, activity type or subagent name"),
        Column("message_id", _TEXT, "of an activity: its message"),
        Column("at", TIME, "time of the event"),
        Column("event", _TEXT, "JSON: the event", required=True),
    ),
    ("tenant_id", "thread_id", "run", "position"),
)

DEAD_LETTERS: Final = Table(
    "dead_letters",
    "a record that could not be used",
    (
        Column("uri", _TEXT, "raw object", required=True),
        Column("offset", _LONG, "byte offset in the decompressed object, or index in an array", required=True),
        Column("bytes", _LONG, "length of the record, or of the records together", required=True),
        Column(
            "records", _LONG, "records in a row that the row stands for: 1, or several that are barren", required=True
        ),
        Column("reason", _TEXT, "typed reason (see the list of reasons)", required=True),
        Column("detail", _TEXT, "what was found, without content", required=True),
        Column("stage", _TEXT, "decode or compact", required=True),
        Column("thread_id", _TEXT, "thread, where it is known"),
        Column("run_id", _TEXT, "run, where it is known"),
        Column("night", _TEXT, "the job that wrote the row", required=True),
        Column("tenant_id", _TEXT, "tenant, where a compaction knew it"),
    ),
    ("uri", "offset"),
)

TABLES: Final = {table.name: table for table in (RUNS, USAGE, MESSAGES, TOOL_CALLS, STATES, EVENTS, DEAD_LETTERS)}

"""Violations found while reading: the kinds that decoding and chunk expansion record, and what they mean."""

from __future__ import annotations

from typing import Final

VIOLATIONS: Final = {
    "envelope_mismatch": "an event names another thread or run than its envelope, which wins",
    "result_for_content": "TOOL_CALL_RESULT with `result` in place of `content`",
    "patch_for_delta": "STATE_DELTA with `patch` in place of `delta`",
    "delta_not_list": "STATE_DELTA with one operation in place of a list",
    "truncated": "an export that says it is truncated",
    "decode_errors": "an export that says rows of it could not be decoded",
    "skipped_deltas": "an export of a state that says deltas were skipped",
    "damaged_state": "a CopilotKit snapshot that lacks keys the next input has (clients up to 0.0.59 folded from {})",
    "synthetic_terminal": "a terminal that a store made up for a stopped run",
    "chunk_without_id": "a first chunk without what opens a message or a call",
    "chunk_ambiguous": "a chunk without an id while several are open",
    "chunk_conflict": "a chunk that repeats a field of its first chunk with another value",
    "chunk_owner": "a chunk of an id that is open in another subagent's lane",
}

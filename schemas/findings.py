"""Findings: what a check of a lake can find."""

from __future__ import annotations

from typing import Final

import msgspec

FINDINGS: Final = {
    "no_plan": "a committed night without its plan",
    "open_night": "a plan without a commit: its night is under way, or died",
    "missing_night": "a date without a night between others",
    "missing_file": "a file that its commit lists is not there",
    "changed_file": "a file has other bytes than its commit says",
    "unreadable_file": "a file is no Parquet that can be read",
    "wrong_rows": "a file has another number of rows than its commit says",
    "wrong_columns": "a file lacks columns of its table",
    "unsorted": "rows are out of their table's order",
    "wrong_place": "a row lies in another bucket or day than its own",
    "orphan_file": "a file that no commit lists",
    "wrong_total": "a commit's figure is not what its rows add up to",
    "repeated_run": "a run is there more than once",
    "run_gap": "a thread leaves out a run's number",
    "bad_parent": "a run's parent does not come before it",
    "stray_row": "a row of a run that is not there",
    "broken_view": "a run's rows give no view, or one with another number of messages than the run says",
    "missing_raw": "a raw object that a plan lists is not there",
    "changed_raw": "a raw object has another size than its plan says",
    "other_rows": "a run's rows are not what its raw records give",
}
"""Kinds, and what they mean."""


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it should be.

    Args:
        kind: one of FINDINGS.
        where: a path, a night, or a thread and the number of a run.
        detail: figures and names, never content.
    """

    kind: str
    where: str
    detail: str = ""

from random import Random

import pytest

from tests.threads import compacted, lines_of, random_log
from transforms.audit.threads import fingerprint, raw_findings, thread_findings


def runs_of(seed):
    return compacted(lines_of(random_log(seed))).runs


@pytest.mark.parametrize("seed", range(40))
def test_what_was_just_compacted_has_no_finding(seed):
    runs = runs_of(seed)
    if runs:
        assert list(thread_findings(runs)) == []
        assert list(raw_findings(list(map(fingerprint, runs)), runs_of(seed))) == []


@pytest.mark.parametrize("seed", range(40))
def test_any_change_of_a_row_is_told_and_where(seed):
    rng, runs = Random(seed), runs_of(seed)
    changed = [rows for rows in runs if rows.messages]
    if not changed:
        return
    before, rows = list(map(fingerprint, runs)), rng.choice(changed)
    rng.choice(rows.messages).extra = '{"changed":1}'
    [finding] = raw_findings(before, runs)
    assert (finding.kind, finding.where) == ("other_rows", f"thread 't' #{rows.run.run}")
    assert finding.detail == "differ in messages"


def test_a_run_too_many_is_told():
    runs = next(runs for runs in map(runs_of, range(50)) if len(runs) > 1)
    fingerprints = list(map(fingerprint, runs))
    [finding] = raw_findings(fingerprints[:-1], runs)
    assert finding.detail == f"{len(runs) - 1} runs, the raw records give {len(runs)}"


def test_a_finding_says_no_word_of_a_message():
    runs = next(runs for runs in map(runs_of, range(50)) if any(rows.messages for rows in runs))
    row = next(row for rows in runs for row in rows.messages)
    row.metadata = "{secret"
    assert all("secret" not in finding.detail for finding in thread_findings(runs))

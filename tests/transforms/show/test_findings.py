from schemas.findings import FINDINGS, Finding
from schemas.lake import Totals
from transforms.show.findings import finding_lines, findings_document

FOUND = [Finding("orphan_file", "runs/x.parquet"), Finding("broken_view", "thread 'a\x1b[31m' #1", "KeyError")] * 2


def test_lines_tell_the_first_and_count_all():
    lines = finding_lines(FOUND, [Totals(runs=7)], 5, shown=3)
    assert lines[0] == "nights 1, runs 7, threads compared with their raw records 5"
    assert lines[1] == "  orphan_file: runs/x.parquet"
    assert lines[2].endswith("(KeyError)")
    assert lines[4] == "  and 1 more"
    assert lines[-1] == f"2 orphan_file: {FINDINGS['orphan_file']}"
    assert "\x1b" not in "".join(lines)


def test_nothing_found_is_said():
    assert finding_lines([], [Totals()], 0, shown=3)[-1] == "nothing found"


def test_the_document_has_all():
    document = findings_document(FOUND, [Totals(runs=1), Totals(runs=2)], 4)
    assert (document["nights"], document["runs"], document["threads_compared"]) == (2, 3, 4)
    assert len(document["findings"]) == 4
    assert document["kinds"] == {"broken_view": 2, "orphan_file": 2}

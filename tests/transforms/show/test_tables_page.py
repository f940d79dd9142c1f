import os
import re
from pathlib import Path

from schemas.records import REASONS
from schemas.tables import TABLES
from transforms.show.tables_page import tables_page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "tables.md"


def test_golden_page_is_that_of_the_schemas():
    if os.environ.get("GOLDEN") == "write":
        PAGE.write_text(tables_page())
    assert PAGE.read_text() == tables_page(), "docs/tables.md is stale: run `make docs`"


def test_every_column_and_reason_is_described():
    page = tables_page()
    for table in TABLES.values():
        section = page.split(f"## {table.name}\n")[1].split("\n## ")[0]
        assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == [column.name for column in table.columns]
    assert all(f"| `{reason}` | {meaning} |" in page for reason, meaning in REASONS.items())

import os
import re
from pathlib import Path

from pipelines.sql.duck import VIEWS as SQL_VIEWS
from pipelines.sql.duck import connect
from schemas.records import REASONS
from schemas.tables import TABLES
from tests.lakes import run, write_lake
from transforms.show.tables_page import tables_page
from transforms.show.views_page import VIEWS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "tables.md"


def test_golden_page_is_that_of_the_schemas():
    if os.environ.get("GOLDEN") == "write":
        PAGE.write_text(tables_page())
    assert PAGE.read_text() == tables_page(), "docs/tables.md is stale: run `make docs`"


def test_every_column_of_a_view_is_described(tmp_path):
    connection = connect(write_lake(str(tmp_path), {"runs": [run(0)]}))
    assert set(VIEWS) == set(SQL_VIEWS)
    for name, view in VIEWS.items():
        repeated = [*TABLES[view.table].schema().names, "dt"] if view.table else []
        found = [column for column, *_ in connection.execute(f"DESCRIBE {name}").fetchall()]
        assert found == [*repeated, *view.columns]


def test_every_column_and_reason_is_described():
    page = tables_page()
    for table in TABLES.values():
        section = page.split(f"## {table.name}\n")[1].split("\n## ")[0]
        assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == [column.name for column in table.columns]
    assert all(f"| `{reason}` | {meaning} |" in page for reason, meaning in REASONS.items())

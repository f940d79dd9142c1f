"""Words that no language owns: cities, files, order numbers, and what draws a fresh one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

WORDS: Final[Mapping[str, Sequence[str]]] = {
    "city": (
        "Lisbon", "Seoul", "Kyoto", "Hamburg", "Valencia", "Toronto", "Oslo", "Nairobi", "Lima", "Osaka", "Vienna",
        "Busan", "Porto", "Austin", "Leipzig", "Helsinki", "Marseille", "Bologna", "Sapporo", "Tallinn", "Cusco",
    ),
    "airline": ("Norddeich Air", "Pacifica", "Hanul Air", "Sakura Wings", "TransAndes", "Blue Heron", "Meridian"),
    "hotel": ("Hotel Miramar", "The Old Granary", "Casa Verde", "Hanok Stay", "Gasthof Linde", "Ryokan Mizu", "Pier 9"),
    "carrier": ("FastParcel", "NordPost", "BlueVan", "Kurier24", "Hanjin Line", "Correo Sur"),
    "file": (
        "src/billing/invoice.py", "app/session.ts", "lib/retry.go", "tests/test_cart.py", "src/parser/lexer.rs",
        "web/checkout.tsx", "jobs/nightly.py", "api/routes/users.py", "core/clock.kt", "db/migrations/0042_index.sql",
    ),
    "function": (
        "parse_invoice", "refreshSession", "RetryWithBackoff", "merge_carts", "next_token", "renderTotals",
        "load_partition", "list_users", "tick", "apply_discount", "normalise_address", "close_stale_orders",
    ),
    "error": (
        "KeyError: 'currency'", "TypeError: undefined is not a function", "context deadline exceeded",
        "AssertionError: 41 != 42", "deadlock detected", "IndexError: list index out of range", "ECONNRESET",
    ),
    "library": ("httpx", "sqlalchemy", "pydantic", "tokio", "zod", "vitest", "pytest", "fastapi", "react-query"),
    "branch": ("fix/rounding", "feature/split-payments", "chore/upgrade", "bugfix/utf8", "spike/cache"),
    "seat": ("12A", "14C", "7F", "22D", "31B", "3A", "18F"),
}  # fmt: skip

FIRST_NAMES_LATIN: Final = ("alex", "sam", "mika", "noor", "robin", "kim", "jona", "ari", "luca", "remi")

SNIPPETS: Final = (
    """```python
def NAME(items: list[Item], limit: int = N0) -> Decimal:
    total = Decimal(0)
    for item in items[:limit]:
        total += item.price * item.quantity
    return total.quantize(CENT)
```""",
    """```ts
export async function NAME(id: string, tries = N0) {
  for (let i = 0; i < tries; i++) {
    const reply = await fetch(`/api/orders/${id}`);
    if (reply.ok) return reply.json();
    await sleep(2 ** i * 100);
  }
  throw new Error(`gave up on ${id}`);
}
```""",
    """```go
func NAME(ctx context.Context, rows []Row) error {
\tfor i, row := range rows {
\t\tif err := store.Put(ctx, row); err != nil {
\t\t\treturn fmt.Errorf("row %d of N0: %w", i, err)
\t\t}
\t}
\treturn nil
}
```""",
    """```sql
SELECT customer_id, count(*) AS orders, sum(total) AS spent
FROM orders -- NAME
WHERE created_at > now() - interval 'N0 days'
GROUP BY customer_id
HAVING count(*) > 3
ORDER BY spent DESC;
```""",
    """```diff
- for row in load(path):
-     NAME(row)
+ with open_rows(path) as rows:
+     for row in rows:
+         NAME(row, timeout=N0)
```""",
)
"""Code in fences; NAME and N0 are filled."""


def day(rng: Random) -> str:
    """Return a date in the months after the log, ISO 8601."""
    return f"2027-{rng.randint(1, 9):02d}-{rng.randint(1, 28):02d}"


def order_number(rng: Random) -> str:
    """Return an order number such as ``ORD-48213``."""
    return f"ORD-{rng.randint(10_000, 99_999)}"


def booking_code(rng: Random) -> str:
    """Return a six-character booking code, as airlines print it."""
    return "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=6))


def flight_number(rng: Random) -> str:
    """Return a flight number such as ``TL 482``."""
    return f"{rng.choice(('TL', 'NA', 'HX', 'SW', 'BH'))} {rng.randint(100, 999)}"


MAKERS: Final[Mapping[str, Callable[[Random], str]]] = {
    "order": order_number,
    "booking": booking_code,
    "flight": flight_number,
    "date": day,
    "time": lambda rng: f"{rng.randint(6, 22)}:{rng.choice(('05', '15', '30', '40', '55'))}",
    "amount": lambda rng: f"{rng.randint(8, 940)}.{rng.randint(0, 99):02d}",
    "n": lambda rng: str(rng.randint(2, 60)),
    "line": lambda rng: str(rng.randint(10, 900)),
    "percent": lambda rng: str(rng.randint(3, 97)),
    "commit": lambda rng: f"{rng.getrandbits(28):07x}",
}
"""Slots whose filling is drawn from a rule rather than a list."""

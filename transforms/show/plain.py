"""Plain values: what a database gives becomes what JSON can hold."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from schemas.events import Json
from transforms.jsontext import dumps


def plain(value: object) -> Json:
    """Return the value in JSON's types.

    Times are ISO 8601, those with a zone in UTC with ``Z``; an integral decimal is an integer, bytes are base64, and a
    float that JSON has no word for is null.

    >>> plain(datetime(2026, 11, 29, 12, 0, tzinfo=UTC)), plain({"a": (1, Decimal("2"))}), plain(math.nan)
    ('2026-11-29T12:00:00Z', {'a': [1, 2]}, None)
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, Mapping):
        return {name if isinstance(name, str) else dumps(plain(name)): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _time(value: datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _number(value: Decimal) -> int | float | None:
    if not value.is_finite():
        return None
    return int(value) if value == value.to_integral_value() else float(value)

"""The days that the database covers, and the present among them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

NOW = datetime(2024, 5, 15, 15, 0)
FIRST_DAY = date(2024, 5, 1)
DAYS = 30


def day_of(offset: int) -> date:
    """Return the day so many days after the first."""
    return FIRST_DAY + timedelta(days=offset)


def days() -> Iterator[date]:
    """Yield each day of the period."""
    return map(day_of, range(DAYS))


def moment(day: date, minutes: int) -> datetime:
    """Return the time so many minutes after midnight of a day."""
    return datetime(day.year, day.month, day.day) + timedelta(minutes=minutes)

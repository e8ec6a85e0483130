"""The airports of ``airports.toml``, and how far apart they are."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt
from pathlib import Path

EARTH_RADIUS = 3958.8
"""In statute miles."""


@dataclass(frozen=True)
class Airport:
    """An airport and its city.

    Attributes:
        city: The city it serves.
        state: Two letters.
        zip: The first three digits of the city's ZIP codes.
        latitude: In degrees.
        longitude: In degrees.
        hours_behind: How far local time is behind Eastern time.
        traffic: Its weight in the choice of routes.
    """

    city: str
    state: str
    zip: str
    latitude: float
    longitude: float
    hours_behind: int
    traffic: int


def _read() -> dict[str, Airport]:
    file = Path(__file__).resolve().parent.parent / "airports.toml"
    airports = tomllib.loads(file.read_text(encoding="utf-8"))
    return {code: Airport(**fields) for code, fields in airports.items()}


AIRPORTS = _read()


def great_circle_miles(a: str, b: str) -> float:
    """Return the great-circle distance of two airports in statute miles."""
    ends = AIRPORTS[a], AIRPORTS[b]
    lat1, lat2 = (radians(end.latitude) for end in ends)
    lon1, lon2 = (radians(end.longitude) for end in ends)
    half = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS * asin(sqrt(half))


def detour(origin: str, stop: str, goal: str) -> float:
    """Return how much longer the way over a stop is; a short trip may take a longer one."""
    flown = great_circle_miles(origin, stop) + great_circle_miles(stop, goal)
    return flown / (great_circle_miles(origin, goal) + 150)

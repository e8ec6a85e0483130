"""Trips: which flights lead from one city to another, there and perhaps back."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from .airports import AIRPORTS, detour
from .flights import Leg
from .period import DAYS, day_of

Flown = list[tuple[Leg, date]]
"""The flights of a trip in order, each with its day."""


@dataclass(frozen=True)
class Journey:
    """A trip as it is booked.

    Attributes:
        origin: Airport code where it starts.
        goal: Airport code of its goal; of a round trip, where it turns.
        flown: Its flights, those of the way back included.
    """

    origin: str
    goal: str
    flown: Flown

    @property
    def is_round_trip(self) -> bool:
        """Whether it leads back to where it starts."""
        return self.flown[-1][0].destination == self.origin


class Network:
    """Finds the flights for a trip.

    Args:
        legs: All flights.
    """

    def __init__(self, legs: Sequence[Leg]) -> None:
        self._legs_from = {code: [leg for leg in legs if leg.origin == code] for code in AIRPORTS}

    def journey(self, home: str, rng: random.Random) -> Journey:
        """Return a trip in the period, one way or round, more often than not from home."""
        while True:
            origin = home if rng.random() < 0.6 else rng.choice(sorted(AIRPORTS))
            goal = rng.choice([code for code in sorted(AIRPORTS) if code != origin])
            start = rng.choice((rng.randrange(DAYS), rng.randrange(13, DAYS)))
            out = self._trip(origin, goal, start, rng)
            if out and rng.random() < 0.5:
                return Journey(origin, goal, out)
            back = self._trip(goal, origin, start + rng.randint(2, 9), rng)
            if out and back:
                return Journey(origin, goal, out + back)

    def _trip(self, origin: str, goal: str, offset: int, rng: random.Random) -> Flown:
        """Return a direct or one-stop trip of that day; empty where there is none in the period."""
        if offset >= DAYS:
            return []
        day = day_of(offset)
        direct = [[(leg, day)] for leg in self._legs_from[origin] if leg.destination == goal]
        if direct and rng.random() < 0.7:
            return rng.choice(direct)
        onward = [
            trip
            for first in self._legs_from[origin]
            for trip in self._connections(first, goal, day)
        ]
        return rng.choice(onward or direct or [[]])

    def _connections(self, first: Leg, goal: str, day: date) -> list[Flown]:
        days, landed = divmod(first.arrival, 1440)
        second_day = day + timedelta(days=days)
        if second_day >= day_of(DAYS) or first.destination == goal:
            return []
        if detour(first.origin, first.destination, goal) > 1.5:
            return []
        return [
            [(first, day), (second, second_day)]
            for second in self._legs_from[first.destination]
            if second.destination == goal and landed + 40 <= second.departure <= landed + 360
        ]

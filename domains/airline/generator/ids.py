"""Ids that look arbitrary and never repeat."""

from __future__ import annotations

import random
import string


class Ids:
    """Draws ids, each of them once.

    Args:
        rng: Where they are drawn from.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._used: set[str] = set()

    def payment_method(self, source: str) -> str:
        """Return an id for a payment method of that kind."""
        while True:
            key = f"{source}_{self._rng.randint(1000000, 9999999)}"
            if self._is_new(key):
                return key

    def reservation(self) -> str:
        """Return six characters, but no ``HAT...``, which is where new bookings get their ids."""
        while True:
            key = "".join(self._rng.choices(string.ascii_uppercase + string.digits, k=6))
            if not key.startswith("HAT") and self._is_new(key):
                return key

    def _is_new(self, key: str) -> bool:
        new = key not in self._used
        self._used.add(key)
        return new

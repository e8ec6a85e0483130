"""One source of randomness for each trial and role, the same in every process."""

from __future__ import annotations

import hashlib
import random


def stable_seed(*parts: object) -> int:
    """Return a 64-bit seed from the parts, equal across processes and Python versions.

    Python's ``hash()`` is salted per process, so trials seeded by it cannot be repeated.
    """
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def trial_random(seed: int, task_id: str, trial: int, role: str = "") -> random.Random:
    """Return the generator of one trial (and role, so that one cannot disturb the other)."""
    return random.Random(stable_seed(seed, task_id, trial, role))

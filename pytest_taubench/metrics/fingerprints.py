"""Which parts of which domains differ between the trials of two runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_taubench.schema import DomainFingerprint

_PARTS = ("policy", "tools", "database", "tool_graph")


def changed_parts(
    before: Iterable[DomainFingerprint], after: Sequence[DomainFingerprint]
) -> list[str]:
    """Return what differs of the domains that both have, e.g. ``the policy of shop``.

    What either does not know is not said to differ.
    """
    found = [
        f"the {part.replace('_', ' ')} of {new.name}"
        for old in before
        for new in after
        if (old.name, old.place) == (new.name, new.place)
        for part in _PARTS
        if _differ(getattr(old, part), getattr(new, part))
    ]
    return list(dict.fromkeys(found))


def _differ(old: str, new: str) -> bool:
    return bool(old and new and old != new)

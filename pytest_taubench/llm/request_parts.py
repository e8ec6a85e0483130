"""What of a request is the harness's own, and so no setting that is passed through."""

from __future__ import annotations

from collections.abc import Iterable

PARTS = frozenset({"model", "messages", "tools", "stream", "stream_options"})


def parts_in(names: Iterable[str]) -> str | None:
    """Return what is wrong with settings of these names, if any would replace a part of a request."""
    wrong = [name for name in names if name in PARTS]
    return f"{', '.join(wrong)} cannot be set: each request has its own" if wrong else None

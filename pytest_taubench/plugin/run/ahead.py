"""Which trials may start ahead of the item that reports them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar

import pytest

from pytest_taubench.plugin.run.scored_before import is_scored_before

Trial = TypeVar("Trial", bound=pytest.Function)

_MARKS_THAT_DECIDE = ("skip", "skipif", "xfail", "usefixtures")


def upcoming(item: Trial, nextitem: pytest.Item | None, reach: int) -> Iterator[Trial]:
    """Yield the trials that this process runs after ``item`` for sure, and that may start now.

    Args:
        item: The item that runs.
        nextitem: The one after it, as pytest told.
        reach: How many items to look at.
    """
    for follower in islice(_followers(item, nextitem), reach):
        if not isinstance(follower, type(item)) or is_scored_before(follower):
            continue
        if _may_start(follower):
            yield follower


def _followers(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[pytest.Item]:
    if not hasattr(item.config, "workerinput"):
        yield from islice(item.session.items, _position(item) + 1, None)
        return
    if nextitem is not None:
        yield nextitem
    if item.config.workerinput.get("tau_dist") != "worksteal":
        yield from _queued(item.session)


def _position(item: pytest.Item) -> int:
    positions = item.session.stash.get(_POSITIONS, None)
    if positions is None:
        positions = {id(each): place for place, each in enumerate(item.session.items)}
        item.session.stash[_POSITIONS] = positions
    return positions[id(item)]


_POSITIONS: pytest.StashKey[dict[int, int]] = pytest.StashKey()


def _queued(session: pytest.Session) -> list[pytest.Item]:
    """Return what xdist has sent to this worker beyond the next item.

    A scheduler that steals takes from this queue; the others never take anything back. The
    queue is xdist's own, so nothing is started from it where it looks unlike what is known.
    """
    for plugin in session.config.pluginmanager.get_plugins():
        queue: Any = getattr(plugin, "torun", None)
        if queue is not None and hasattr(queue, "lock"):
            with queue.lock() as waiting:
                return [session.items[index] for index in waiting if isinstance(index, int)]
    return []


def _may_start(item: pytest.Function) -> bool:
    """Return whether nothing that happens before the item's own turn can matter to its trial.

    A skip mark may keep it from running; a fixture of the project's own may provide the agent,
    or set something up that the agent needs.
    """
    if any(item.get_closest_marker(name) for name in _MARKS_THAT_DECIDE):
        return False
    definitions: dict[str, Any] = item._fixtureinfo.name2fixturedefs
    return all(_is_harmless(found[-1]) for found in definitions.values())


def _is_harmless(definition: Any) -> bool:
    if definition.argname in ("tau_agent", "tau_user"):
        return str(definition.func.__module__).startswith("pytest_taubench.")
    return bool(definition.scope == "session")

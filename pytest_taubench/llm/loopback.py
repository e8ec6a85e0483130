"""Loopback, which the proxies of an environment cannot reach."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loopback_reached_directly() -> Iterator[None]:
    """Except loopback from the environment's proxies, which the SDKs of agents honour."""
    before = {name: os.environ.get(name) for name in ("no_proxy", "NO_PROXY")}
    excepted = next((value for value in before.values() if value), "")
    os.environ.update(dict.fromkeys(before, f"{excepted},127.0.0.1".lstrip(",")))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

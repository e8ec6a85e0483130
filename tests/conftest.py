"""Fixtures of more than one room of the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chat_server import ChatServer


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """An OpenAI-compatible endpoint on loopback, told by the test what to answer."""
    server = ChatServer()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def only_named_plugins(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs inside a test, and the workers of these, load this plugin and xdist, and no others.

    Importing the other plugins of this environment takes half the time of a short run. The names
    are those of the entry points, so what a user's pytest reads is read here too.
    """
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # which forgets the options of the environment
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("PYTEST_ADDOPTS", "-p taubench -p xdist")
        yield

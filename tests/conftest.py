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

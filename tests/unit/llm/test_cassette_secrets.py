"""No recording holds a key or an address."""

from __future__ import annotations

from pathlib import Path

import chat_server as wire
import pytest
from chat_server import ChatServer
from recorded_chat import HELLO, SYSTEM, ask, recording

from pytest_taubench.errors import (
    ContextLengthError,
    InfrastructureError,
)
from pytest_taubench.llm.recording import ReplayModels
from pytest_taubench.schema import ModelSettings


def test_a_recording_holds_no_key_and_no_address(
    chat_server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO])
    everything = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    for secret in ("sk-secret", "127.0.0.1", "Bearer", "uthorization"):
        assert secret not in everything


SECRET_ARGS = {
    "api_key": "sk-own",
    "extra_headers": {"Authorization": "Bearer sk-two", "X-Team": "sk-three"},
    "extra_body": {"upstream": [{"api_token": "sk-four"}], "min_p": 0.1},
    "max_tokens": 50,
}


def test_no_secret_among_the_settings_is_recorded_and_a_replay_needs_none(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    settings = ModelSettings(name="m", args=SECRET_ARGS)
    ask(recording(chat_server, tmp_path), [HELLO], settings=settings)
    everything = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert "sk-" not in everything
    assert '"min_p": 0.1' in everything
    assert '"max_tokens": 50' in everything
    assert chat_server.requests[0]["api_key"] == "sk-own", "it is sent all the same"
    without = {k: v for k, v in SECRET_ARGS.items() if k not in ("api_key", "extra_headers")}
    assert ask(ReplayModels(tmp_path), [HELLO], settings=ModelSettings(name="m", args=without))


def test_a_recorded_fault_holds_neither_address_nor_secret(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    host = chat_server.url.split("/")[2]
    settings = ModelSettings(name="m", base_url=chat_server.url, args={"api_key": "sk-own"})
    chat_server.answer_with(wire.error(413, f"maximum context length at {host} with sk-own"))
    with pytest.raises(ContextLengthError):
        ask(recording(chat_server, tmp_path), [HELLO], settings=settings)
    chat_server.answer_with(*[wire.error(500, f"{host} is down for sk-own")] * 9)
    with pytest.raises(InfrastructureError, match=host):
        ask(recording(chat_server, tmp_path / "b"), [HELLO], settings=settings)
    everything = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert "maximum context length" in everything
    assert "is down for" in everything
    for hidden in ("127.0.0.1", host, "sk-own"):
        assert hidden not in everything

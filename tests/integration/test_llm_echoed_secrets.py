"""What a server repeats of a secret, in errors as in replies, reaches no terminal and no file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer, Response

if TYPE_CHECKING:
    from conftest import Shop

KEY = "sk-9f8e7d6c/5b4a+aa=="
TOKEN = "tok-31415926"


def with_slashes_escaped(response: Response) -> Response:
    """As PHP writes JSON."""
    return Response(response.body.replace(b"/", b"\\/"), response.status)


def with_signs_escaped(response: Response) -> Response:
    """As Gson writes JSON."""
    body = response.body.replace(b"=", b"\\u003d").replace(b"+", b"\\u002B")
    return Response(body, response.status)


@pytest.fixture
def args(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return (
        "--tau-agent=tool-calling",
        "--tau-agent-model=m",
        f"--tau-base-url={chat_server.url}",
        f"--tau-agent-arg=user_token={TOKEN}",
        "--tau-record=recordings",
    )


def kept(shop: Shop) -> str:
    """All that a run has written."""
    folders = (shop.path / ".tau-runs", shop.path / "recordings")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "trials.jsonl" for path in files)
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("escaped", [with_slashes_escaped, with_signs_escaped])
@pytest.mark.parametrize("status", [200, 400, 422])
def test_a_key_that_a_server_escapes_in_its_own_way_is_written_nowhere(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], status: int, escaped: Any
) -> None:
    says = f"you sent Bearer {KEY}"
    chat_server.behave = lambda messages, tools: escaped(
        wire.text(says) if status == 200 else wire.error(status, says)
    )
    shop.many_tasks(1)
    terminal = shop.run(*args).stdout.str()
    assert "you sent Bearer ***" in kept(shop), "the server's words, or the test shows nothing"
    for written in (terminal, kept(shop)):
        assert "9f8e7d6c" not in written
        assert "aa==" not in written


@pytest.mark.parametrize("status", [200, 400, 422])
def test_a_secret_setting_that_an_error_repeats_is_written_nowhere(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], status: int
) -> None:
    def repeats(messages: list[Any], tools: list[Any]) -> Response:
        sent = {k: v for k, v in chat_server.requests[-1].items() if k not in ("messages", "tools")}
        assert sent["user_token"] == TOKEN
        return wire.error(status, f"cannot take {json.dumps(sent)}", param="x")

    chat_server.behave = repeats
    shop.many_tasks(1)
    terminal = shop.run(*args).stdout.str()
    assert "cannot take" in terminal
    assert TOKEN not in terminal
    assert TOKEN not in kept(shop)

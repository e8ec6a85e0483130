"""HTTP_PROXY and its like: named where they fail, and not in the way of what runs on loopback."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from chat_server import ChatServer
from model_trial import args_of

if TYPE_CHECKING:
    from conftest import Shop

DEAD = "http://127.0.0.1:9"
SDK_AGENT = """
from openai import OpenAI

class Agent:
    def __init__(self, context):
        self.client = OpenAI(base_url=context.model.base_url, api_key="any", max_retries=0)

    def step(self, messages):
        return self.client.chat.completions.create(model="m", messages=messages)
"""


@pytest.fixture(autouse=True)
def no_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_one_that_is_down_is_named(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    shop.many_tasks(1)
    shop.run(*args_of(chat_server, user="scripted"))
    (record,) = shop.records()
    assert (record.outcome, record.ending) == ("unscored", "model_error")
    assert record.error is not None
    assert record.error.message.endswith("through the proxy of HTTP_PROXY")
    assert chat_server.requests == []


@pytest.mark.parametrize("excepted", ["*", "127.0.0.1"])
def test_one_that_is_not_used_is_not_blamed(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, excepted: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    monkeypatch.setenv("NO_PROXY", excepted)
    chat_server.close()
    shop.many_tasks(1)
    shop.run(*args_of(chat_server, user="scripted"))
    (record,) = shop.records()
    assert record.error is not None
    assert "HTTP_PROXY" not in record.error.message


def test_one_of_an_unknown_kind_ends_the_run_with_its_variable(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "socks9://127.0.0.1:9")
    shop.many_tasks(2)
    result = shop.run(*args_of(chat_server, user="scripted"))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes()  # no test failed: the one trial that began has a record
    (record,) = shop.records()
    assert (record.outcome, record.ending) == ("unscored", "model_error")
    assert f"no connection to {chat_server.url} by HTTP_PROXY" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def test_an_sdk_behind_our_proxy_finds_it_whatever_the_environment_says(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.write("sdk_agent.py", SDK_AGENT)
    shop.many_tasks(1)
    own = ("--tau-agent=sdk_agent.py:Agent", "--tau-proxy")
    shop.run(*own, f"--tau-base-url={chat_server.url}", "--tau-record=recordings")
    before = shop.records()
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    monkeypatch.setenv("NO_PROXY", "intranet.example")
    shop.run(*own, "--tau-replay=recordings")
    (record,) = shop.records()
    assert (record.outcome, record.ending) == ("scored", "user_stop")
    assert record.trajectory == before[0].trajectory
    assert (os.environ["NO_PROXY"], os.environ.get("no_proxy")) == ("intranet.example", None)

"""Each side's server is sent its own key; and no key is written anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

KEYS = {
    "OPENAI_API_KEY": "sk-shared",
    "TAU_AGENT_API_KEY": "sk-agent",
    "TAU_USER_API_KEY": "sk-user",
}
MODELS = ("--tau-agent-model=m", "--tau-user=llm", "--tau-user-model=u")


@pytest.fixture
def other_server() -> Iterator[ChatServer]:
    server = ChatServer(by_role)
    yield server
    server.close()


@pytest.fixture(autouse=True)
def answering(no_keys: None, chat_server: ChatServer) -> None:
    chat_server.behave = by_role


def sent_to(server: ChatServer) -> set[str]:
    sent = [{name.lower(): value for name, value in each.items()} for each in server.headers]
    return {headers["authorization"].removeprefix("Bearer ") for headers in sent}


def test_one_key_serves_both_on_one_server(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-shared")
    shop.tasks()
    url = f"--tau-base-url={chat_server.url}"
    shop.run("--tau-agent=tool-calling", *MODELS, url).assert_outcomes(passed=2)
    assert sent_to(chat_server) == {"sk-shared"}


@pytest.mark.parametrize("side", ["user", "agent"])
@pytest.mark.parametrize("own", [False, True])
def test_a_side_on_another_server_is_sent_its_own_key_or_none(
    shop: Shop,
    chat_server: ChatServer,
    other_server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
    side: str,
    own: bool,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-shared")
    if own:
        monkeypatch.setenv(f"TAU_{side.upper()}_API_KEY", f"sk-{side}")
    shop.tasks()
    elsewhere = {
        "user": ("--tau-agent=tool-calling", f"--tau-user-base-url={other_server.url}"),
        "agent": (f"--tau-agent={other_server.url}",),
    }
    url = f"--tau-base-url={chat_server.url}"
    shop.run(*elsewhere[side], *MODELS, url).assert_outcomes(passed=2)
    assert sent_to(chat_server) == {"sk-shared"}
    assert sent_to(other_server) == ({f"sk-{side}"} if own else {"no-key-needed"})


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (None, "*no key was sent: check that TAU_USER_API_KEY is set*"),
        ("sk-user", "*check TAU_USER_API_KEY and what it may use*"),
    ],
)
def test_a_server_that_wants_another_key_says_which_variable(
    shop: Shop,
    chat_server: ChatServer,
    other_server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
    key: str | None,
    says: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-shared")
    if key:
        monkeypatch.setenv("TAU_USER_API_KEY", key)
    other_server.behave = lambda messages, tools: wire.error(401, "Incorrect API key provided")
    shop.tasks()
    urls = (f"--tau-base-url={chat_server.url}", f"--tau-user-base-url={other_server.url}")
    shop.run("--tau-agent=tool-calling", *MODELS, *urls).stdout.fnmatch_lines([says])


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://me:hunter2@HOST/v1", "http://(hidden)@HOST/v1"),
        ("https://hunter2@HOST/v1", "https://(hidden)@HOST/v1"),
        ("HTTP://me:hunter2@HOST/v1", "HTTP://(hidden)@HOST/v1"),
        ("http://HOST/v1?api_key=hunter2&v=1", "http://HOST/v1?api_key=(hidden)&v=1"),
    ],
)
@pytest.mark.parametrize("option", ["agent", "base-url", "user-base-url"])
def test_an_address_with_a_secret_in_it_is_refused_and_shown_without_it(
    shop: Shop, chat_server: ChatServer, option: str, address: str, shown: str
) -> None:
    host = chat_server.url.removeprefix("http://").removesuffix("/v1")
    shop.tasks()
    agent = () if option == "agent" else ("--tau-agent=my_agent.py",)
    result = shop.run(f"--tau-{option}={address.replace('HOST', host)}", *agent)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = result.stdout.str() + result.stderr.str()
    assert f"--tau-{option}: '{shown.replace('HOST', host)}' is not valid" in said
    assert "hunter2" not in said
    assert not (shop.path / ".tau-runs").exists()
    assert chat_server.requests == []


def test_an_address_with_a_secret_in_the_ini_file_is_refused(shop: Shop) -> None:
    shop.tasks()
    shop.write("pytest.ini", "[pytest]\ntau_agent = http://me:hunter2@127.0.0.1:9/v1\n")
    result = shop.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: tau_agent (in the ini file): *without user and password*"])
    assert "hunter2" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("address", ["http://", "http://[::1/v1", "http://host:port/v1"])
def test_an_address_that_is_none_is_refused(shop: Shop, address: str) -> None:
    shop.tasks()
    result = shop.run(f"--tau-agent={address}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --tau-agent: * expected an address that starts with*"])


def test_no_key_is_written_anywhere(
    shop: Shop, chat_server: ChatServer, other_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    refused = wire.error(401, "Incorrect API key provided: sk-agent")
    other_server.behave = lambda messages, tools: refused if tools else by_role(messages, tools)
    shop.tasks()
    urls = (f"--tau-base-url={chat_server.url}", f"--tau-user-base-url={other_server.url}")
    reports = ("--tau-report=r.html", "--tau-report=r.json", "--junitxml=j.xml", "-vv")
    for url in (chat_server.url, other_server.url):
        shop.run(f"--tau-agent={url}", *MODELS, *urls, *reports, "--tau-record=tape")
    for path in shop.path.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not any(value in text for value in KEYS.values()), path


LONG_KEY = "sk-0123456789abcdef/0123456789"


def echoes_the_key(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """A debug server: each reply, text or call, repeats what it was sent."""
    if tools and "A1" in messages[-1]["content"]:
        return wire.tool_calls(("cancel_order", {"order_id": f"A1 {LONG_KEY}"}))
    # As PHP writes JSON, and as all others do.
    said = by_role(messages, tools) if not tools else "Done."
    body = wire.text(f"{said} Authorization: Bearer {LONG_KEY}, or PHP").body
    return wire.Response(body.replace(b"PHP", LONG_KEY.replace("/", "\\/").encode()))


@pytest.mark.parametrize("proxy", [False, True], ids=["direct", "proxy"])
def test_a_key_that_a_server_repeats_in_its_replies_is_written_nowhere(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, proxy: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", LONG_KEY)
    chat_server.behave = echoes_the_key
    shop.write("sdk_agent.py", SDK_AGENT)
    shop.tasks()
    own = ("--tau-agent=sdk_agent.py:Agent", "--tau-proxy")
    agent = own if proxy else ("--tau-agent=tool-calling",)
    reports = ("--tau-report=r.html", "--tau-report=r.json", "--junitxml=j.xml", "-vv")
    url = f"--tau-base-url={chat_server.url}"
    result = shop.run(*agent, *MODELS, url, *reports, "--tau-record=tape", "--tau-max-steps=4")
    assert sent_to(chat_server) == {LONG_KEY}
    told = [m.content for r in shop.records() for m in r.trajectory if m.role == "assistant"]
    assert "Done. Authorization: Bearer ***, or ***" in told
    assert LONG_KEY not in result.stdout.str()
    for path in shop.path.rglob("*"):
        if path.is_file():
            assert LONG_KEY[3:15] not in path.read_text(encoding="utf-8", errors="replace"), path


def test_a_dummy_key_is_an_ordinary_word_of_a_reply(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    chat_server.behave = lambda messages, tools: (
        "The cart is EMPTY." if tools else by_role(messages, tools)
    )
    shop.tasks()
    shop.run("--tau-agent=tool-calling", *MODELS, f"--tau-base-url={chat_server.url}")
    told = [m.content for r in shop.records() for m in r.trajectory if m.role == "assistant"]
    assert set(told) == {"The cart is EMPTY."}


SDK_AGENT = """
from openai import OpenAI

class Agent:
    def __init__(self, context):
        self.tools = list(context.tool_schemas)
        self.client = OpenAI(base_url=context.model.base_url, api_key="the-agents-own")

    def step(self, messages):
        return self.client.chat.completions.create(model="m", messages=messages, tools=self.tools)
"""

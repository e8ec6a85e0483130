"""A key or a price that is missing is found before the first trial, and nothing is stored."""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from typing import TYPE_CHECKING

import pytest
from chat_server import ChatServer
from refused_run import refusal, refusals
from test_llm_judge import TASKS as JUDGED
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

pytestmark = pytest.mark.usefixtures("no_keys")

OPENAI = "https://api.openai.com/v1"
AGENT = ("--tau-agent=tool-calling", "--tau-agent-model=gpt-4o")
USER = ("--tau-user=llm", "--tau-user-model=gpt-4o")
PROXIED = ("--tau-agent=my_agent.py", "--tau-proxy", "--tau-agent-model=gpt-4o")


@pytest.mark.parametrize(
    ("args", "option", "who", "variable"),
    [
        (AGENT, "agent", "agent", "OPENAI_API_KEY"),
        ((*AGENT, f"--tau-base-url={OPENAI}"), "agent", "agent", "OPENAI_API_KEY"),
        ((f"--tau-agent={OPENAI}", "--tau-agent-model=m"), "agent", "agent", "OPENAI_API_KEY"),
        (PROXIED, "agent", "agent", "OPENAI_API_KEY"),
        (("--tau-agent=silent", *USER), "user", "user", "OPENAI_API_KEY"),
        (("--tau-agent=silent", "--tau-judge-model=j"), "judge-model", "judge", "OPENAI_API_KEY"),
        (("--tau-agent=silent", "--tau-attribute=j"), "attribute", "judge", "OPENAI_API_KEY"),
    ],
)
def test_a_missing_key_is_one_usage_error_that_names_its_variable(
    shop: Shop,
    args: tuple[str, ...],
    option: str,
    who: str,
    variable: str,
) -> None:
    shop.tasks(JUDGED)
    says = f"--tau-{option}: no key for the {who}'s model * at *api.openai.com*: set {variable}*"
    assert fnmatch(refusal(shop, shop.run(*args)), says)


def test_with_workers_a_missing_key_is_the_same_one_usage_error(shop: Shop) -> None:
    shop.tasks()
    says = "--tau-agent: no key for the agent's model * at *api.openai.com*: set OPENAI_API_KEY*"
    assert fnmatch(refusal(shop, shop.run(*AGENT, f"--tau-base-url={OPENAI}", "-n2")), says)


def test_every_missing_key_is_named_at_once(shop: Shop, chat_server: ChatServer) -> None:
    shop.tasks()
    at = (f"--tau-base-url={chat_server.url}", f"--tau-user-base-url={OPENAI}")
    result = shop.run(f"--tau-agent={OPENAI}", "--tau-agent-model=m", *USER, *at)
    agents, users = refusals(shop, result)
    assert fnmatch(agents, "--tau-agent: no key *: set TAU_AGENT_API_KEY*")
    assert fnmatch(users, "--tau-user: no key *: set TAU_USER_API_KEY*")
    assert chat_server.requests == []


@pytest.mark.parametrize("args", [("--tau-agent=silent",), ("--tau-agent=my_agent.py",)])
def test_what_asks_no_model_needs_no_key(shop: Shop, args: tuple[str, ...]) -> None:
    shop.tasks()
    shop.run(*args, "--tau-agent-model=gpt-4o", "--tau-user-model=gpt-4o")
    assert len(shop.records()) == 2


def test_keys_are_asked_for_neither_to_list_tests_nor_to_replay(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = by_role
    shop.tasks()
    assert shop.run(*AGENT, "--collect-only").ret == pytest.ExitCode.OK
    shop.run(*AGENT, f"--tau-base-url={chat_server.url}", "--tau-record=tape")
    shop.run(*AGENT, "--tau-replay=tape").assert_outcomes(passed=2)


@pytest.mark.parametrize("key", ["sk-SECRET\n0123456789", "sk-SECRET 0123456789", "sk-SECRET…"])
def test_a_key_that_no_request_can_carry_is_refused_and_not_shown(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    shop.tasks()
    result = shop.run(*AGENT, f"--tau-base-url={chat_server.url}")
    says = "--tau-agent: OPENAI_API_KEY, the key for *, holds a blank, a line break or *"
    assert fnmatch(refusal(shop, result), says)
    assert "SECRET" not in result.stdout.str() + result.stderr.str()


def test_a_line_break_behind_a_key_is_not_part_of_it(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-a-file\n")
    chat_server.behave = by_role
    shop.tasks()
    shop.run(*AGENT, f"--tau-base-url={chat_server.url}").assert_outcomes(passed=2)
    sent = [{name.lower(): value for name, value in each.items()} for each in chat_server.headers]
    assert {headers["authorization"] for headers in sent} == {"Bearer sk-from-a-file"}


@pytest.mark.parametrize(
    ("args", "option", "who"),
    [
        (AGENT, "agent-model", "agent's model gpt-4o"),
        (("--tau-agent=URL", "--tau-agent-model=gpt-4o"), "agent-model", "agent's model gpt-4o"),
        (("--tau-agent=silent", *USER), "user-model", "user's model gpt-4o"),
        (("--tau-agent=silent", "--tau-judge-model=j"), "judge-model", "judge's model j"),
        (("--tau-agent=silent", "--tau-attribute=j"), "attribute", "judge's model j"),
    ],
)
def test_a_limit_on_a_model_without_a_price_is_refused_before_anything_is_paid(
    shop: Shop,
    chat_server: ChatServer,
    args: tuple[str, ...],
    option: str,
    who: str,
) -> None:
    shop.tasks(JUDGED)
    args = tuple(arg.replace("URL", chat_server.url) for arg in args)
    limit = ("--tau-max-cost=5", f"--tau-base-url={chat_server.url}")
    says = f"--tau-max-cost: no price is known of the {who} at {chat_server.url}*--tau-{option}*"
    assert fnmatch(refusal(shop, shop.run(*args, *limit)), says)
    assert chat_server.requests == []


def test_a_limit_without_the_prices_extra_says_what_to_install(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    shop.tasks()
    result = shop.run(*AGENT, "--tau-max-cost=5", f"--tau-base-url={chat_server.url}")
    assert fnmatch(
        refusal(shop, result),
        "--tau-max-cost: *extra 'prices'*: pip install 'pytest-taubench?prices?'",
    )


def test_a_model_that_a_server_names_itself_is_found_without_a_price_by_its_first_call(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = by_role
    shop.tasks()
    limit = ("--tau-max-cost=5", f"--tau-base-url={chat_server.url}")
    result = shop.run("--tau-agent=tool-calling", *limit)
    says = f"no price is known of the agent's model test-model at {chat_server.url}"
    result.stdout.fnmatch_lines([f"*no trial can succeed: --tau-max-cost cannot hold: {says}*"])
    assert "extra" not in result.stdout.str()
    assert len(chat_server.requests) == 1


def test_a_response_without_usage_ends_a_run_with_a_limit_and_says_whose_it_was(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    import chat_server as wire
    import genai_prices

    penny = SimpleNamespace(input_price=0.008, output_price=0.002, total_price=0.01)
    monkeypatch.setattr(genai_prices, "calc_price", lambda usage, model, **keys: penny)
    chat_server.behave = lambda messages, tools: wire.text("ok", usage=None)
    shop.tasks()
    result = shop.run(*AGENT, "--tau-max-cost=5", f"--tau-base-url={chat_server.url}")
    says = f"the agent's model gpt-4o at {chat_server.url} answered without usage"
    result.stdout.fnmatch_lines([f"*no trial can succeed: --tau-max-cost cannot hold: {says}*"])


@pytest.mark.parametrize(
    ("option", "args", "names"),
    [
        ("agent-arg", (*AGENT, "model=other"), "model"),
        ("agent-arg", (*AGENT, "messages=[]", "tools=[]"), "messages, tools"),
        ("agent-arg", (*AGENT, "stream=true"), "stream"),
        ("agent-arg", (*PROXIED, "model=other"), "model"),
        ("user-arg", ("--tau-agent=silent", *USER, "messages=[]"), "messages"),
        ("judge-arg", ("--tau-agent=silent", "--tau-judge-model=j", "tools=[]"), "tools"),
    ],
)
def test_a_setting_that_would_replace_the_request_is_refused(
    shop: Shop, chat_server: ChatServer, option: str, args: tuple[str, ...], names: str
) -> None:
    shop.tasks(JUDGED)
    args = tuple(a if a.startswith("--") else f"--tau-{option}={a}" for a in args)
    says = f"--tau-{option}: {names} cannot be set: *--tau-{option.replace('arg', 'model')}*"
    assert fnmatch(refusal(shop, shop.run(*args, f"--tau-base-url={chat_server.url}")), says)
    assert chat_server.requests == []


def test_an_agent_that_asks_no_model_of_ours_may_be_passed_any_setting(shop: Shop) -> None:
    shop.tasks()
    shop.run("--tau-agent=my_agent.py", "--tau-agent-arg=model=its-own").assert_outcomes(passed=2)

"""What models are sent: stable prefixes, the think tool, examples, endpoints by role; and thoughts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role, shop_agent

from pytest_taubench.agents.react import REACT_FORMAT

if TYPE_CHECKING:
    from conftest import Shop

THINK = '''

@tool(kind="generic")
def think(db: Overlay, thought: str) -> str:
    """Think.

    Args:
        thought: The thought.
    """
    return ""
'''


@pytest.fixture
def args(chat_server: ChatServer) -> tuple[str, ...]:
    chat_server.behave = by_role
    return ("--tau-agent-model=m", "--tau-user-model=u", f"--tau-base-url={chat_server.url}")


@pytest.fixture
def user_server() -> Iterator[ChatServer]:
    server = ChatServer(by_role)
    yield server
    server.close()


def prefix(request: dict[str, Any]) -> str:
    """What a prompt cache sees first, key order and all."""
    return json.dumps([request.get("tools"), request["messages"][0]])


@pytest.mark.parametrize("agent", ["tool-calling", "react", "act"])
def test_system_prompt_and_tools_are_the_same_in_every_turn_trial_and_worker(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], agent: str
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if agent == "tool-calling":
            return shop_agent(messages, tools)
        return 'Action: {"name": "get_order", "arguments": {"order_id": "A1"}}'

    chat_server.behave = behave
    shop.many_tasks(4)
    shop.run(f"--tau-agent={agent}", *args, "--tau-trials=3", "--tau-max-steps=3", "-n2")
    assert len(chat_server.requests) >= 24
    assert len({prefix(request) for request in chat_server.requests}) == 1


def test_a_turn_repeats_what_the_turn_before_sent_and_adds_to_it(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.many_tasks(1)
    shop.run("--tau-agent=tool-calling", *args)
    first, second = (request["messages"] for request in chat_server.requests)
    assert json.dumps(second[: len(first)]) == json.dumps(first)


def test_the_think_tool_is_withheld_where_the_option_says_so(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.write("shop/tools.py", (shop.path / "shop/tools.py").read_text() + THINK)
    shop.tasks()
    offered = []
    for option in ((), ("--tau-no-think",)):
        chat_server.requests.clear()
        shop.run("--tau-agent=tool-calling", *args, *option).assert_outcomes(passed=2)
        offered.append([tool["function"]["name"] for tool in chat_server.requests[0]["tools"]])
    assert offered == [["get_order", "cancel_order", "think"], ["get_order", "cancel_order"]]


def test_the_policy_is_withheld_where_the_option_says_so(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.tasks()
    shop.run("--tau-agent=tool-calling", *args, "--tau-no-policy").assert_outcomes(passed=2)
    roles = {message["role"] for request in chat_server.requests for message in request["messages"]}
    assert "system" not in roles


EXAMPLES = [
    {"user_id": "ann", "messages": [{"role": "user", "content": "Where is A7?"}]},
    {"user_id": "bob", "messages": [{"role": "user", "content": "Where is A8?"}]},
]


def test_the_few_shot_agent_reads_examples_of_other_users_only(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.write("examples.json", json.dumps(EXAMPLES))
    common = {"domain": "../shop", "instruction": "Cancel A1."}
    by_field = {**common, "id": "by-field", "user_id": "ann"}
    by_text = {**common, "id": "by-text", "instruction": "Your user id is bob. Cancel A1."}
    shop.tasks(json.dumps([by_field, by_text]), "tasks/two.tau.json")
    read: dict[str, str] = {}
    for name in ("by-field", "by-text"):
        chat_server.requests.clear()
        shop.run("--tau-agent=few-shot", *args, "--tau-examples=examples.json", "-k", name)
        read[name] = chat_server.requests[0]["messages"][0]["content"]
    assert ("A7" in read["by-field"], "A8" in read["by-field"]) == (False, True)
    assert ("A7" in read["by-text"], "A8" in read["by-text"]) == (True, False)


def test_the_user_and_the_judge_may_be_served_elsewhere_than_the_agent(
    shop: Shop, chat_server: ChatServer, user_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.tasks()
    result = shop.run(
        "--tau-agent=tool-calling",
        "--tau-user=llm",
        *args,
        f"--tau-user-base-url={user_server.url}",
    )
    result.assert_outcomes(passed=2)
    assert {request["model"] for request in chat_server.requests} == {"m"}
    assert {request["model"] for request in user_server.requests} == {"u"}


def test_what_decides_figures_is_kept_and_a_resumed_run_must_have_the_same(
    shop: Shop, args: tuple[str, ...]
) -> None:
    shop.write("examples.json", json.dumps(EXAMPLES))
    shop.tasks()
    agent = ("--tau-agent=few-shot", *args)
    shop.run(*agent, "--tau-examples=examples.json").assert_outcomes(passed=2)
    shop.write("examples.json", json.dumps(EXAMPLES[1:]))
    result = shop.run(*agent, "--tau-examples=examples.json", "--tau-no-think", "--tau-resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tau-no-think was not given, now given*--tau-examples was*"])


def test_a_thought_is_shown_in_the_reports_and_sent_to_nobody(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    secret = "the customer sounds impatient"

    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if REACT_FORMAT in messages[0]["content"]:
            action = '{"name": "respond", "arguments": {"content": "No."}}'
            return f"Thought: {secret}\nAction: {action}"
        return by_role(messages, tools)

    chat_server.behave = behave
    shop.tasks()
    args = ("--tau-agent=react", "--tau-user=llm", *args)
    result = shop.run(*args, "--tau-report=run.html", "-k", "cancel")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*agent thinks: {secret}*"])
    assert secret in (shop.path / "run.html").read_text(encoding="utf-8")
    heard: dict[str, str] = defaultdict(str)
    for request in chat_server.requests:
        heard[request["model"]] += json.dumps(request["messages"])
    assert secret not in heard["u"]

"""A model that cannot take part is found before the first trial, not by a trial hours later."""

from __future__ import annotations

import json
import socket
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from refused_run import refusal
from test_llm_judge import TASKS as JUDGED
from test_llm_judge import verdicts
from test_llm_plugin import by_role

from pytest_taubench.plugin.run.model_checks import QUESTION

if TYPE_CHECKING:
    from conftest import Shop

pytestmark = pytest.mark.usefixtures("no_keys")

REFUSED = wire.error(401, "Incorrect API key provided")
UNKNOWN = wire.error(404, "The model `j` does not exist", code="model_not_found")


def asks_ready(request: dict[str, Any]) -> bool:
    return bool(request["messages"][-1]["content"] == QUESTION)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (REFUSED, "*Incorrect API key provided*no key was sent: check that OPENAI_API_KEY is set"),
        (UNKNOWN, "*The model `j` does not exist*check the model's name*"),
        (wire.error(400, "no such endpoint"), "*answered 400: *no such endpoint*"),
        (wire.Response(b"", 307, {"Location": "/v2/chat/completions"}), "*--tau-base-url=http*/v2"),
    ],
    ids=["refused-key", "unknown-model", "refused-question", "redirected"],
)
@pytest.mark.parametrize("option", ["attribute", "judge-model"])
def test_a_judge_that_cannot_be_asked_is_refused_before_any_trial(
    shop: Shop,
    chat_server: ChatServer,
    option: str,
    answer: wire.Response,
    says: str,
) -> None:
    chat_server.behave = lambda messages, tools: answer
    shop.tasks(JUDGED)
    url = f"--tau-base-url={chat_server.url}"
    result = shop.run("--tau-agent=my_agent.py", f"--tau-{option}=j", url)
    assert fnmatch(refusal(shop, result), f"--tau-{option}: {says}")
    assert [request["model"] for request in chat_server.requests] == ["j"]


def test_judges_are_asked_once_a_run_and_only_where_a_task_needs_them(
    shop: Shop, chat_server: ChatServer, plugin_args: tuple[str, ...]
) -> None:
    chat_server.behave = lambda messages, tools: verdicts(True, True)
    shop.tasks(JUDGED)
    url = f"--tau-base-url={chat_server.url}"
    judge = ("--tau-agent=my_agent.py", "--tau-judge-model=j", url, *plugin_args)
    shop.run(*judge, "-k", "plain").assert_outcomes(passed=1)
    assert chat_server.requests == []
    shop.run(*judge, "--tau-trials=3").assert_outcomes(passed=6)
    assert [asks_ready(request) for request in chat_server.requests].count(True) == 1


def test_nothing_is_asked_where_replies_are_replayed_and_no_question_is_recorded(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda messages, tools: verdicts(True, True)
    shop.tasks(JUDGED)
    judge = ("--tau-agent=my_agent.py", "--tau-judge-model=j")
    shop.run(*judge, f"--tau-base-url={chat_server.url}", "--tau-record=tape")
    assert QUESTION not in "".join(p.read_text() for p in (shop.path / "tape").rglob("*.json"))
    chat_server.requests.clear()
    shop.run(*judge, "--tau-replay=tape").assert_outcomes(passed=2)
    assert chat_server.requests == []


def test_a_judge_at_an_address_where_nothing_listens_is_told_and_costs_no_trial(
    shop: Shop, plugin_args: tuple[str, ...]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shop.tasks()
    judge = ("--tau-attribute=j", f"--tau-user-base-url=http://127.0.0.1:{port}/v1")
    result = shop.run("--tau-agent=my_agent.py", *judge, *plugin_args)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["--tau-attribute: the judge's model j at *connection failed*"])


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        (("a", "b"), "*serves several models*a, b; or pass --tau-agent-model=MODEL"),
        ((), "*model `default` does not exist*; or pass --tau-agent-model=MODEL"),
    ],
    ids=["several", "none"],
)
def test_a_model_that_nobody_named_and_nothing_tells_is_refused(
    shop: Shop,
    chat_server: ChatServer,
    listed: tuple[str, ...],
    says: str,
) -> None:
    chat_server.models = listed
    chat_server.behave = lambda messages, tools: wire.error(
        404, "The model `default` does not exist", code="model_not_found"
    )
    shop.tasks()
    result = shop.run("--tau-agent=react", f"--tau-base-url={chat_server.url}")
    assert fnmatch(refusal(shop, result), f"--tau-agent: {says}")
    assert all(asks_ready(request) for request in chat_server.requests)


def test_a_users_model_that_nobody_named_is_refused_likewise(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.models = ("a", "b")
    shop.tasks()
    user = ("--tau-user=llm", f"--tau-user-base-url={chat_server.url}")
    result = shop.run("--tau-agent=my_agent.py", *user)
    assert fnmatch(refusal(shop, result), "--tau-user: *several*; or pass --tau-user-model=MODEL")


@pytest.mark.parametrize("models", [("only-one",), ()], ids=["one", "none"])
def test_an_agent_behind_an_address_is_sent_no_question_of_ours(
    shop: Shop, chat_server: ChatServer, models: tuple[str, ...]
) -> None:
    chat_server.models, chat_server.behave = models, by_role
    shop.tasks()
    shop.run(f"--tau-agent={chat_server.url}").assert_outcomes(passed=2)
    asked = json.dumps(chat_server.requests)
    assert QUESTION not in asked
    assert {request["model"] for request in chat_server.requests} == {*(models or ("default",))}


def test_a_server_that_lists_one_model_is_sent_no_question_of_ours(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = by_role
    shop.tasks()
    agent = ("--tau-agent=tool-calling", f"--tau-base-url={chat_server.url}")
    shop.run(*agent).assert_outcomes(passed=2)
    assert not any(asks_ready(request) for request in chat_server.requests)

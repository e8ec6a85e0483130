"""--tau-request-timeout: how long one request of any model may take, in whichever process."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from model_trial import CANCELLING
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

JUDGED = f"""{CANCELLING.rstrip()}
    reward_basis: [database, nl_assertions]
    nl_assertions: [The agent is polite.]
"""

SDK_AGENT = """
from openai import OpenAI

class Agent:
    def __init__(self, context):
        url = context.model.base_url
        self.client = OpenAI(base_url=url, api_key="any", max_retries=0)

    def step(self, messages):
        return self.client.chat.completions.create(model="m", messages=messages)
"""


def slow(server: ChatServer, model: str, how: wire.Response) -> None:
    """Let one model be slow, and the others answer at once."""
    server.behave = by_role
    server.answer_with(*[how] * 9, model=model)


def args_of(server: ChatServer) -> tuple[str, ...]:
    return (
        "--tau-agent=tool-calling",
        "--tau-user=llm",
        "--tau-agent-model=a",
        "--tau-user-model=u",
        f"--tau-base-url={server.url}",
    )


def asked(server: ChatServer, model: str) -> int:
    return len(server.asked(model))


@pytest.mark.parametrize("whose", ["agent", "user"])
def test_a_request_that_takes_longer_is_given_up_after_a_second_one(
    shop: Shop, chat_server: ChatServer, whose: str
) -> None:
    slow(chat_server, whose[0], wire.hang(60))
    shop.many_tasks(1)
    shop.run(*args_of(chat_server), "--tau-request-timeout=0.4")
    [record] = shop.records()
    assert record.outcome == "unscored"
    assert record.error is not None
    assert f"the {whose}'s model {whose[0]} at " in record.error.message
    assert "tried 2 times, at last: no answer within 0.4 s" in record.error.message
    assert asked(chat_server, whose[0]) == 2


def test_an_answer_that_drips_in_takes_the_time_of_its_last_byte(
    shop: Shop, chat_server: ChatServer
) -> None:
    # Each pause is short, and the whole takes more than a minute.
    slow(chat_server, "a", replace(wire.text("slow"), drip=0.2))
    shop.many_tasks(1)
    shop.run(*args_of(chat_server), "--tau-request-timeout=1")
    [record] = shop.records()
    assert record.error is not None
    assert "no answer within 1 s" in record.error.message


def test_a_slow_model_is_waited_for(shop: Shop, chat_server: ChatServer) -> None:
    shop.write("pytest.ini", "[pytest]\ntau_request_timeout = 20\n")
    chat_server.behave = by_role
    chat_server.answer_with(
        replace(wire.tool_calls(("cancel_order", {"order_id": "A1"})), hang=1.0), model="a"
    )
    shop.many_tasks(1)
    shop.run(*args_of(chat_server)).assert_outcomes(passed=1)


def test_it_holds_behind_the_proxy(shop: Shop, chat_server: ChatServer) -> None:
    slow(chat_server, "m", wire.hang(60))
    shop.write("sdk_agent.py", SDK_AGENT)
    shop.many_tasks(1)
    shop.run(
        "--tau-agent=sdk_agent.py",
        "--tau-proxy",
        f"--tau-base-url={chat_server.url}",
        "--tau-request-timeout=0.4",
    )
    [record] = shop.records()
    assert record.outcome == "unscored"
    assert record.error is not None
    assert "no answer within 0.4 s" in record.error.message


def test_it_holds_for_the_question_before_the_first_trial_and_for_the_judge(
    shop: Shop, chat_server: ChatServer
) -> None:
    slow(chat_server, "j", wire.hang(60))
    shop.tasks(JUDGED)
    result = shop.run(*args_of(chat_server), "--tau-judge-model=j", "--tau-request-timeout=0.4")
    said = re.sub(r"\s+", " ", result.stdout.str())
    assert "--tau-judge-model: the judge's model j at" in said
    assert said.count("no answer within 0.4 s") >= 2
    [record] = shop.records()
    assert record.outcome == "unscored"
    assert asked(chat_server, "j") == 4, "two before the first trial, two for its verdict"


def test_it_holds_for_the_model_that_says_whose_fault_it_was(
    shop: Shop, chat_server: ChatServer
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        return "I cannot." if tools else by_role(messages, tools)

    chat_server.behave = behave
    chat_server.answer_with(wire.text("ready"), *[wire.hang(60)] * 3, model="f")
    shop.many_tasks(1)
    shop.run(*args_of(chat_server), "--tau-attribute=f", "--tau-request-timeout=0.4")
    [record] = shop.records()
    assert record.attribution is not None
    assert record.attribution.model is not None
    assert "no answer within 0.4 s" in record.attribution.model.why


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon", ""])
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "ini"])
def test_what_is_no_time_is_refused(shop: Shop, value: str, typed: bool) -> None:
    shop.tasks()
    if not typed:
        shop.write("pytest.ini", f"[pytest]\ntau_request_timeout = {value}\n")
    args = (f"--tau-request-timeout={value}",) if typed else ()
    result = shop.run("--tau-agent=my_agent.py", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = "--tau-request-timeout" if typed else "tau_request_timeout (in the ini file)"
    says = f"{name}: {value!r} is not valid; expected a positive number of seconds"
    assert says in result.stderr.str()


def test_a_stored_run_is_resumed_and_a_recording_replayed_with_another_time(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = by_role
    shop.many_tasks(1)
    args = args_of(chat_server)
    shop.run(*args, "--tau-record=tapes", "--tau-request-timeout=20").assert_outcomes(passed=1)
    shop.run(*args, "--tau-replay=tapes", "--tau-request-timeout=30").assert_outcomes(passed=1)
    result = shop.run(*args, "--tau-resume", "--tau-request-timeout=40")
    assert result.ret == pytest.ExitCode.OK

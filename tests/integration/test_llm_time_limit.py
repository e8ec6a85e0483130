"""--tau-timeout over models: an endpoint that hangs, an agent that dawdles, and both replayed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role, shop_agent
from test_llm_recording import SDK_AGENT, told

if TYPE_CHECKING:
    from conftest import Shop

    from pytest_taubench.schema import TrialRecord

LIMIT = 1.5


def hangs(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Answers nothing within any limit of these tests."""
    return wire.hang(60)


def dawdles(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Looks the order up again and again, each time within a fifth of the limit."""
    return replace(wire.tool_calls(("get_order", {"order_id": "A1"})), hang=LIMIT / 5)


AGENTS: dict[str, tuple[str, ...]] = {
    "built-in": ("--tau-agent=tool-calling", "--tau-agent-model=m"),
    "proxied": ("--tau-agent=sdk_agent.py", "--tau-proxy"),
}
NAMES = {"built-in": "the agent's model m", "proxied": "the agent's model their-model"}


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest, shop: Shop) -> str:
    shop.write("sdk_agent.py", SDK_AGENT)
    name: str = request.param
    return name


def args_of(agent: str, server: ChatServer, limit: float = LIMIT) -> tuple[str, ...]:
    return (*AGENTS[agent], f"--tau-base-url={server.url}", f"--tau-timeout={limit}")


def what(record: TrialRecord) -> tuple[str, str, float | None]:
    return str(record.ending), record.outcome, record.reward


def said(record: TrialRecord) -> str:
    assert record.error is not None
    return record.error.message


def differing(
    recorded: dict[str, dict[str, Any]], replayed: dict[str, dict[str, Any]]
) -> list[tuple[str, str, Any, Any]]:
    """The fields in which records differ, short enough to read."""
    assert recorded.keys() == replayed.keys()
    return [
        (nodeid, name, before, replayed[nodeid][name])
        for nodeid, record in recorded.items()
        for name, before in record.items()
        if replayed[nodeid][name] != before
    ]


def test_an_endpoint_that_hangs_is_not_counted_against_the_agent_and_ends_the_run(
    shop: Shop, chat_server: ChatServer, agent: str
) -> None:
    chat_server.behave = hangs
    shop.many_tasks(20)
    result = shop.run(*args_of(agent, chat_server), "--tau-gate=pass^1>=0.5")
    assert result.ret == 6
    says = (
        f"no reply from {NAMES[agent]} within the trial's limit of 1.5 s: a hanging endpoint, or a "
        "limit too short for this model"
    )
    result.stdout.fnmatch_lines([f"*no trial can succeed: 3 in a row, of 3 tasks, *: {says}*"])
    assert [what(record) for record in shop.records()] == [("model_error", "unscored", None)] * 3
    assert {said(record) for record in shop.records()} == {says}
    assert len(chat_server.requests) == 3


def test_an_agent_that_uses_its_time_up_in_many_calls_has_run_out_of_it(
    shop: Shop, chat_server: ChatServer, agent: str
) -> None:
    chat_server.behave = dawdles
    shop.many_tasks(1)
    shop.run(*args_of(agent, chat_server))
    (record,) = shop.records()
    assert what(record) == ("agent_timeout", "scored", 0)
    assert said(record) == "the agent had the turn when the 1.5 s of the trial were over"
    assert record.steps >= 2


def test_an_agent_that_is_slow_by_itself_has_run_out_of_time_too(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = shop_agent
    slow = SDK_AGENT.replace("def step", "def quick_step") + (
        "    def step(self, messages):\n"
        "        import time\n"
        "        time.sleep(0.7 if messages[-1]['role'] == 'user' else 5)\n"
        "        return self.quick_step(messages)\n"
    )
    shop.write("sdk_agent.py", slow)
    shop.many_tasks(1)
    shop.run(*args_of("proxied", chat_server))
    assert [what(record) for record in shop.records()] == [("agent_timeout", "scored", 0)]


def test_a_users_model_that_hangs_is_not_counted_against_the_agent(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda messages, tools: (shop_agent if tools else hangs)(messages, tools)
    shop.many_tasks(20)
    user = ("--tau-user=llm", "--tau-user-model=u")
    result = shop.run(*args_of("built-in", chat_server), *user)
    says = "no reply from the user's model u within the trial's limit of 1.5 s"
    result.stdout.fnmatch_lines([f"*no trial can succeed: 3 in a row, of 3 tasks, *: {says}*"])
    assert [what(record) for record in shop.records()] == [("model_error", "unscored", None)] * 3


def test_the_time_that_the_users_model_takes_is_not_the_agents(
    shop: Shop, chat_server: ChatServer
) -> None:
    def slow_user(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if tools:
            return replace(_response(shop_agent(messages, tools)), hang=0.4)
        return replace(_response(by_role(messages, tools)), hang=0.5)

    chat_server.behave = slow_user
    shop.many_tasks(1)
    user = ("--tau-user=llm", "--tau-user-model=u")
    # Two calls of 0.5 s for the user and two of 0.4 s for the agent are 1.8 s in all.
    shop.run(*args_of("built-in", chat_server), *user).assert_outcomes(passed=1)
    assert shop.records()[0].duration > LIMIT


def _response(answer: Any) -> wire.Response:
    return wire.text(answer) if isinstance(answer, str) else answer


@pytest.mark.parametrize("behave", [hangs, dawdles])
def test_a_trial_that_a_limit_cut_off_is_replayed_to_the_same_record_at_once(
    shop: Shop, chat_server: ChatServer, agent: str, behave: Callable[..., Any]
) -> None:
    chat_server.behave = behave
    shop.many_tasks(2)
    args = args_of(agent, chat_server)
    shop.run(*args, "--tau-record=tapes")
    recorded, ending = told(shop.records()), {str(record.ending) for record in shop.records()}
    assert ending == {"model_error" if behave is hangs else "agent_timeout"}
    assert len(recorded) == 2
    asked = len(chat_server.requests)
    shop.run(*args, "--tau-replay=tapes")
    assert differing(recorded, told(shop.records())) == []
    assert len(chat_server.requests) == asked
    assert all(record.duration < LIMIT / 2 for record in shop.records())


def test_a_run_that_ends_early_does_not_wait_for_calls_behind_the_proxy(
    shop: Shop, chat_server: ChatServer
) -> None:
    other_asked, released = threading.Event(), threading.Event()
    order: list[str] = []

    def first_fails(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if "A1" in messages[1]["content"]:
            assert other_asked.wait(60)
            return "I cannot."
        other_asked.set()
        released.wait(600)
        order.append("the call is answered")
        return "Too late."

    chat_server.behave = first_fails
    shop.write("sdk_agent.py", SDK_AGENT)
    shop.tasks()
    args = (*AGENTS["proxied"], f"--tau-base-url={chat_server.url}")
    shop.run(*args, "--tau-concurrency=2", "-x").assert_outcomes(failed=1)
    order.append("the run ends")
    released.set()
    assert order[0] == "the run ends"


SLOW = """
    def step(self, messages):
        import time
        time.sleep(BEFORE)
        reply = self.asked(messages)
        time.sleep(AFTER)
        return reply
"""


@pytest.mark.parametrize(("before", "after"), [(0.8, 0), (0, 0.8)], ids=["before", "after"])
def test_a_limit_that_struck_in_the_agents_own_code_is_replayed_to_the_same_record(
    shop: Shop, chat_server: ChatServer, before: float, after: float
) -> None:
    chat_server.behave = lambda messages, tools: wire.tool_calls(("get_order", {"order_id": "A1"}))
    slow = SLOW.replace("BEFORE", str(before)).replace("AFTER", str(after))
    shop.write("sdk_agent.py", SDK_AGENT.replace("def step", "def asked") + slow)
    shop.many_tasks(1)
    args = args_of("proxied", chat_server)
    shop.run(*args, "--tau-record=tapes")
    recorded = told(shop.records())
    assert [what(record) for record in shop.records()] == [("agent_timeout", "scored", 0)]
    # On a faster machine, say, on which the agent would come to ask what was never recorded.
    shop.write("sdk_agent.py", SDK_AGENT)
    shop.run(*args, "--tau-replay=tapes")
    assert differing(recorded, told(shop.records())) == []


def test_a_replay_under_another_limit_says_which_one_was_recorded(
    shop: Shop, chat_server: ChatServer, agent: str
) -> None:
    chat_server.behave = hangs
    shop.many_tasks(1)
    shop.run(*args_of(agent, chat_server), "--tau-record=tapes")
    shop.run(*args_of(agent, chat_server, limit=60), "--tau-replay=tapes")
    (record,) = shop.records()
    assert what(record) == ("model_error", "unscored", None)
    assert said(record).endswith("the trial's limit cut it off; replay it with --tau-timeout=1.5")


def test_trials_that_gave_up_on_their_endpoint_are_replayed_as_such(
    shop: Shop, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_taubench.llm import openai_chat

    backoff = openai_chat.Backoff(attempts=2, base=0.01)
    monkeypatch.setattr(openai_chat, "Backoff", lambda: backoff)
    chat_server.behave = lambda messages, tools: wire.server_error()
    shop.many_tasks(9)
    args = ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={chat_server.url}")
    shop.run(*args, "--tau-record=tapes")
    recorded = [(record.task_id, what(record)) for record in shop.records()]
    result = shop.run(*args, "--tau-replay=tapes")
    assert [(record.task_id, what(record)) for record in shop.records()] == recorded
    assert len(recorded) == 3
    result.stdout.fnmatch_lines(["*no trial can succeed: 3 in a row, of 3 tasks, gave up *"])


SLOW_TO_LOAD = """
import time
from pytest_taubench.llm.endpoint import Endpoint

client = Endpoint.client

def slow(self):
    time.sleep(4)
    return client(self)

Endpoint.client = slow
"""


def test_what_the_client_takes_to_load_is_no_time_of_the_agent(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = by_role
    shop.write("conftest.py", SLOW_TO_LOAD)
    shop.tasks()
    args = ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={chat_server.url}")
    shop.run_apart(*args, "--tau-timeout=3").assert_outcomes(passed=2)
    chat_server.behave = hangs
    shop.run_apart(*args, "--tau-timeout=3", "-k", "cancel")
    assert {what(record) for record in shop.records()} == {("model_error", "unscored", None)}

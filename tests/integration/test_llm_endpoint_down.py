"""A model's endpoint that fails and goes on failing: how long a run takes to see it, what it says.

The runs are apart, since the library of connections, imported anew by each run inside this
process, would not know its own errors again.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

    from pytest_taubench.schema import TrialRecord

HASTY = """
from functools import partial
from pytest_taubench.llm import openai_chat

openai_chat.Backoff = partial(openai_chat.Backoff, base=0.01, longest=0.02)
"""
"""A conftest that makes the pauses between attempts short; the rest is as a user has it."""

COUNTED = """
from functools import partial
from pathlib import Path
from pytest_taubench.llm import openai_chat

now = 0.0

async def sleep(seconds):
    global now
    now += seconds
    with Path(__file__).with_name("waits.txt").open("a") as file:
        print(seconds, file=file)

openai_chat.Backoff = partial(openai_chat.Backoff, sleep=sleep, clock=lambda: now)
"""
"""A conftest that notes the pauses between attempts, and lets a clock of its own pass them."""

OUTAGES = {
    "500": wire.server_error(),
    "503": wire.error(503, "overloaded"),
    "429": wire.rate_limited("3600"),
    "cut": wire.cut_connection(),
    "truncated": wire.truncated_body(),
    "no choices": wire.completion({"role": "assistant"}, choices=[]),
    "hang": wire.hang(60),
}

OWN_SDK = {
    "function": """
def agent(messages, tools):
    return client().chat.completions.create(model="m", messages=messages, tools=tools)
""",
    "step": """
class Agent:
    def __init__(self, context):
        self.tools = list(context.tool_schemas)

    def step(self, messages):
        return client().chat.completions.create(model="m", messages=messages, tools=self.tools)
""",
    "respond": """
class Agent:
    def __init__(self, context):
        pass

    async def respond(self, text):
        try:
            said = client().chat.completions.create(
                model="m", messages=[{"role": "user", "content": text}]
            )
        except Exception as error:
            raise RuntimeError("the framework's own error") from error
        return said.choices[0].message.content
""",
    "urllib": """
import urllib.request

def agent(messages, tools):
    urllib.request.urlopen(URL + "/chat/completions", data=b"{}", timeout=5)
""",
}

PROXIED = """
from openai import OpenAI, OpenAIError

class Agent:
    def __init__(self, context):
        self.client = OpenAI(base_url=context.model.base_url, api_key="the-agents-own")

    def respond(self, text):
        try:
            self.client.chat.completions.create(model="m", messages=[])
        except OpenAIError:
            return "I am sorry, something went wrong."
"""


@pytest.fixture
def nobody() -> str:
    """An address on loopback that refuses connections."""
    with socket.socket() as once:
        once.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{once.getsockname()[1]}/v1"


def hasty(shop: Shop) -> None:
    shop.write("conftest.py", HASTY)


def own_sdk(shop: Shop, shape: str, url: str) -> None:
    """Write an agent with an SDK of its own, which tries each request once."""
    client = f"""
from openai import OpenAI

URL = "{url}"

def client():
    return OpenAI(base_url=URL, api_key="the-agents-own", max_retries=0)
"""
    shop.write("sdk_agent.py", client + OWN_SDK[shape])


def model_args(url: str) -> tuple[str, ...]:
    return ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={url}")


def endings(records: list[TrialRecord]) -> list[tuple[str, str]]:
    return [(str(record.ending), record.outcome) for record in records]


IN_VAIN = [("model_error", "unscored")] * 3


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["plain", "n1"])
def test_a_run_ends_after_three_trials_that_reached_no_model(shop, nobody, workers):
    shop.many_tasks(20)
    shop.write("conftest.py", COUNTED)
    result = shop.run_apart(*model_args(nobody), *workers)
    waits = [float(line) for line in (shop.path / "waits.txt").read_text().splitlines()]
    assert 0 < sum(waits) <= 12, "four seconds for each of the three, as a user waits them"
    assert result.ret != pytest.ExitCode.OK
    says = "no trial can succeed: 3 in a row could not reach their model: the agent's model m at "
    result.stdout.fnmatch_lines([f"*{says}http://127.0.0.1:*connection failed: ConnectError*"])
    assert endings(shop.records()) == IN_VAIN


def test_the_users_model_counts_too(shop, nobody):
    shop.many_tasks(20)
    result = shop.run_apart(
        "--tau-agent=my_agent.py",
        "--tau-user=llm",
        "--tau-user-model=u",
        f"--tau-user-base-url={nobody}",
    )
    says = "no trial can succeed: 3 in a row could not reach their model: the user's model u at "
    result.stdout.fnmatch_lines([f"*{says}*"])
    assert len(shop.records()) == 3


@pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES.keys())
def test_any_outage_that_lasts_ends_the_run(shop: Shop, chat_server: ChatServer, outage):
    hasty(shop)
    chat_server.behave = lambda messages, tools: outage
    shop.many_tasks(20)
    args = (*model_args(chat_server.url), "--tau-request-timeout=0.5")
    result = shop.run_apart(*args, "--tau-gate=pass^1>=0.5")
    assert result.ret == 6, "a gate cannot tell"
    says = "no trial can succeed: 3 in a row, of 3 tasks, gave up on their model's endpoint"
    result.stdout.fnmatch_lines([f"*{says}: the agent's model m at http://*: tried *"])
    assert endings(shop.records()) == IN_VAIN
    assert len(chat_server.requests) == 3 * (2 if outage.hang else 8)


def test_workers_end_the_run_as_well(shop: Shop, chat_server: ChatServer):
    hasty(shop)
    chat_server.behave = lambda messages, tools: wire.server_error()
    shop.many_tasks(40)
    result = shop.run_apart(*model_args(chat_server.url), "-n2", "--tau-gate=pass^1>=0.5")
    assert result.ret == 6
    result.stdout.fnmatch_lines(["*no trial can succeed: 3 in a row, of 3 tasks, gave up *"])
    assert 3 <= len(shop.records()) <= 6


def test_an_endpoint_that_fails_in_the_middle_of_a_run_ends_it_there(shop, chat_server):
    hasty(shop)
    served = iter(range(7))  # each trial asks twice

    def fails_after_a_while(messages: Any, tools: Any) -> Any:
        return by_role(messages, tools) if next(served, None) is not None else wire.server_error()

    chat_server.behave = fails_after_a_while
    shop.many_tasks(20)
    shop.run_apart(*model_args(chat_server.url))
    assert [record.reward for record in shop.records()] == [1, 1, 1, None, None, None]


def test_a_prompt_that_makes_the_server_fail_each_time_does_not_end_the_run_of_others(
    shop: Shop, chat_server: ChatServer
):
    def poisoned(messages: Any, tools: Any) -> Any:
        fails = "A2" in messages[1]["content"]
        return wire.server_error() if fails else by_role(messages, tools)

    hasty(shop)
    chat_server.behave = poisoned
    shop.tasks()
    shop.write(
        "test_orders.py",
        """
def test_the_total(tau_run):
    for trial in range(1, 6):
        tau_run("tasks/orders.tau.yaml::total-of-a2", trial=trial)

def test_the_order(tau_run):
    tau_run("tasks/orders.tau.yaml::cancel-a1")
""",
    )
    shop.run_apart("test_orders.py", *model_args(chat_server.url))
    assert [record.reward for record in shop.records()] == [None] * 5 + [1]


def test_a_run_of_one_task_ends_too(shop: Shop, chat_server: ChatServer):
    hasty(shop)
    chat_server.behave = lambda messages, tools: wire.server_error()
    shop.many_tasks(1)
    result = shop.run_apart(*model_args(chat_server.url), "--tau-trials=9")
    result.stdout.fnmatch_lines(["*no trial can succeed: 3 in a row, of the only task, gave up *"])
    assert endings(shop.records()) == IN_VAIN


def test_an_account_without_credit_ends_the_run_at_the_first_request(
    shop: Shop, chat_server: ChatServer
):
    # Word for word as OpenAI sends it.
    says = (
        "You exceeded your current quota, please check your plan and billing details. For more "
        "information on this error, read the docs: "
        "https://platform.openai.com/docs/guides/error-codes/api-errors."
    )
    quota = wire.error(429, says, code="insufficient_quota", type="insufficient_quota", param=None)
    chat_server.behave = lambda messages, tools: quota
    shop.many_tasks(20)
    result = shop.run_apart(*model_args(chat_server.url), "--tau-gate=pass^1>=0.5")
    assert result.ret == 6
    result.stdout.fnmatch_lines(
        ["*no trial can succeed: the agent's model m at http://* answered 429: *exceeded your*"]
    )
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("shape", OWN_SDK)
def test_an_agent_with_an_sdk_of_its_own_that_reaches_nobody_counts_too(shop, nobody, shape):
    own_sdk(shop, shape, nobody)
    shop.many_tasks(20)
    result = shop.run_apart("--tau-agent=sdk_agent.py", "--tau-gate=pass^1>=0.5")
    assert result.ret == 6
    says = "3 in a row could not reach their model: the agent's model endpoint failed: "
    result.stdout.fnmatch_lines([f"*no trial can succeed: {says}*onnect*"])
    assert endings(shop.records()) == IN_VAIN


@pytest.mark.parametrize(
    ("shape", "outage"),
    [("function", "500"), ("step", "429"), ("respond", "cut"), ("urllib", "503")],
)
def test_what_an_sdk_of_its_own_gives_up_on_is_not_the_agents_fault(
    shop: Shop, chat_server: ChatServer, shape: str, outage: str
):
    own_sdk(shop, shape, chat_server.url)
    chat_server.behave = lambda messages, tools: OUTAGES[outage]
    shop.many_tasks(20)
    result = shop.run_apart("--tau-agent=sdk_agent.py")
    result.stdout.fnmatch_lines(
        ["*3 in a row, of 3 tasks, gave up on their model's endpoint: the agent's model endpoint*"]
    )
    assert endings(shop.records()) == IN_VAIN


def test_a_request_that_the_agent_itself_makes_wrong_is_its_own_fault(
    shop: Shop, chat_server: ChatServer
):
    own_sdk(shop, "step", chat_server.url)
    chat_server.behave = lambda messages, tools: wire.error(400, "messages.3: invalid value")
    shop.many_tasks(4)
    shop.run_apart("--tau-agent=sdk_agent.py")
    assert endings(shop.records()) == [("agent_error", "scored")] * 4


def test_behind_the_proxy_a_dead_endpoint_counts_whatever_the_agent_makes_of_it(
    shop: Shop, nobody: str
):
    shop.write("sdk_agent.py", PROXIED)
    shop.many_tasks(20)
    result = shop.run_apart("--tau-agent=sdk_agent.py", "--tau-proxy", f"--tau-base-url={nobody}")
    says = "3 in a row could not reach their model: the agent's model m at "
    result.stdout.fnmatch_lines([f"*no trial can succeed: {says}*"])
    assert endings(shop.records()) == IN_VAIN


def test_a_users_own_sdk_that_reaches_nothing_counts_too(shop, nobody):
    shop.many_tasks(20)
    shop.write(
        "sdk_user.py",
        f"""
from openai import OpenAI

class User:
    def __init__(self, context):
        self.client = OpenAI(base_url="{nobody}", api_key="the-users-own", max_retries=0)

    def respond(self, text):
        return self.client.chat.completions.create(model="u", messages=[])
""",
    )
    result = shop.run_apart("--tau-agent=my_agent.py", "--tau-user=sdk_user.py")
    says = "3 in a row could not reach their model: the user sdk_user.py's model endpoint failed"
    result.stdout.fnmatch_lines([f"*no trial can succeed: {says}: APIConnectionError*"])
    assert endings(shop.records()) == IN_VAIN


def test_a_model_that_says_whose_fault_it_was_is_given_up_after_three_trials(shop, chat_server):
    hasty(shop)
    preflight = iter(range(1))
    chat_server.behave = lambda messages, tools: (
        wire.completion({"role": "assistant", "content": "yes"})
        if next(preflight, None) is not None
        else wire.server_error()
    )
    shop.many_tasks(6)
    at = f"--tau-user-base-url={chat_server.url}"
    shop.run_apart("--tau-agent=silent", "--tau-attribute=j", at)
    verdicts = [record.attribution.model for record in shop.records()]
    assert [record.reward for record in shop.records()] == [0] * 6, "no reward is lost by it"
    assert [verdict.whose for verdict in verdicts] == [None] * 6
    assert ["3 trials in a row before" in verdict.why for verdict in verdicts] == [False] * 3 + [
        True
    ] * 3
    assert len(chat_server.requests) == 1 + 3 * 8

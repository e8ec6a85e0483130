from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.runs.store import read_run
from pytest_taubench.schema import TrialRecord

# Pytester forgets what a run inside a test imported first, and some modules do not bear to be
# imported twice; the rest is faster for it.
for _name in (
    "anyio._backends._asyncio",
    "genai_prices",
    "h11",
    "openai.resources.chat.completions",
    "scipy.stats",
    "yaml",
    "pytest_taubench.agents.silent",
    "pytest_taubench.plugin.run.ahead",
    "pytest_taubench.plugin.collect.items",
    "pytest_taubench.report.terminal",
    "pytest_taubench.task_files.yaml_text",
):
    import_module(_name)
# A client imports its transport when it is made; errors of a second copy would not be known as such.
Endpoint("http://127.0.0.1:9/v1", None).client()

TOOLS = '''
from typing import Literal
from pytest_taubench import Overlay, ToolError, tool

@tool(kind="read")
def get_order(db: Overlay, order_id: str) -> dict:
    """Get an order.

    Args:
        order_id: The order.
    """
    order = db.get("orders", order_id)
    if order is None:
        raise ToolError(f"order {order_id} not found")
    return dict(order)

@tool(kind="write")
def cancel_order(db: Overlay, order_id: str) -> str:
    """Cancel an order.

    Args:
        order_id: The order.
    """
    if db.get("orders", order_id) is None:
        raise ToolError(f"order {order_id} not found")
    db.edit("orders", order_id)["status"] = "cancelled"
    return "cancelled"
'''

ORDERS = '{"A1": {"status": "pending", "total": 12.5}, "A2": {"status": "pending", "total": 7}}'

TASKS = """
domain: ../shop
tasks:
  - id: cancel-a1
    instruction: You want order A1 cancelled.
    actions: [{name: cancel_order, arguments: {order_id: A1}}]
  - id: total-of-a2
    instruction: You want to know the total of order A2.
    actions: [{name: get_order, arguments: {order_id: A2}}]
    outputs: ["7"]
"""


USER = '''
class User:
    """Says what it wants, then thanks for whatever it is told."""

    def __init__(self, context):
        self.context = context

    def respond(self, text):
        return self.context.instruction if text is None else "Thanks. ###STOP###"
'''

AGENT = '''
import json

def call(name, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call-1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}

def agent(messages, tools):
    """Cancels A1 and knows the total of A2."""
    last = messages[-1]
    if last["role"] == "user" and "A1" in last["content"]:
        return call("cancel_order", order_id="A1")
    return "The order A1 is cancelled." if last["role"] == "tool" else "The total is 7."
'''


class Shop:
    """A project with a tiny domain, in the test's own folder."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.path = pytester.path
        self._pytester = pytester
        self.write("shop/tools.py", TOOLS)
        self.write("shop/policy.md", "Cancel what you are asked to cancel.")
        self.write("shop/db/orders.json", ORDERS)
        self.write("my_user.py", USER)
        self.write("my_agent.py", AGENT)
        self.write("pytest.ini", "[pytest]\ntau_user = my_user.py:User\n")

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def tasks(self, text: str = TASKS, name: str = "tasks/orders.tau.yaml") -> Path:
        return self.write(name, text)

    def many_tasks(self, count: int, name: str = "tasks/many.tau.json") -> Path:
        actions = [{"name": "cancel_order", "arguments": {"order_id": "A1"}}]
        common = {"domain": "../shop", "instruction": "Cancel A1.", "actions": actions}
        return self.tasks(json.dumps([{"id": f"t{n}", **common} for n in range(count)]), name)

    def run(self, *args: str) -> pytest.RunResult:
        """Run pytest in this process."""
        return self._pytester.runpytest(*args)

    def run_apart(self, *args: str, timeout: float = 60) -> pytest.RunResult:
        """Run pytest in a process of its own, which must end by itself."""
        return self._pytester.runpytest_subprocess(*args, timeout=timeout)

    def records(self) -> list[TrialRecord]:
        """The records of the newest run."""
        runs = sorted(
            (self.path / ".tau-runs").glob("[!.]*"), key=lambda run: run.stat().st_mtime_ns
        )
        _, records, warnings = read_run(runs[-1])
        assert warnings == []
        return records

    def rewards(self) -> dict[str, float | None]:
        """The reward of each trial of the newest run, by the last part of its id."""
        return {record.nodeid.rpartition("::")[2]: record.reward for record in self.records()}


@pytest.fixture
def shop(pytester: pytest.Pytester) -> Shop:
    return Shop(pytester)


@pytest.fixture(params=[("-n", "0"), ("-n", "2")], ids=["n0", "n2"])
def plugin_args(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How a user may start pytest; what is claimed must hold each way."""
    args: tuple[str, ...] = request.param
    return args


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no address of a model stands in the environment."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TAU_AGENT_API_KEY", "TAU_USER_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Processes that a test starts can be interrupted, also where these tests run in the background.

    A shell lets its background jobs ignore Ctrl-C, and what they start inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)

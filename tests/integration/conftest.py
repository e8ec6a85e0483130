from __future__ import annotations

from pathlib import Path

import pytest

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


class Shop:
    """A tiny domain and the task files of a test, in the test's own folder."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.path = pytester.path
        self._pytester = pytester
        self.write("shop/tools.py", TOOLS)
        self.write("shop/policy.md", "Cancel what you are asked to cancel.")
        self.write("shop/db/orders.json", ORDERS)

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def tasks(self, text: str = TASKS, name: str = "tasks/orders.tau.yaml") -> Path:
        return self.write(name, text)

    def agent(self, text: str, name: str = "my_agent.py") -> Path:
        return self.write(name, text)


@pytest.fixture
def shop(pytester: pytest.Pytester) -> Shop:
    pytester.makeini("[pytest]\n")
    return Shop(pytester)


@pytest.fixture(params=[(), ("-n", "0"), ("-n", "2")], ids=["plain", "n0", "n2"])
def plugin_args(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How a user may start pytest; what is claimed must hold each way."""
    args: tuple[str, ...] = request.param
    return args

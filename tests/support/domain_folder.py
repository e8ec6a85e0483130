"""A domain folder of one table, written where the test says."""

from __future__ import annotations

import json

TOOLS = '''
from __future__ import annotations

from typing import TypedDict

from pytest_taubench import Overlay, ToolError, tool


class Line(TypedDict):
    number: str


@tool(kind="read")
def get_line(db: Overlay, line: Line) -> dict:
    """Get a line.

    Args:
        line: The line.
    """
    found = db.get("lines", line["number"])
    if found is None:
        raise ToolError("no such line")
    return found


@tool(kind="write")
def suspend_line(db: Overlay, number: str) -> str:
    """Suspend a line.

    Args:
        number: The number.
    """
    db.edit("lines", number)["status"] = "suspended"
    return "done"


@tool(kind="generic", ends_episode=True)
def transfer_to_human_agents(db: Overlay, summary: str) -> str:
    """Transfer.

    Args:
        summary: Why.
    """
    return "Transfer successful"
'''
ONE_TOOL = '''
from pytest_taubench import tool

@tool(kind="generic", ends_episode=True)
def {name}(db{parameters}):
    """{doc}"""
    return ""
'''


def make_domain(folder, *, tools=TOOLS, policy="# Policy\n", tables=None):
    (folder / "db").mkdir(parents=True)
    for name, records in (tables or {"lines": {"555": {"status": "active"}}}).items():
        (folder / "db" / f"{name}.json").write_text(json.dumps(records))
    (folder / "policy.md").write_text(policy, encoding="utf-8")
    (folder / "tools.py").write_text(tools)
    return folder

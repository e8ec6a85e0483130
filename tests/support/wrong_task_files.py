"""Task files with a fault, the shop whose tools they name, and what reading one says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.errors import DomainError, TaskFileError, ToolError
from pytest_taubench.task_files import read_task_file

TASK = "- {id: a, domain: shop, instruction: hello"


class CancelTool:
    """Takes an order_id, a text, and nothing else."""

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        for name in arguments:
            if name != "order_id":
                raise ToolError(f"unknown argument '{name}'; did you mean 'order_id'?")
        if "order_id" not in arguments:
            raise ToolError("missing argument 'order_id'")
        if not isinstance(arguments["order_id"], str):
            raise ToolError("argument 'order_id': expected a string")
        return arguments


def tools_of(domain: str, base: Path) -> Mapping[str, CancelTool]:
    if domain != "shop":
        raise DomainError(f"no domain '{domain}'. Did you mean 'shop'?")
    return {"cancel_order": CancelTool()}


def keys_of(domain: str, base: Path) -> list[str]:
    assert domain == "shop", "asked of a domain that does not load"
    return ["ada_park_1", "#W1"]


def graph_tools_of(domain: str, base: Path) -> list[str]:
    if domain != "media":
        raise DomainError(f"no tool graph '{domain}'. Did you mean 'media'?")
    return ["Translate", "Speak"]


def action(text: str) -> str:
    return f"{TASK},\n   actions: [\n    {text}\n   ]}}"


def graph(**changes: Any) -> str:
    fields = {
        "id": "s",
        "user_request": "Say it",
        "task_nodes": [{"task": "Speak", "arguments": ["hello"]}],
        "task_links": [],
        **changes,
    }
    return json.dumps(
        {"domain": "media", "graph": {k: v for k, v in fields.items() if v is not None}}
    )


# A kind of fault, the file's name, its content, the line, and parts of the message in any order.
Case = tuple[str, str, str | bytes, int | None, list[str]]


def fault_of(path: Path, content: str | bytes) -> TaskFileError:
    """Write the file and return the one fault that reading it finds."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TaskFileError) as caught:
        read_task_file(path, tools_of, graph_tools_of, keys_of=keys_of)
    assert len(caught.value.problems) == 1, str(caught.value)
    return caught.value


def each_of(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Run a test for each case, under its name."""
    return pytest.mark.parametrize("case", [case[1:] for case in cases], ids=[c[0] for c in cases])


def unlike(folder: Path, case: tuple[str, str | bytes, int | None, list[str]]) -> list[str]:
    """Return what of a case the error does not say: its file and line, and the parts."""
    name, content, line, parts = case
    fault = fault_of(folder / name, content)
    begins = f"{folder / name}:{line}: " if line else f"{folder / name}: "
    said = [part for part in parts if part not in str(fault)]
    said += [] if str(fault).startswith(begins) else [begins]
    return said + ([] if fault.problems[0].line == line else [f"line {line}"])

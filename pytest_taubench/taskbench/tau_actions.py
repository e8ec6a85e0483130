"""TaskEval of a τ-bench trial: how far its write actions were from the annotated ones."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

from pytest_taubench.schema import ActionRecord
from pytest_taubench.taskbench.taskeval.arguments import Argument
from pytest_taubench.taskbench.taskeval.counts import count_multisets
from pytest_taubench.taskbench.taskeval.edges import count_edges
from pytest_taubench.taskbench.taskeval.orders import longest_match
from pytest_taubench.taskbench.taskeval.parameters import count_names, count_values
from pytest_taubench.taskbench.taskeval.plan import Link, Plan


class NamedCall(Protocol):
    """A tool call by name and arguments, as the annotation and the record have it."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The arguments."""
        ...


def tau_taskeval(
    gold: Sequence[NamedCall],
    executed: Sequence[ActionRecord],
    write_tools: Collection[str] | None = None,
) -> dict[str, float]:
    """Return node F1, edge F1, NED, t-F1 and v-F1 of a trial's write actions, by strict rules.

    Tools are the nodes, an edge leads from each action to the next, and arguments are the
    parameters. Only calls that succeeded are actions; a call that was refused changed nothing.

    Args:
        gold: The annotated actions.
        executed: The calls of the trial.
        write_tools: The names of write tools, by which annotated reads are left out; by default
            all annotated actions count.
    """
    wanted = [call for call in gold if write_tools is None or call.name in write_tools]
    done = [call for call in executed if call.ok and call.kind == "write"]
    mine, its = _plan(wanted), _plan(done)
    size = len(wanted) + len(done)
    matched = longest_match(mine.tools, mine.order, its.tools)
    return {
        "node_f1": count_multisets(mine.tools, its.tools).f1(1.0),
        "edge_f1": count_edges(mine, its, count_multisets).f1(1.0),
        "ned": 1 - 2 * matched / size if size else 0.0,
        "t_f1": count_names(mine, its, count_multisets).f1(1.0),
        "v_f1": count_values(mine, its, count_multisets).f1(1.0),
    }


def _plan(calls: Sequence[NamedCall]) -> Plan:
    tools = [call.name for call in calls]
    return Plan(
        tools=tools,
        links=[Link(*pair) for pair in pairwise(tools)],
        arguments=[
            [Argument(name, _text(value)) for name, value in (call.arguments or {}).items()]
            for call in calls
        ],
        order=list(pairwise(range(len(tools)))),
    )


def _text(value: Any) -> str:
    """Return a text that is the same for values that mean the same: 25 and 25.0."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value

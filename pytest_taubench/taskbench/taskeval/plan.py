"""A plan as TaskEval sees it: steps, tools, links and arguments, read from what a file holds.

Nothing here raises on malformed input. What cannot be read is a fault with a name, and stands for
nothing else: an argument that does not parse is no argument, never the one read before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.arguments import (
    Argument,
    ArgumentRules,
    read_named_arguments,
    read_typed_arguments,
)
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind, shown
from pytest_taubench.taskbench.taskeval.orders import has_cycle

UNREADABLE = "<unreadable>"
"""Stands for a name that is none: a node that names no tool keeps its place among the nodes."""


class Link(NamedTuple):
    """A link between two tools, by name."""

    source: str
    target: str


@dataclass(slots=True)
class Plan:
    """One task plan: the gold one or a predicted one.

    Attributes:
        steps: The steps joined by newlines; None where there are none.
        tools: The tools' names in listed order.
        links: The links by tool names, those of a resource graph built from the references.
        arguments: The arguments of each tool, in the order of ``tools``.
        node_links: The links as pairs of positions in ``tools``.
        order: Of gold, the pairs of positions that say which tool runs before which.
        faults: What could not be read.
    """

    steps: str | None = None
    tools: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    arguments: list[list[Argument]] = field(default_factory=list)
    node_links: list[tuple[int, int]] = field(default_factory=list)
    order: list[tuple[int, int]] = field(default_factory=list)
    faults: list[PlanFault] = field(default_factory=list)

    def fault(self, kind: PlanFaultKind, detail: str) -> None:
        """Note a fault."""
        self.faults.append(PlanFault(kind, detail))

    @property
    def fault_kinds(self) -> set[PlanFaultKind]:
        """The kinds of fault found."""
        return {fault.kind for fault in self.faults}


def read_plan(raw: Any, graph: ToolGraph, rules: ArgumentRules) -> Plan:
    """Read a plan: an object with ``task_steps``, ``task_nodes`` and ``task_links``."""
    plan = Plan()
    if not isinstance(raw, Mapping):
        plan.fault(PlanFaultKind.RESULT_NOT_OBJECT, f"expected an object, found {shown(raw)}")
        return plan
    _read_steps(raw, plan)
    nodes = _read_nodes(raw, plan)
    plan.tools = [_tool_name(node, index, graph, plan) for index, node in enumerate(nodes)]
    if graph.dependency == "resource":
        plan.arguments = [
            read_typed_arguments(node, index, plan.tools, graph, rules, plan.faults)
            for index, node in enumerate(nodes)
        ]
        _link_by_references(plan)
    else:
        plan.arguments = [
            read_named_arguments(node, index, rules, plan.faults)
            for index, node in enumerate(nodes)
        ]
        _read_links(raw, plan)
    return plan


def read_gold_plan(raw: Any, graph: ToolGraph, rules: ArgumentRules) -> Plan:
    """Read an annotation, whose order of execution matters too.

    The order is what ``task_links`` say, since in published data a reference may be wrong where
    the links are right; the references decide where the links do not fit the nodes.
    """
    plan = read_plan(raw, graph, rules)
    stated = _stated_order(raw, plan, graph) if isinstance(raw, Mapping) else None
    plan.order = plan.node_links if stated is None else stated
    if has_cycle(plan.order, len(plan.tools)):
        plan.fault(
            PlanFaultKind.CYCLE, "some tools wait for one another; the listed order is taken"
        )
        plan.order = list(pairwise(range(len(plan.tools))))
    return plan


def _stated_order(
    raw: Mapping[str, Any], plan: Plan, graph: ToolGraph
) -> list[tuple[int, int]] | None:
    links = raw.get("task_links")
    place = {tool: position for position, tool in enumerate(plan.tools)}
    if not isinstance(links, list) or len(place) < len(plan.tools):
        return None
    order = []
    for link in links:
        ends = [link.get(end) for end in ("source", "target")] if isinstance(link, dict) else []
        names = [graph.tool_id(end) for end in ends if isinstance(end, str)]
        positions = [place[name] for name in names if name in place]
        if len(positions) < 2:
            return None
        order.append((positions[0], positions[1]))
    usable = (order or not plan.node_links) and not has_cycle(order, len(plan.tools))
    return order if usable else None


_STEP_KEYS = ("task", "step", "id", "step_name", "description")


def _read_steps(raw: Mapping[str, Any], plan: Plan) -> None:
    if "task_steps" not in raw:
        plan.fault(PlanFaultKind.STEPS_MISSING, "no task_steps")
        return
    steps = raw["task_steps"]
    if not isinstance(steps, list):
        plan.fault(PlanFaultKind.STEPS_NOT_LIST, f"expected a list, found {shown(steps)}")
    elif not steps:
        plan.fault(PlanFaultKind.STEPS_EMPTY, "task_steps is empty")
    plan.steps = _steps_text(steps, plan)


def _steps_text(steps: Any, plan: Plan) -> str:
    """Join the steps as the published code does, whose last resort is the printed value."""
    if isinstance(steps, str) and steps:
        return "\n".join(steps)
    if isinstance(steps, list) and steps:
        text = _text_of_step(steps[0])
        parts = [text(step) for step in steps]
        if all(isinstance(part, str) for part in parts):
            return "\n".join(parts)
        odd = next(s for s, part in zip(steps, parts, strict=True) if not isinstance(part, str))
        plan.fault(PlanFaultKind.STEP_NOT_TEXT, f"a step is {shown(odd)}")
    return str(steps)


def _text_of_step(first: Any) -> Callable[[Any], Any]:
    """Return how to take a step's text, which the first step decides for all."""
    if not isinstance(first, Mapping):
        return lambda step: step
    key = next((key for key in _STEP_KEYS if key in first), "description")
    return lambda step: step.get(key) if isinstance(step, Mapping) else None


def _read_nodes(raw: Mapping[str, Any], plan: Plan) -> Sequence[Any]:
    nodes = raw.get("task_nodes")
    if "task_nodes" not in raw:
        plan.fault(PlanFaultKind.NODES_MISSING, "no task_nodes")
    elif not isinstance(nodes, list):
        plan.fault(PlanFaultKind.NODES_NOT_LIST, f"expected a list, found {shown(nodes)}")
    return nodes if isinstance(nodes, list) else []


def _tool_name(node: Any, index: int, graph: ToolGraph, plan: Plan) -> str:
    where = f"task_nodes[{index}]"
    if not isinstance(node, Mapping):
        plan.fault(PlanFaultKind.NODE_NOT_OBJECT, f"{where} is {shown(node)}")
        return UNREADABLE
    if "task" not in node:
        plan.fault(PlanFaultKind.TASK_MISSING, f"{where} names no task")
        return UNREADABLE
    name = node["task"]
    if not isinstance(name, str):
        plan.fault(PlanFaultKind.TASK_NOT_TEXT, f"{where} names {shown(name)}")
        return UNREADABLE
    name = graph.tool_id(name)
    if name not in graph.tools:
        plan.fault(PlanFaultKind.UNKNOWN_TOOL, f"{where} names {shown(name)}")
    return name


def _link_by_references(plan: Plan) -> None:
    for target, arguments in enumerate(plan.arguments):
        for argument in arguments:
            if argument.source is not None:
                plan.node_links.append((argument.source, target))
                plan.links.append(Link(plan.tools[argument.source], plan.tools[target]))


def _read_links(raw: Mapping[str, Any], plan: Plan) -> None:
    links = raw.get("task_links")
    if "task_links" not in raw:
        plan.fault(PlanFaultKind.LINKS_MISSING, "no task_links")
        return
    if not isinstance(links, list):
        plan.fault(PlanFaultKind.LINKS_NOT_LIST, f"expected a list, found {shown(links)}")
        return
    place: dict[str, int] = {}
    for position, tool in enumerate(plan.tools):
        place.setdefault(tool, position)
    for index, raw_link in enumerate(links):
        link = _read_link(raw_link, f"task_links[{index}]", plan)
        plan.links.append(link)
        if link.source in place and link.target in place:
            plan.node_links.append((place[link.source], place[link.target]))
        elif UNREADABLE not in link:
            plan.fault(
                PlanFaultKind.LINK_TO_NO_NODE, f"task_links[{index}] is {shown(tuple(link))}"
            )


def _read_link(raw: Any, where: str, plan: Plan) -> Link:
    """Read a link; what cannot be read of it is kept, as a link that no gold graph has."""
    if not isinstance(raw, Mapping):
        plan.fault(PlanFaultKind.LINK_NOT_OBJECT, f"{where} is {shown(raw)}")
        return Link(UNREADABLE, UNREADABLE)
    ends = []
    for end in ("source", "target"):
        name = raw.get(end)
        if end not in raw:
            plan.fault(PlanFaultKind.LINK_END_MISSING, f"{where} has no {end}")
        elif not isinstance(name, str):
            plan.fault(PlanFaultKind.LINK_END_NOT_TEXT, f"{where}.{end} is {shown(name)}")
        ends.append(name if isinstance(name, str) else UNREADABLE)
    return Link(*ends)

"""A predicted task plan beside the expected one, line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from pytest_taubench.schema import TrialRecord

_REFERENCE = re.compile(r"<node-(\d+)>")
_WIDTH = 44


class Row(NamedTuple):
    """One line: what was expected, what was predicted, and whether they are the same."""

    expected: str
    predicted: str

    @property
    def same(self) -> bool:
        """True where both sides are the same."""
        return self.expected.strip() == self.predicted.strip()


_HEAD = Row("nodes, expected", "  predicted")


class ShownNode(NamedTuple):
    """One node: a tool, and its arguments as text; a reference is named by its tool."""

    tool: str
    arguments: tuple[str, ...]


class ShownPlan(NamedTuple):
    """A plan as it is compared."""

    calls: list[ShownNode]
    links: list[str]

    @property
    def tools(self) -> list[str]:
        """The tools, in listed order."""
        return [call.tool for call in self.calls]


def comparison_lines(record: TrialRecord, *, full: bool) -> list[str]:
    """Return the plans of a TaskBench record side by side; what differs is marked with ``!``.

    Args:
        record: The record.
        full: Show values in full, however long.
    """
    gold, predicted = _plans(record)
    if predicted is None:
        expected = [line for call in gold.calls for line in _call_lines(call)]
        return ["no plan that could be read; expected was:", *(f"  {line}" for line in expected)]
    width = None if full else _WIDTH
    nodes, links = plan_rows(record)
    column = max(len(_cut(row.expected, width)) for row in [_HEAD, *nodes, *links])
    return [
        *_section(_HEAD, nodes, column, width),
        *(_section(Row("links", ""), links, column, width) if links else ()),
    ]


def plan_rows(record: TrialRecord) -> tuple[list[Row], list[Row]]:
    """Return the nodes and the links of the plans of a record, gold's beside the predicted.

    Where no plan could be read, all that gold has stands alone.
    """
    gold, predicted = _plans(record)
    found = predicted or ShownPlan([], [])
    return _node_rows(gold.calls, found.calls), _link_rows(gold.links, found.links)


def differences(record: TrialRecord) -> list[str]:
    """Return in few words what is missing, too much, or different in a predicted plan."""
    gold, predicted = _plans(record)
    if predicted is None:
        return ["no plan that could be read"]
    missing, extra = _left_over(gold.tools, predicted.tools)
    reasons = _named("missing", missing) + _named("not expected:", extra)
    if not reasons:
        changed, _ = _left_over(gold.calls, predicted.calls)
        reasons = _named("other arguments of", [call.tool for call in changed])
    lost, added = _left_over(gold.links, predicted.links)
    return reasons + _named("missing link", lost) + _named("link not expected:", added)


def _plans(record: TrialRecord) -> tuple[ShownPlan, ShownPlan | None]:
    graph = record.graph or {}
    by_reference = graph.get("dependency") == "resource"
    gold = _shown(graph.get("gold") or {}, (), by_reference)
    predicted = graph.get("prediction")
    if not isinstance(predicted, dict):
        return gold, None
    return gold, _shown(predicted, gold.tools, by_reference)


def _shown(plan: Mapping[str, Any], known: Sequence[str], by_reference: bool) -> ShownPlan:
    """Read a plan; ``known`` names are recognised with underscores for their spaces too."""
    nodes = plan.get("task_nodes")
    nodes = nodes if isinstance(nodes, list) else []
    spelled = {name.replace(" ", "_"): name for name in known}
    tools = [_tool(node, spelled) for node in nodes]
    calls = [
        ShownNode(tool, _arguments(node, tools)) for tool, node in zip(tools, nodes, strict=True)
    ]
    if by_reference:
        return ShownPlan(calls, _links_by_reference(nodes, tools))
    links = plan.get("task_links")
    return ShownPlan(calls, [_link(link) for link in links] if isinstance(links, list) else [])


def _tool(node: Any, spelled: Mapping[str, str]) -> str:
    name = _text(node.get("task") if isinstance(node, dict) else node)
    return spelled.get(name, name)


def _arguments(node: Any, tools: Sequence[str]) -> tuple[str, ...]:
    items = _items(node)
    named = [item for item in items if isinstance(item, dict) and set(item) == {"name", "value"}]
    if items and len(named) == len(items):
        return tuple(sorted(f"{item['name']} = {_text(item['value'])}" for item in named))
    return tuple(_with_tools(_text(item), tools) for item in items)


def _items(node: Any) -> list[Any]:
    raw = node.get("arguments") if isinstance(node, dict) else None
    return raw if isinstance(raw, list) else [] if raw is None else [raw]


def _with_tools(text: str, tools: Sequence[str]) -> str:
    """Say which tool a reference means, since its number depends on the order of nodes."""

    def name(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"<output of {tools[number]}>" if number < len(tools) else match[0]

    return _REFERENCE.sub(name, text)


def _links_by_reference(nodes: Sequence[Any], tools: Sequence[str]) -> list[str]:
    """Return the links of a resource graph, which its arguments say."""
    return [
        f"{tools[int(number)]} -> {tools[target]}"
        for target, node in enumerate(nodes)
        for item in _items(node)
        for number in _REFERENCE.findall(_text(item))[:1]
        if int(number) < len(tools) and int(number) != target
    ]


def _link(link: Any) -> str:
    if not isinstance(link, dict):
        return _text(link)
    return f"{_text(link.get('source'))} -> {_text(link.get('target'))}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _named(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what} {', '.join(names)}"] if names else []


def _left_over(mine: Sequence[Any], its: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return what only one of two lists has, each occurrence by itself."""
    rest, only_mine = list(its), []
    for each in mine:
        if each in rest:
            rest.remove(each)
        else:
            only_mine.append(each)
    return only_mine, rest


def _node_rows(gold: Sequence[ShownNode], predicted: Sequence[ShownNode]) -> list[Row]:
    rows: list[Row] = []
    for mine, its in _paired(gold, predicted):
        left, right = _call_lines(mine), _call_lines(its)
        rows += [Row(*pair) for pair in zip_longest(left, right, fillvalue="")]
    return rows


def _paired(
    gold: Sequence[ShownNode], predicted: Sequence[ShownNode]
) -> Iterator[tuple[ShownNode | None, ShownNode | None]]:
    """Pair equal calls, then calls of one tool; the rest stands alone, gold's order first."""
    partner: dict[int, int] = {}
    for part in (slice(2), slice(1)):  # tool and arguments, then the tool alone
        for i, mine in enumerate(gold):
            free = (j for j in range(len(predicted)) if j not in partner.values())
            match = next((j for j in free if predicted[j][part] == mine[part]), None)
            if i not in partner and match is not None:
                partner[i] = match
    for i, mine in enumerate(gold):
        yield mine, predicted[partner[i]] if i in partner else None
    for j, its in enumerate(predicted):
        if j not in partner.values():
            yield None, its


def _call_lines(call: ShownNode | None) -> list[str]:
    return [] if call is None else [call.tool, *(f"  {text}" for text in call.arguments)]


def _link_rows(gold: Sequence[str], predicted: Sequence[str]) -> list[Row]:
    missing, extra = _left_over(gold, predicted)
    shared, _ = _left_over(gold, missing)
    return [
        *(Row(link, link) for link in shared),
        *(Row(link, "") for link in missing),
        *(Row("", link) for link in extra),
    ]


def _section(head: Row, rows: Sequence[Row], column: int, width: int | None) -> list[str]:
    lines = [f"  {head.expected.ljust(column)}  {head.predicted}".rstrip()]
    for row in rows:
        mark = " " if row.same else "!"
        expected, predicted = (_cut(side, width) for side in row)
        lines.append(f"{mark}   {expected.ljust(column)}  {predicted}".rstrip())
    return lines


def _cut(text: str, width: int | None) -> str:
    text = text.replace("\n", " ")
    return text if width is None or len(text) <= width else f"{text[: width - 3]}..."

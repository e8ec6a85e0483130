"""Builds a TaskBench sample of a file, and says what is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from pytest_taubench.schema import Sample
from pytest_taubench.task_files.document import Entry, kind_of
from pytest_taubench.task_files.fields import FieldFault, field_faults
from pytest_taubench.task_files.reading import Reading, id_fault, joined_marks, mark_faults
from pytest_taubench.task_files.upstream.taskbench import is_published_sample, published_fields
from pytest_taubench.text.names import nearest

METRICS = (
    "rouge1",
    "rouge2",
    "rougeL",
    "node_f1",
    "edge_f1",
    "ned",
    "t_f1",
    "v_f1",
    "node_set_accuracy",
    "edge_set_accuracy",
    "graph_accuracy",
)
"""The metrics a sample's bar may name."""

BESIDE_GRAPH = ("id", "domain", "marks", "pass", "notes", "source")
"""The fields of an entry that stand beside its ``graph``."""


def is_sample(data: dict[str, Any]) -> bool:
    """True for an entry with a ``graph``, or in one of the shapes TaskBench published."""
    return "graph" in data or is_published_sample(data)


def read_sample(reading: Reading, entry: Entry, index: int) -> Sample | None:
    """Return the sample, or None where it is wrong; problems go into the reading."""
    faults: list[FieldFault] = []
    own = "graph" in entry.data
    data = _graph_fields(entry.data, faults) if own else published_fields(entry.data)
    _complete(reading, entry, data, index, faults)
    sample = _validated(data, faults)
    if sample is not None:
        faults += mark_faults(sample.marks)
        faults += _argument_faults(sample)
        # Published data hold links to nowhere; they are read as they are, and reported.
        links = list(_link_faults(sample)) + list(_tool_faults(reading, entry, sample))
        faults += links if own else []
        reading.notes += [f"sample '{sample.id}': {f.message}" for f in links if not own]
        if not faults:
            reading.notes += [f"sample '{sample.id}': {oddity}" for oddity in oddities(sample)]
    for fault in faults:
        reading.complain(entry, str(data["id"]), _placed(fault, own))
    return None if faults else sample


def _placed(fault: FieldFault, own: bool) -> FieldFault:
    """Return the fault where the file has it: TaskBench's fields stand under ``graph``."""
    location = fault.location
    if location[0] == "pass_bar":
        location = ("pass", *location[1:])
    elif own and location[0] not in (*BESIDE_GRAPH, "graph"):
        location = ("graph", *location)
    return FieldFault(location, fault.message, fault.nearest)


def _graph_fields(entry: dict[str, Any], faults: list[FieldFault]) -> dict[str, Any]:
    """Return the sample's fields: those under ``graph``, and those beside it."""
    outer = {str(name): value for name, value in entry.items() if name != "graph"}
    for name in list(outer):
        if name not in BESIDE_GRAPH:
            del outer[name]
            message = "unknown field beside `graph`"
            faults.append(FieldFault(("graph", name), message, nearest(name, BESIDE_GRAPH)))
    graph = entry["graph"]
    if not isinstance(graph, dict):
        faults.append(FieldFault(("graph",), f"expected a mapping, found {kind_of(graph)}"))
        graph = {"user_request": "?"}
    return {**graph, **outer}


def _complete(
    reading: Reading, entry: Entry, data: dict[str, Any], index: int, faults: list[FieldFault]
) -> None:
    if isinstance(data.get("id"), int):
        data["id"] = str(data["id"])
    data.setdefault("id", str(index))
    if message := id_fault(data["id"]):
        faults.append(FieldFault(("id",), f"{message}; found {data['id']!r}"))
        data["id"] = str(index)
    if reading.defaults.domain is not None:
        data.setdefault("domain", reading.defaults.domain)
    if "domain" not in data and (domain := reading.domain_by_suite(graph=True)):
        data["domain"] = domain
    data["marks"] = joined_marks(reading.defaults.marks, data.get("marks", []))
    if "pass" in data:
        data["pass_bar"] = data.pop("pass")
    elif reading.defaults.pass_bar is not None:
        data["pass_bar"] = reading.defaults.pass_bar


def _validated(data: dict[str, Any], faults: list[FieldFault]) -> Sample | None:
    try:
        sample = Sample.model_validate(data, strict=True)
    except ValidationError as error:
        faults.extend(field_faults(error, Sample))
        return None
    bar = sample.pass_bar
    if bar is not None and bar.metric not in METRICS:
        message = f"no metric '{bar.metric}'; expected one of {', '.join(METRICS)}"
        faults.append(FieldFault(("pass", "metric"), message, nearest(bar.metric, METRICS)))
    return sample


def _argument_faults(sample: Sample) -> Iterator[FieldFault]:
    for i, node in enumerate(sample.task_nodes):
        arguments = node.get("arguments")
        if not isinstance(arguments, list | dict | None):
            message = f"expected a list of arguments, found {kind_of(arguments)}"
            yield FieldFault(("task_nodes", i, "arguments"), message)


def _link_faults(sample: Sample) -> Iterator[FieldFault]:
    names = [str(node.get("task")) for node in sample.task_nodes]
    for i, node in enumerate(sample.task_nodes):
        if not isinstance(node.get("task"), str):
            yield FieldFault(("task_nodes", i, "task"), "missing: expected a tool's name")
    for i, link in enumerate(sample.task_links):
        for end in ("source", "target"):
            if link.get(end) not in names:
                message = f"no node '{link.get(end)}' in task_nodes"
                place = ("task_links", i, end)
                yield FieldFault(place, message, nearest(link.get(end), names))


def _tool_faults(reading: Reading, entry: Entry, sample: Sample) -> Iterator[FieldFault]:
    tools = reading.domain_tools(entry, sample.id, sample.domain, graph=True)
    if tools is None:
        return
    known = {name.replace("_", " ") for name in tools}
    for i, node in enumerate(sample.task_nodes):
        name = str(node.get("task"))
        if name.replace("_", " ") not in known:
            message = f"the tool graph {sample.domain} has no tool '{name}'"
            yield FieldFault(("task_nodes", i, "task"), message, nearest(name, tools))


_REFERENCE = re.compile(r"<node-(\d+)>")


def oddities(sample: Sample) -> Iterator[str]:
    """Yield what is odd in the annotation: it can be read and graded, but should be looked at."""
    for i, node in enumerate(sample.task_nodes):
        for argument in node.get("arguments") or ():
            value = argument.get("value") if isinstance(argument, dict) else argument
            if isinstance(value, (dict, list)):
                yield f"task_nodes[{i}] has an argument that is {kind_of(value)}"
            for number in _REFERENCE.findall(str(value)):
                if int(number) >= len(sample.task_nodes):
                    yield (
                        f"task_nodes[{i}] refers to <node-{number}>, but there are "
                        f"{len(sample.task_nodes)} nodes, counted from 0"
                    )

"""TaskBench data: a folder, or a file, of published samples in both of their shapes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_taubench.bundled import domains_root
from pytest_taubench.schema import Sample
from pytest_taubench.task_files.upstream.files import DataError, DataSuite, read_list
from pytest_taubench.taskbench.taskeval.files import published_fields as decoded

_LISTS = ("sampled_nodes", "sampled_links", "task_steps", "task_nodes", "task_links")
_KEPT = (*_LISTS, "id", "domain", "type", "n_tools", "user_request", "seed")
_TYPES = ("single", "chain", "dag")


def is_published_sample(data: Mapping[str, Any]) -> bool:
    """True for an object in one of the published shapes."""
    return "task_nodes" in data or "tool_nodes" in data or "tool_steps" in data


def published_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a sample, whichever published shape they come in.

    Values are put into the form that a sample has, never dropped for being odd: a step that is
    no text becomes its JSON text, a node that is no object becomes a node of that name.
    """
    fields = {name: value for name, value in decoded(data).items() if name in _KEPT}
    for name in _LISTS:
        fields[name] = _as_list(fields.get(name))
    fields["task_steps"] = [_as_text(step) for step in fields["task_steps"]]
    fields["task_nodes"] = [_as_object(node, "task") for node in fields["task_nodes"]]
    fields["task_links"] = [_as_object(link, "source") for link in fields["task_links"]]
    for name in ("n_tools", "seed"):
        if name in fields:
            fields[name] = _as_number(fields[name])
    if fields.get("type") not in _TYPES:
        fields.pop("type", None)
    return fields


def graph_of_tools(names: Iterable[str], graphs: Mapping[str, Iterable[str]]) -> str | None:
    """Return the tool graph that most of the tools belong to, or None where none has any.

    Published files do not say which graph they are of.

    Args:
        names: The tools that samples use.
        graphs: The tools of each known graph.
    """
    used = {_plain(name) for name in names}
    shared = {graph: len(used & {_plain(t) for t in tools}) for graph, tools in graphs.items()}
    best = max(shared, key=shared.__getitem__, default=None)
    return best if best is not None and shared[best] else None


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_object(value: Any, name: str) -> dict[str, Any]:
    return value if isinstance(value, dict) else {name: _as_text(value)}


def _as_number(value: Any) -> Any:
    if isinstance(value, str):
        return int(value) if value.strip().lstrip("-").isdigit() else None
    return value if isinstance(value, int) else None


_NAMES = ("data.json", "data.jsonl", "gold.jsonl", "gold.json")
# pytest gives these a meaning in test ids.
_ID_SIGNS = str.maketrans({"[": "(", "]": ")"})


def samples_file(path: Path) -> Path | None:
    """Return the file of samples that a path is or holds, or None."""
    options = [path] if path.is_file() else [path / name for name in _NAMES]
    return next((option for option in options if option.is_file() and _holds_samples(option)), None)


def _holds_samples(path: Path) -> bool:
    """True when the first entry of a JSON or JSON-lines file is a published sample."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            line = file.readline()
            entry = json.loads(file.read() if line.strip() == "[" else line)
    except (OSError, ValueError):
        return _is_list_of_samples(path)
    entry = entry[0] if isinstance(entry, list) and entry else entry
    return isinstance(entry, dict) and is_published_sample(entry)


def _is_list_of_samples(path: Path) -> bool:
    try:
        entries = read_list(path)
    except DataError:
        return False
    return bool(entries) and isinstance(entries[0], dict) and is_published_sample(entries[0])


def read_samples(path: Path) -> list[DataSuite]:
    """Return the suite of a folder or file of published samples.

    The tool graph is the bundled one that has most of the tools, since the files do not say.
    """
    file = samples_file(path)
    if file is None:
        raise DataError(f"{path}: expected TaskBench samples")
    folder = file.parent
    suite = DataSuite(folder.name if file.name in _NAMES else file.name.partition(".")[0], folder)
    fields = []
    for index, entry in enumerate(read_list(file)):
        if isinstance(entry, dict) and is_published_sample(entry):
            fields.append((index, published_fields(entry)))
        else:
            suite.problems.append(f"{file}, entry {index}: expected a TaskBench sample")
    graph = _graph(fields)
    if graph is None:
        suite.problems.append(f"{file}: its tools belong to no known tool graph")
        return [suite]
    suite.notes.append(f"The tool graph is {graph}, which most of the samples' tools belong to.")
    _build(suite, file, fields, graph)
    return [suite]


def _graph(fields: list[tuple[int, dict[str, Any]]]) -> str | None:
    names = (str(node.get("task")) for _, entry in fields for node in entry["task_nodes"])
    return graph_of_tools(names, bundled_graphs())


def bundled_graphs() -> dict[str, list[str]]:
    """Return the tool names of each bundled tool graph."""
    graphs: dict[str, list[str]] = {}
    for path in sorted(domains_root().glob("*/tools.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        tools = content["tools"] if "tools" in content else content["nodes"]
        graphs[path.parent.name] = [str(tool["id"]) for tool in tools]
    return graphs


def _build(
    suite: DataSuite, file: Path, fields: list[tuple[int, dict[str, Any]]], graph: str
) -> None:
    taken: Counter[str] = Counter()
    for index, entry in fields:
        published_id = str(entry.get("id", index)).translate(_ID_SIGNS).replace("::", ":")
        taken[published_id] += 1
        if taken[published_id] > 1:
            suite.problems.append(f"{file}, entry {index}: the id '{published_id}' is there twice")
            continue
        whole = {**entry, "id": published_id, "domain": graph, "source": f"{file.name}[{index}]"}
        try:
            suite.samples.append(Sample.model_validate(whole))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"]))
            suite.problems.append(f"{file}, sample '{published_id}', {field}: {first['msg']}")

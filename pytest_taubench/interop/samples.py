"""TaskBench data: a folder, or a file, of published samples."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_taubench.bundled import domains_root
from pytest_taubench.interop.files import read_list
from pytest_taubench.interop.suite import DataError, DataSuite
from pytest_taubench.interop.taskbench import graph_of_tools, is_published_sample, published_fields
from pytest_taubench.schema import Sample

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

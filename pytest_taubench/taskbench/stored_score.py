"""What TaskEval counted of one plan, in the small form that a record keeps.

The groups of a run add up from these counts, so that its tables need neither the tool graphs nor
the plans again, and cost nothing where thousands of plans were scored by several processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_taubench.taskbench.taskeval.counts import Counts
from pytest_taubench.taskbench.taskeval.rouge import Rouge
from pytest_taubench.taskbench.taskeval.sample import GraphScore, SampleScore

_COUNTED = ("nodes", "edges", "names", "values")


def pack_score(score: SampleScore) -> dict[str, Any]:
    """Return a score as JSON-able data, without what the record says elsewhere."""
    data: dict[str, Any] = {"n_tools": score.n_tools, "answered": score.answered}
    if score.rouge is not None:
        data["rouge"] = list(score.rouge)
    if score.graph is not None:
        graph = score.graph
        data |= {name: list(getattr(graph, name)) for name in _COUNTED}
        data |= {"similarity": graph.similarity, "graph": graph.graph, "zero": graph.zero}
    return data


def unpack_score(data: Mapping[str, Any], id_: str, type_: str) -> SampleScore:
    """Return the score that ``pack_score`` made the data of; its faults are not among them.

    Args:
        data: The data.
        id_: The sample's id.
        type_: The sample's type.
    """
    graph = None
    if "similarity" in data:
        nodes, edges, names, values = (Counts(*data[name]) for name in _COUNTED)
        rest = data["similarity"], data["graph"], data["zero"]
        graph = GraphScore(nodes, edges, names, values, *rest)
    rouge = Rouge(*data["rouge"]) if "rouge" in data else None
    return SampleScore(id_, type_, data["n_tools"], data["answered"], rouge, graph)

"""The metrics of TaskEval: n-F1, e-F1, t-F1, v-F1, NED, exact match, and ROUGE of the steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import Indel, LCSseq

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.orders import longest_match
from pytest_taubench.taskbench.taskeval.plan import Plan


class Counts(NamedTuple):
    """True positives, false positives and false negatives."""

    both: int = 0
    predicted_only: int = 0
    gold_only: int = 0

    def f1(self, nothing: float) -> float:
        """Return the F1; ``nothing`` is its value where neither side has anything."""
        size = 2 * self.both + self.predicted_only + self.gold_only
        return 2 * self.both / size if size else nothing

    @property
    def exact(self) -> bool:
        """True when the two sides hold the same."""
        return not self.predicted_only and not self.gold_only


Counting = Callable[[Iterable[Hashable], Iterable[Hashable]], Counts]
"""How two collections are compared, gold first."""


def count_sets(gold: Iterable[Hashable], predicted: Iterable[Hashable]) -> Counts:
    """Compare as sets: what is there twice counts once."""
    mine, its = set(gold), set(predicted)
    both = len(mine & its)
    return Counts(both, len(its) - both, len(mine) - both)


def count_multisets(gold: Iterable[Hashable], predicted: Iterable[Hashable]) -> Counts:
    """Compare as multisets: what is there twice must be found twice."""
    mine, its = Counter(gold), Counter(predicted)
    both = (mine & its).total()
    return Counts(both, its.total() - both, mine.total() - both)


def count_nodes(
    gold: Plan, prediction: Plan, graph: ToolGraph, counting: Counting, known_only: bool
) -> Counts:
    """Compare the tools of two plans.

    Args:
        gold: The gold plan.
        prediction: The predicted one.
        graph: The tool graph.
        counting: Sets or multisets.
        known_only: Pass over tools that the graph does not have, hallucinated ones too.
    """
    if not known_only:
        return counting(gold.tools, prediction.tools)
    known = graph.tools.keys()
    return counting(
        [tool for tool in gold.tools if tool in known],
        [tool for tool in prediction.tools if tool in known],
    )


def count_edges(gold: Plan, prediction: Plan, counting: Counting) -> Counts:
    """Compare the (source, target) links of two plans."""
    return counting(gold.links, prediction.links)


def count_names(gold: Plan, prediction: Plan, counting: Counting) -> Counts:
    """Compare (tool, parameter) of two plans."""
    return counting(_names(gold), _names(prediction))


def count_values(gold: Plan, prediction: Plan, counting: Counting) -> Counts:
    """Compare (tool, parameter, value) of two plans."""
    return counting(_values(gold), _values(prediction))


def _names(plan: Plan) -> list[tuple[str, str]]:
    return [
        (tool, argument.name)
        for tool, arguments in zip(plan.tools, plan.arguments, strict=True)
        for argument in arguments
    ]


def _values(plan: Plan) -> list[tuple[str, str, str]]:
    return [
        (tool, argument.name, argument.value)
        for tool, arguments in zip(plan.tools, plan.arguments, strict=True)
        for argument in arguments
    ]


def same_graph(gold: Plan, prediction: Plan, graph: ToolGraph, *, arguments: bool = False) -> bool:
    """Return whether two plans are one graph, whatever order their nodes are listed in.

    Args:
        gold: The gold plan.
        prediction: The predicted one.
        graph: The tool graph.
        arguments: Compare parameters and values too.
    """
    mine, its = _labels(gold, arguments), _labels(prediction, arguments)
    if Counter(gold.links) != Counter(prediction.links) or Counter(mine) != Counter(its):
        return False
    if graph.dependency == "temporal":
        return True  # its links name tools, not nodes: there is nothing finer to compare
    if len(set(mine)) < len(mine):
        return _isomorphic(mine, gold.node_links, its, prediction.node_links)
    place = {label: node for node, label in enumerate(mine)}
    moved = [(place[its[s]], place[its[t]]) for s, t in prediction.node_links]
    return Counter(moved) == Counter(gold.node_links)


def _labels(plan: Plan, arguments: bool) -> list[Hashable]:
    if not arguments:
        return list(plan.tools)
    return [
        (tool, tuple(sorted((a.name, a.value) for a in own)))
        for tool, own in zip(plan.tools, plan.arguments, strict=True)
    ]


def _isomorphic(
    gold: Sequence[Hashable],
    gold_links: Sequence[tuple[int, int]],
    predicted: Sequence[Hashable],
    predicted_links: Sequence[tuple[int, int]],
) -> bool:
    """Match nodes of equal labels so that the links agree; needed only where labels repeat."""
    import networkx as nx
    from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match

    graphs = []
    for labels, links in ((gold, gold_links), (predicted, predicted_links)):
        digraph: nx.DiGraph[int] = nx.DiGraph()
        digraph.add_nodes_from((node, {"label": label}) for node, label in enumerate(labels))
        for (source, target), times in Counter(links).items():
            digraph.add_edge(source, target, times=times)
        graphs.append(digraph)
    same_label, same_times = (
        categorical_node_match("label", None),
        categorical_edge_match("times", 1),
    )
    return nx.is_isomorphic(graphs[0], graphs[1], node_match=same_label, edge_match=same_times)


def listed_similarity(gold: Plan, prediction: Plan, graph: ToolGraph) -> float:
    """Compare the tools in listed order; unknown names are all one symbol."""
    numbers = {tool: number for number, tool in enumerate(graph.tools, start=1)}
    return indel_similarity(
        [numbers.get(tool, 0) for tool in gold.tools],
        [numbers.get(tool, 0) for tool in prediction.tools],
    )


def indel_similarity(gold: Sequence[int], prediction: Sequence[int]) -> float:
    """Return 1 − d/(|a|+|b|), d counting insertions and deletions; 1 for two empty ones."""
    return Indel.normalized_similarity(gold, prediction)


def execution_similarity(gold: Plan, prediction: Plan, graph: ToolGraph) -> float:
    """Compare with the order of execution that is closest: any in which gold's graph can run.

    With insertions and deletions alone d = |a| + |b| − 2·LCS, so the closest order is the one
    with the longest common subsequence.
    """
    size = len(gold.tools) + len(prediction.tools)
    if not size:
        return 1.0
    return 2 * longest_match(gold.tools, gold.order, prediction.tools) / size


class Rouge(NamedTuple):
    """F-measures of one sample's steps."""

    rouge1: float = 0.0
    rouge2: float = 0.0
    rougeL: float = 0.0


class _Tokenized:
    """Hands rouge-score the tokens it was given, so that a text is tokenized once."""

    def tokenize(self, tokens: list[str]) -> list[str]:
        """Return the tokens."""
        return tokens


class RougeScorer:
    """Scores texts with rouge-score's tokens and measures and no stemmer, as the paper does.

    Only the length of the longest common subsequence under ROUGE-L comes from rapidfuzz:
    rouge-score fills a table in Python for it, four fifths of the time of a whole evaluation.
    """

    def __init__(self) -> None:
        # Imported here: it brings nltk and numpy, a second that a run without ROUGE saves.
        from rouge_score import rouge_scorer, scoring, tokenize

        self._ngrams: Any = rouge_scorer.RougeScorer(["rouge1", "rouge2"], tokenizer=_Tokenized())
        self._tokenize: Callable[[str, None], list[str]] = tokenize.tokenize
        self._fmeasure: Callable[[float, float], float] = scoring.fmeasure

    def score(self, gold: str, prediction: str) -> Rouge:
        """Score a prediction's steps against gold's."""
        mine, its = self._tokenize(gold, None), self._tokenize(prediction, None)
        ngrams = self._ngrams.score(mine, its)
        return Rouge(
            float(ngrams["rouge1"].fmeasure),
            float(ngrams["rouge2"].fmeasure),
            self._longest_common(mine, its),
        )

    def _longest_common(self, gold: list[str], prediction: list[str]) -> float:
        if not gold or not prediction:
            return 0.0
        length = LCSseq.similarity(gold, prediction)
        return float(self._fmeasure(length / len(prediction), length / len(gold)))

"""TaskEval's metrics by hand arithmetic, and what strict mode does that reference mode does not."""

from __future__ import annotations

import random
import tracemalloc
from itertools import permutations
from typing import Any

import pytest
from rouge_score import rouge_scorer

from pytest_taubench.errors import TauBenchError
from pytest_taubench.taskbench.graph_file import graph_from_data, load_tool_graph
from pytest_taubench.taskbench.taskeval import GroupScore, evaluate
from pytest_taubench.taskbench.taskeval.counts import Counts, count_multisets, count_sets
from pytest_taubench.taskbench.taskeval.orders import has_cycle, longest_match
from pytest_taubench.taskbench.taskeval.rouge import RougeScorer


def node(task: str, *arguments: Any) -> dict[str, Any]:
    return {"task": task, "arguments": list(arguments)}


def named(task: str, **values: Any) -> dict[str, Any]:
    return node(task, *({"name": name, "value": value} for name, value in values.items()))


def plan(*nodes: dict[str, Any], links: Any = (), steps: Any = ("do it",)) -> dict[str, Any]:
    return {
        "task_steps": list(steps),
        "task_nodes": list(nodes),
        "task_links": [{"source": source, "target": target} for source, target in links],
    }


def score(
    gold: dict[str, Any],
    predicted: dict[str, Any] | None,
    mode: str = "strict",
    graph: str = "multimedia",
    group: str = "overall",
) -> GroupScore:
    rows = [] if predicted is None else [{"id": "1", "result": predicted}]
    result = evaluate([{"id": "1", "type": "chain", **gold}], rows, load_tool_graph(graph), mode)
    return result.groups[group]


IMAGES = ("jpg", "png", "jpeg", "gif", "bmp", "tiff", "svg", "ico")
AUDIO = ("mp3", "wav", "wma", "ogg", "aac", "flac", "aiff", "au")
VIDEO = ("mp4", "avi", "mov", "flv", "wmv", "mkv", "webm", "m4v", "mpg", "mpeg")

CHAIN = plan(node("Audio-to-Text", "talk.mp3"), node("Text Summarizer", "<node-0>"))


def test_f1_is_micro_over_samples() -> None:
    total = Counts(1, 0, 1).plus(Counts(2, 3, 0))
    assert total == (3, 3, 1)
    assert total.f1(0.0) == 2 * 3 / (2 * 3 + 3 + 1)
    assert (Counts().f1(0.0), Counts().f1(1.0)) == (0.0, 1.0)


def test_sets_count_once_and_multisets_each_time() -> None:
    assert count_sets("aab", "abbc") == (2, 1, 0)
    assert count_multisets("aab", "abbc") == (2, 2, 1)


def test_the_parameter_of_a_reference_is_the_output_type_of_its_tool() -> None:
    # Gold: (Audio-to-Text, audio), (Text Summarizer, text). Predicted: audio becomes text.
    predicted = plan(node("Audio-to-Text", "talk"), node("Text Summarizer", "<node-0>"))
    assert score(CHAIN, predicted).t_f1 == 0.5
    assert score(CHAIN, predicted).v_f1 == 0.5


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        *((f"a.{e}", "image") for e in IMAGES),
        *((f"a.{e}", "audio") for e in AUDIO),
        *((f"a.{e}", "video") for e in VIDEO),
        ("a.txt", "text"),
        ("jpg", "text"),
        ("'a.png'", "image"),
        ("https://x.example/y", "text"),
    ],
)
def test_a_values_type_is_that_of_its_file_extension(value: str, type_: str) -> None:
    from pytest_taubench.taskbench.taskeval.arguments import content_type

    assert content_type(value) == type_


def test_ned_is_one_minus_the_indel_similarity_and_a_substitution_costs_two() -> None:
    predicted = plan(node("Audio-to-Text", "talk.mp3"), node("Text Translator", "<node-0>"))
    # d = 2 of 2 + 2 tools.
    assert score(CHAIN, predicted, "reference").ned == 0.5
    assert score(CHAIN, predicted, "strict").ned == 0.5


def test_a_hallucinated_tool_is_a_false_positive_in_strict_mode_only() -> None:
    predicted = plan(*CHAIN["task_nodes"], node("Poem Writer", "<node-1>"))
    assert score(CHAIN, predicted, "reference").node_f1 == 1.0
    assert score(CHAIN, predicted, "strict").node_f1 == pytest.approx(2 * 2 / 5)
    assert score(CHAIN, predicted, "strict").node_set_accuracy == 0.0


def test_a_tool_predicted_twice_counts_in_strict_mode_only() -> None:
    predicted = plan(*CHAIN["task_nodes"], node("Text Summarizer", "<node-0>"))
    assert score(CHAIN, predicted, "reference").node_f1 == 1.0
    assert score(CHAIN, predicted, "strict").node_f1 == pytest.approx(2 * 2 / 5)
    assert score(CHAIN, predicted, "strict").edge_f1 == pytest.approx(2 * 1 / 3)


@pytest.mark.parametrize(("mode", "f1"), [("reference", 0.0), ("strict", 1.0)])
def test_without_links_on_either_side_the_edge_f1_is_the_modes_own(mode: str, f1: float) -> None:
    single = plan(node("Text Simplifier", "hello"))
    assert score(single, single, mode).edge_f1 == f1


def test_a_missing_prediction_is_zero_everywhere_even_where_gold_has_no_links() -> None:
    single = plan(node("Text Simplifier", "hello"))
    got = score(single, None)
    assert (got.rouge1, got.node_f1, got.edge_f1, got.t_f1, got.v_f1) == (0, 0, 0, 0, 0)
    assert (got.node_set_accuracy, got.edge_set_accuracy, got.graph_accuracy) == (0, 0, 0)
    assert got.ned == 1.0
    assert score(single, None, "reference") == GroupScore()


def test_an_empty_group_has_no_figures() -> None:
    assert score(CHAIN, CHAIN, group="dag") == GroupScore()
    assert score(CHAIN, CHAIN, group="2").node_f1 == 1.0


@pytest.mark.parametrize("mode", ["reference", "strict"])
def test_a_perfect_prediction_is_perfect(mode: str) -> None:
    got = score(CHAIN, CHAIN, mode)
    assert got.rouge1 == got.rouge2 == got.rougeL == got.node_f1 == got.edge_f1 == 1.0
    assert got.t_f1 == got.v_f1 == got.graph_accuracy == 1.0
    assert got.ned == 0.0


def test_gold_listed_against_its_order_is_compared_in_order_of_execution() -> None:
    listed = plan(
        node("Audio Noise Reduction", "<node-1>"),
        node("Video-to-Audio", "a.mp4"),
        links=[("Video-to-Audio", "Audio Noise Reduction")],
    )
    executed = plan(node("Video-to-Audio", "a.mp4"), node("Audio Noise Reduction", "<node-0>"))
    assert score(listed, executed, "reference").ned == 0.5
    assert score(listed, executed, "strict").ned == 0.0
    assert score(listed, listed, "strict").ned == 0.5  # listed, but not in order of execution


def test_temporal_links_are_compared_by_name() -> None:
    gold = plan(
        named("take_note", content="a"),
        named("set_alarm", time="7"),
        links=[("take_note", "set_alarm")],
    )
    turned = {**gold, "task_links": [{"source": "set_alarm", "target": "take_note"}]}
    assert score(gold, turned, graph="dailylife").edge_f1 == 0.0
    assert score(gold, turned, graph="dailylife").node_f1 == 1.0
    assert score(gold, turned, graph="dailylife").graph_accuracy == 0.0


@pytest.mark.parametrize("mode", ["reference", "strict"])
def test_a_number_equals_its_text(mode: str) -> None:
    gold = plan(named("do_tax_return", year="2025"))
    assert score(gold, plan(named("do_tax_return", year=2025)), mode, "dailylife").v_f1 == 1.0


def test_strict_mode_reads_the_value_of_a_named_argument_where_types_are_expected() -> None:
    gold = plan(node("Text Simplifier", "hello"))
    predicted = plan(node("Text Simplifier", {"name": "text", "value": "hello"}))
    assert score(gold, predicted, "reference").v_f1 == 0.0  # published: the first value, a name
    assert score(gold, predicted, "strict").v_f1 == 1.0


def test_a_graph_whose_repeated_tools_are_linked_otherwise_is_another_graph() -> None:
    def two_readers(first: int, second: int) -> dict[str, Any]:
        return plan(
            node("Audio-to-Text", "a.mp3"),
            node("Audio-to-Text", "b.mp3"),
            node("Text Summarizer", f"<node-{first}>"),
            node("Keyword Extractor", f"<node-{second}>"),
        )

    from pytest_taubench.taskbench.taskeval.accuracy import same_graph
    from pytest_taubench.taskbench.taskeval.plan import read_plan
    from pytest_taubench.taskbench.taskeval.strict import STRICT

    graph = load_tool_graph("multimedia")
    straight, crossed, shared = (
        read_plan(two_readers(*ends), graph, STRICT.arguments) for ends in ((0, 1), (1, 0), (0, 0))
    )
    assert same_graph(straight, straight, graph, arguments=True)
    assert not same_graph(straight, crossed, graph, arguments=True)  # who reads whom is swapped
    assert same_graph(straight, crossed, graph)  # by tools alone, one and the same
    assert not same_graph(straight, shared, graph)


def test_scores_do_not_depend_on_the_number_of_processes() -> None:
    gold = [{"id": str(n), "type": "chain", **CHAIN} for n in range(7)]
    rows = [{"id": str(n), "result": CHAIN if n % 2 else plan()} for n in range(7)]
    graph = load_tool_graph("multimedia")
    split, whole = (
        evaluate(gold, rows, graph, "strict", rouge=False, processes=processes)
        for processes in (2, 1)
    )
    assert split == whole


def test_an_unknown_mode_is_refused_with_those_there_are() -> None:
    with pytest.raises(TauBenchError, match=r"no TaskEval mode 'lax'; there are reference, strict"):
        evaluate([], [], load_tool_graph("multimedia"), "lax")


@pytest.mark.parametrize("seed", range(20))
def test_rouge_equals_rouge_score(seed: int) -> None:
    generator = random.Random(seed)
    words = ["Step", "1:", "the", "THE", "file", "a-b", "é", "", "x9", "."]
    gold, predicted = (
        " ".join(generator.choices(words, k=generator.randint(0, 30))) for _ in range(2)
    )
    theirs = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"]).score(gold, predicted)
    assert RougeScorer().score(gold, predicted) == tuple(s.fmeasure for s in theirs.values())


def common_subsequence(first: Any, second: Any) -> int:
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


@pytest.mark.parametrize("seed", range(60))
def test_the_closest_order_is_the_best_of_all_orders(seed: int) -> None:
    generator = random.Random(seed)
    size = generator.randint(1, 6)
    tools = generator.choices("abcdef", k=size)
    sequence = generator.choices("abcdefg", k=generator.randint(0, 7))
    links = [(i, j) for i in range(size) for j in range(i + 1, size) if generator.random() < 0.3]
    orders = [
        order
        for order in permutations(range(size))
        if all(order.index(i) < order.index(j) for i, j in links)
    ]
    best = max(common_subsequence([tools[n] for n in order], sequence) for order in orders)
    assert longest_match(tools, links, sequence) == best


def test_the_closest_order_of_ten_free_tools_is_found_quickly() -> None:
    tools = list("abcdefghij")
    assert longest_match(tools, [], tools[::-1]) == 10


def test_a_graph_far_beyond_any_sample_is_still_compared() -> None:
    tools = [str(n) for n in range(16)]
    assert longest_match(tools, [], tools[::-1]) == 16


def test_a_cycle_is_seen() -> None:
    assert has_cycle([(0, 1), (1, 2), (2, 0)], 3)
    assert not has_cycle([(0, 1), (0, 2), (1, 2)], 3)


def test_gold_that_waits_for_itself_is_reported_and_compared_as_listed() -> None:
    gold = plan(
        named("take_note", content="a"),
        named("set_alarm", time="7"),
        links=[("take_note", "set_alarm"), ("set_alarm", "take_note")],
    )
    result = evaluate(
        [{"id": "1", "type": "dag", **gold}],
        [{"id": "1", "result": gold}],
        load_tool_graph("dailylife"),
        "strict",
    )
    assert result.gold_faults == {"cycle": 1}
    assert result.groups["overall"].ned == 0.0


OWN = graph_from_data(
    {
        "tools": [
            {"id": "get_page", "inputs": ["text"], "outputs": ["text"]},
            {"id": "read page", "inputs": ["text"], "outputs": ["text"]},
        ]
    },
    name="own",
    where="own",
)


@pytest.mark.parametrize("mode", ["reference", "strict"])
@pytest.mark.parametrize("names", [("get_page", "read_page"), ("get page", "read page")])
def test_an_underscore_and_a_space_are_one_in_an_own_resource_graph(
    mode: str, names: tuple[str, str]
) -> None:
    gold = plan(
        node("get_page", "a"), node("read page", "<node-0>"), links=[("get_page", "read page")]
    )
    predicted = plan(node(names[0], "a"), node(names[1], "<node-0>"))
    rows = [{"id": "1", "result": predicted}]
    result = evaluate([{"id": "1", "type": "chain", **gold}], rows, OWN, mode)
    found = result.groups["overall"]
    assert (result.faults, result.gold_faults) == ({}, {})
    assert (found.node_f1, found.edge_f1, found.v_f1, found.ned) == (1.0, 1.0, 1.0, 0.0)


def test_a_tool_with_an_underscore_is_not_taken_for_another() -> None:
    gold = plan(node("get_page", "a"))
    rows = [{"id": "1", "result": plan(node("read_page", "a"))}]
    found = evaluate([{"id": "1", **gold}], rows, OWN, "reference").groups["overall"]
    assert (found.node_f1, found.ned) == (0.0, 1.0)


def test_numbers_of_one_value_are_one_in_strict_mode_only() -> None:
    gold = plan(named("set_alarm", time=1, volume=2))
    predicted = plan(named("set_alarm", time=1.0, volume=2.5))
    assert score(gold, predicted, graph="dailylife").v_f1 == 0.5
    assert score(gold, predicted, "reference", graph="dailylife").v_f1 == 0.0


def test_a_plan_of_ten_thousand_tools_takes_no_room_for_each_pair() -> None:
    sequence = ["a", *(f"t{number}" for number in range(10_000)), "b"]
    tracemalloc.start()
    try:
        assert longest_match(["a", "b"], [(0, 1)], sequence) == 2
        assert tracemalloc.get_traced_memory()[1] < 10_000_000  # a hundred million pairs
    finally:
        tracemalloc.stop()

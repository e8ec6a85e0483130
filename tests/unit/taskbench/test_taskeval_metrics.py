"""The figures of TaskEval on plans small enough to reckon by hand."""

from __future__ import annotations

from typing import Any

import pytest
from small_plans import named, node, plan, score

from pytest_taubench.errors import TauBenchError
from pytest_taubench.taskbench.graph_file import graph_from_data, load_tool_graph
from pytest_taubench.taskbench.taskeval import GroupScore, evaluate
from pytest_taubench.taskbench.taskeval.metrics import Counts, count_multisets, count_sets

IMAGES = ("jpg", "png", "jpeg", "gif", "bmp", "tiff", "svg", "ico")
AUDIO = ("mp3", "wav", "wma", "ogg", "aac", "flac", "aiff", "au")
VIDEO = ("mp4", "avi", "mov", "flv", "wmv", "mkv", "webm", "m4v", "mpg", "mpeg")
CHAIN = plan(node("Audio-to-Text", "talk.mp3"), node("Text Summarizer", "<node-0>"))


def test_f1_is_that_of_the_counts() -> None:
    assert Counts(3, 3, 1).f1(0.0) == 2 * 3 / (2 * 3 + 3 + 1)
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

    from pytest_taubench.taskbench.taskeval.metrics import same_graph
    from pytest_taubench.taskbench.taskeval.modes import STRICT
    from pytest_taubench.taskbench.taskeval.plan import read_plan

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

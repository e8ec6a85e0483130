"""The closest of all orders a plan may run in, cycles, and ROUGE."""

from __future__ import annotations

import random
import tracemalloc
from itertools import permutations
from typing import Any

import pytest
from rouge_score import rouge_scorer
from small_plans import named, plan

from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.taskeval import evaluate
from pytest_taubench.taskbench.taskeval.metrics import RougeScorer
from pytest_taubench.taskbench.taskeval.orders import has_cycle, longest_match


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


def test_a_plan_of_ten_thousand_tools_takes_no_room_for_each_pair() -> None:
    sequence = ["a", *(f"t{number}" for number in range(10_000)), "b"]
    tracemalloc.start()
    try:
        assert longest_match(["a", "b"], [(0, 1)], sequence) == 2
        assert tracemalloc.get_traced_memory()[1] < 10_000_000  # a hundred million pairs
    finally:
        tracemalloc.stop()

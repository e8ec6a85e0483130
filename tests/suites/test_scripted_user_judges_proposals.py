"""The scripted user of every bundled task agrees to what its task wants, and to little else.

An agent that knows the gold writes talks each task through (``clerk.py``), over several seeds and
three styles of putting a proposal. Each gold write must be agreed to. Wrong variants of the write
that was agreed to are put to the same user at the same moment; what share it turns down is held
here. The rest are variants that nothing the user knows tells apart from the right one: the other
of two gift cards, the cheapest of several variants, the flight that leaves first; or two writes
proposed at once, of which one has the method that the user wants.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from clerk import Clerk, Judged

from pytest_taubench.bundled import suites_root
from pytest_taubench.environment.domain import Domain, load_domain
from pytest_taubench.environment.tool import Tool
from pytest_taubench.randomness import trial_random
from pytest_taubench.schema import ModelSettings, Task
from pytest_taubench.task_files import read_task_file
from pytest_taubench.users.protocol import UserContext
from pytest_taubench.users.scripted import make_scripted_user

SEEDS = 2


def tasks(domain: Domain) -> Iterator[Task]:
    def tools_of(name: str, base: Path) -> Mapping[str, Tool]:
        return domain.tools

    for file in sorted((suites_root() / domain.name).glob("*.tau.*")):
        yield from read_task_file(file, tools_of).tasks


class Suite:
    """The conversations about one suite; each is held once for all tests here."""

    def __init__(self, name: str) -> None:
        self.domain = load_domain(name)
        self.tasks = list(tasks(self.domain))
        self.talks = [
            Clerk(task, self.domain, seed).run() for task in self.tasks for seed in range(SEEDS)
        ]

    def judged(self, kind: str) -> list[Judged]:
        """The wrong variants of a kind that were put to the users."""
        return [v for talk in self.talks for v in talk.variants if v.kind == kind]


@pytest.fixture(scope="module")
def suite_of() -> Callable[[str], Suite]:
    return functools.cache(Suite)


@pytest.fixture(params=["retail", "airline"])
def suite(request: pytest.FixtureRequest, suite_of: Callable[[str], Suite]) -> Suite:
    return suite_of(request.param)


def test_every_gold_write_is_agreed_to(suite: Suite) -> None:
    left = Counter(talk.task for talk in suite.talks if talk.pending)
    assert left == Counter()


@pytest.mark.parametrize(
    ("name", "kind", "least"),
    [
        ("retail", "payment", 0.9),
        ("retail", "variant", 0.85),
        ("retail", "extra item", 0.97),
        ("retail", "other order", 0.6),
        ("airline", "payment", 0.75),
        ("airline", "cabin", 0.9),
        ("airline", "insurance", 1.0),
        ("airline", "bags", 0.6),
        ("airline", "other order", 0.75),
    ],
)
def test_wrong_variants_are_turned_down(
    name: str, kind: str, least: float, suite_of: Callable[[str], Suite]
) -> None:
    judged = suite_of(name).judged(kind)
    missed = Counter(variant.task for variant in judged if not variant.caught)
    assert 1 - missed.total() / len(judged) >= least, missed.most_common()


def test_a_fixed_payment_method_is_never_given_up_for_another_kind(
    suite_of: Callable[[str], Suite],
) -> None:
    """Where a task's script names one card by its digits, any other method is turned down."""
    retail = suite_of("retail")
    by_digits = {
        task.id
        for task in retail.tasks
        if task.script and all(_names_digits(r.wants) for r in task.script.requests)
    }
    checked = [v for v in retail.judged("payment") if v.task in by_digits]
    assert checked
    assert [v.words for v in checked if not v.caught] == []


def _names_digits(wants: Mapping[str, list[str]]) -> bool:
    return any(value.isdigit() for value in wants.get("payment", []))


def test_the_user_tells_each_conversation_in_its_own_words(suite: Suite) -> None:
    """k trials are not one trial k times: of four openings at least three differ."""
    for task in suite.tasks:
        openings = {_opening(task, trial) for trial in range(1, 5)}
        assert len(openings) >= 3, (task.id, openings)


def _opening(task: Task, trial: int) -> str:
    user = make_scripted_user(
        UserContext(
            instruction=task.instruction,
            script=task.script,
            random=trial_random(0, task.id, trial, "user"),
            model=ModelSettings(),
            user_id=task.user_id,
        )
    )
    coroutine = user.respond(None)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return str(done.value.text)
    raise AssertionError("the scripted user waits for nothing")


def test_nobody_says_a_long_sentence_four_times(suite: Suite) -> None:
    for talk in suite.talks:
        said = Counter(line for line in talk.lines if line.startswith("U: ") and len(line) > 60)
        assert all(count < 4 for count in said.values()), (talk.task, said.most_common(1))

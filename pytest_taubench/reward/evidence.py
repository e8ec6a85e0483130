"""What the rules on faults read: a failed trial beside its annotation, its calls matched with gold's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.environment.compare import same, short
from pytest_taubench.environment.environment import Environment
from pytest_taubench.errors import InfrastructureError
from pytest_taubench.schema import Action, ActionRecord, Changes, Component, Task, TrialRecord

Place = tuple[str, str]
"""Table and key of a record."""


@dataclass(frozen=True)
class WriteCall:
    """One write call that succeeded, of the annotation or of the trial.

    Attributes:
        index: Its position among all calls of its side.
        name: The tool's name.
        arguments: The arguments.
        changed: The records this very call changed.
        creates: Whether one of them is new.
    """

    index: int
    name: str
    arguments: Mapping[str, Any]
    changed: frozenset[Place]
    creates: bool = False

    def __str__(self) -> str:
        return describe_call(self.name, self.arguments)


def describe_call(name: str, arguments: Mapping[str, Any] | None) -> str:
    """Return a call as a person reads it."""
    if arguments is None:
        return f"{name}(arguments that do not parse)"
    parts = ", ".join(f"{key}={short(value, 120)}" for key, value in arguments.items())
    return f"{name}({parts})"


def successful_writes(
    environment: Environment, calls: Sequence[Action | ActionRecord]
) -> list[WriteCall]:
    """Run the write calls among some on a fresh environment and return those that succeed.

    Args:
        environment: Any environment of the domain; left as it is.
        calls: The annotated actions, or a trial's calls.
    """
    fresh = environment.fresh()
    before: Changes = {}
    found = []
    for index, call in enumerate(calls):
        tool = environment.tools.get(call.name)
        if tool is None or tool.kind != "write" or (isinstance(call, ActionRecord) and not call.ok):
            continue
        arguments = call.arguments or {}
        ok, after = fresh.call(call.name, arguments).ok, fresh.changes()
        if ok:
            changed = frozenset(different_places(before, after))
            creates = any(_is_new(place, before, after) for place in changed)
            found.append(WriteCall(index, call.name, arguments, changed, creates))
        before = after
    return found


def end_state(environment: Environment, calls: Sequence[Action]) -> Changes | None:
    """Return what calls change on a fresh environment; None where a tool cannot bear them.

    The calls tried here are ones that nobody made, so a tool that breaks on them says nothing.
    """
    fresh = environment.fresh()
    try:
        for call in calls:
            fresh.call(call.name, call.arguments)
    except InfrastructureError:
        return None
    return fresh.changes()


def _is_new(place: Place, before: Changes, after: Changes) -> bool:
    table, key = place
    change = after.get(table, {}).get(key)
    return change is not None and change.before is None and key not in before.get(table, {})


def different_places(one: Changes, other: Changes) -> Iterator[Place]:
    """Yield the records that end differently in two sets of changes."""
    for table in {*one, *other}:
        left, right = one.get(table, {}), other.get(table, {})
        for key in {*left, *right}:
            if key not in left or key not in right or not same(left[key].after, right[key].after):
                yield table, key


def cheapest_assignment(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return pairs of row and column, as many as the shorter side has, of least total cost."""
    if not costs or not costs[0]:
        return []
    if len(costs) == 1 or len(costs[0]) == 1:  # as most are, and scipy is slow to load
        return [min(_cells(costs), key=lambda cell: costs[cell[0]][cell[1]])]
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _cells(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    return [(row, column) for row in range(len(costs)) for column in range(len(costs[0]))]


_UNMATCHED = 1.0
"""Of one call without a partner: a pair is made where it costs less than two of these."""
_OTHER_TOOL = 1.5
_NEVER = 1e6


@dataclass(frozen=True)
class Matching:
    """Annotated actions and calls of a trial, matched.

    Attributes:
        pairs: An annotated action and the call that stands for it.
        missing: Annotated actions that no call stands for.
        extra: Calls that stand for no annotated action.
    """

    pairs: list[tuple[WriteCall, WriteCall]]
    missing: list[WriteCall]
    extra: list[WriteCall]


def match_calls(gold: Sequence[WriteCall], made: Sequence[WriteCall]) -> Matching:
    """Match so that the pairs differ as little as they can over all.

    A pair costs the share of arguments that differ; two tools make a pair only where both
    changed the same record, and then more than any pair of one tool.
    """
    chosen = [(g, m) for g, m in _assign(gold, made) if pair_cost(g, m) < 2 * _UNMATCHED]
    taken = {g.index for g, _ in chosen}, {m.index for _, m in chosen}
    return Matching(
        pairs=chosen,
        missing=[call for call in gold if call.index not in taken[0]],
        extra=[call for call in made if call.index not in taken[1]],
    )


def pair_cost(gold: WriteCall, made: WriteCall) -> float:
    """Return how ill a call stands for an annotated action; 0 where it is the same call."""
    differing = differing_arguments(gold, made)
    count = len({*gold.arguments, *made.arguments})
    if gold.name == made.name:
        # A call that shares nothing but the tool is another deed, unless it has but one argument.
        return len(differing) / count if len(differing) < count or count < 2 else _NEVER
    if not _same_subject(gold, made):
        return _NEVER
    return _OTHER_TOOL + 0.4 * len(differing) / max(1, count)


def differing_arguments(gold: WriteCall, made: WriteCall) -> list[str]:
    """Return the names of the arguments that differ by meaning, those not given included."""
    names = [*gold.arguments, *(name for name in made.arguments if name not in gold.arguments)]
    return [
        name
        for name in names
        if name not in gold.arguments
        or name not in made.arguments
        or not same(gold.arguments[name], made.arguments[name])
    ]


def _same_subject(gold: WriteCall, made: WriteCall) -> bool:
    """Tell whether two calls of different tools did something to the same record.

    A record that both merely change besides, as a user's balance is, does not make them alike:
    at least half of the changed records must be common, and a call that creates a record is not
    like one that changes what is there.
    """
    common = gold.changed & made.changed
    return gold.creates == made.creates and 2 * len(common) >= len(gold.changed | made.changed) > 0


def _assign(
    gold: Sequence[WriteCall], made: Sequence[WriteCall]
) -> list[tuple[WriteCall, WriteCall]]:
    # What no pair should be made of costs as much as leaving both alone, so none is forced.
    costs = [[min(pair_cost(g, m), 2 * _UNMATCHED) for m in made] for g in gold]
    return [(gold[row], made[column]) for row, column in cheapest_assignment(costs)]


@dataclass(frozen=True)
class FailedTrial:
    """A failed trial and its annotation.

    Attributes:
        record: The trial's record, graded.
        task: The annotation.
        environment: Any environment of the domain.
        gold: The annotated write calls that change anything.
        made: The trial's write calls, those too that wrote what was there already.
        writes: These, matched.
        wrong: The records that end otherwise than in gold.
    """

    record: TrialRecord
    task: Task
    environment: Environment
    gold: list[WriteCall]
    made: list[WriteCall]
    writes: Matching
    wrong: frozenset[Place]

    @property
    def gold_transfers(self) -> bool:
        """True where the annotation ends the episode by a tool, as a transfer to a human does."""
        tools = [self.environment.tools.get(action.name) for action in self.task.actions]
        return any(tool is not None and tool.ends_episode for tool in tools)

    @property
    def refused(self) -> list[ActionRecord]:
        """The trial's calls that were answered with an error."""
        return [call for call in self.record.actions if not call.ok]

    def failing(self, name: str) -> Component | None:
        """Return the component of that name where it is why the reward is 0."""
        component = self.record.component(name)
        if component is None or component.value == 1 or not component.detail.get("counted", True):
            return None
        return component

    def concerns(self, *calls: WriteCall) -> bool:
        """Tell whether any of the calls changed a record that ends wrong.

        Several ways may lead to one database, so a call is looked at only for where it led.
        """
        return any(call.changed & self.wrong for call in calls)


def gather(record: TrialRecord, task: Task, environment: Environment) -> FailedTrial:
    """Return the evidence on a failed trial.

    Args:
        record: The graded record.
        task: The annotation.
        environment: Any environment of the domain; left as it is.
    """
    gold = [call for call in successful_writes(environment, task.actions) if call.changed]
    made = successful_writes(environment, record.actions)
    return FailedTrial(
        record=record,
        task=task,
        environment=environment,
        gold=gold,
        made=made,
        writes=match_calls(gold, made),
        wrong=frozenset(different_places(record.expected_changes, record.actual_changes)),
    )

"""Where a run fails: by class of fault, gold writes and ending; and what it ran on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_taubench.metrics.pass_k import Estimate, mean_estimate, pass_hat_k
from pytest_taubench.metrics.summary import summarize_tasks
from pytest_taubench.schema import (
    DomainFingerprint,
    FaultKind,
    PaperClass,
    RunInfo,
    RunSettings,
    TrialRecord,
)

_PARTS = ("policy", "tools", "database", "tool_graph")


def changed_parts(
    before: Iterable[DomainFingerprint], after: Sequence[DomainFingerprint]
) -> list[str]:
    """Return what differs of the domains that both have, e.g. ``the policy of shop``.

    What either does not know is not said to differ.
    """
    found = [
        f"the {part.replace('_', ' ')} of {new.name}"
        for old in before
        for new in after
        if (old.name, old.place) == (new.name, new.place)
        for part in _PARTS
        if _differ(getattr(old, part), getattr(new, part))
    ]
    return list(dict.fromkeys(found))


def _differ(old: str, new: str) -> bool:
    return bool(old and new and old != new)


NONE_OF_FOUR = "none of the four"
NOT_ATTRIBUTED = "not attributed"


@dataclass(frozen=True)
class FaultCounts:
    """Why the failed trials of a run failed.

    Attributes:
        failed: Scored trials of reward 0 that rules were asked about.
        kinds: Trials that have a fault of each kind; a trial may have several.
        paper: Trials by the paper's class, one each; ``none of the four`` where none shows.
        whose: Trials by whose fault a model says it was, ``not attributed`` where it was asked
            and did not say; empty where no model was asked.
    """

    failed: int
    kinds: Counter[str]
    paper: Counter[str]
    whose: Counter[str]


@dataclass(frozen=True)
class Group:
    """The trials of a run that have something in common.

    Attributes:
        name: What they have in common.
        tasks: Tasks with a scored trial in the group.
        trials: Scored trials.
        passed: Of these, trials of reward 1.
        pass_1: pass^1 over the group's tasks.
    """

    name: str
    tasks: int
    trials: int
    passed: int
    pass_1: Estimate


def count_faults(records: Iterable[TrialRecord]) -> FaultCounts:
    """Count the faults of failed trials, in the order in which kinds and classes are defined."""
    found = [record.attribution for record in records if record.attribution is not None]
    kinds = Counter(kind for each in found for kind in each.classes)
    papers = Counter(each.paper_class for each in found)
    said = Counter(each.model.whose or NOT_ATTRIBUTED for each in found if each.model is not None)
    paper = {str(name): papers[name] for name in PaperClass if papers[name]}
    if papers[None]:
        paper[NONE_OF_FOUR] = papers[None]
    return FaultCounts(
        failed=len(found),
        kinds=Counter({str(kind): kinds[kind] for kind in FaultKind if kinds[kind]}),
        paper=Counter(paper),
        whose=Counter({n: said[n] for n in ("agent", "user", "task", NOT_ATTRIBUTED) if said[n]}),
    )


def by_gold_writes(records: Iterable[TrialRecord]) -> list[Group]:
    """Return the scored trials by the number of write actions in their annotation, rising.

    Records that do not say how many there are, of older runs or of plans, are left out.
    """
    groups: dict[int, list[TrialRecord]] = {}
    for record in records:
        if record.gold_writes is not None and record.outcome == "scored":
            groups.setdefault(record.gold_writes, []).append(record)
    return [_group(str(writes), groups[writes]) for writes in sorted(groups)]


def by_ending(records: Iterable[TrialRecord]) -> list[Group]:
    """Return the scored trials by the way they ended, the most frequent first."""
    groups: dict[str, list[TrialRecord]] = {}
    for record in records:
        if record.outcome == "scored":
            groups.setdefault(str(record.ending), []).append(record)
    found = [_group(name, members) for name, members in groups.items()]
    return sorted(found, key=lambda group: -group.trials)


def run_warnings(before: RunInfo, after: RunInfo) -> list[str]:
    """Return what differs between two runs beside the agent, and so may be why figures differ."""
    parts = changed_parts(before.domains, after.domains)
    return [
        *(f"{part} changed" for part in parts),
        *settings_warnings(before.settings, after.settings),
    ]


def settings_warnings(before: RunSettings, after: RunSettings) -> list[str]:
    """Return which settings beside the agent's differ between two runs."""
    warnings = []
    for what, option, was_given, is_given in (
        ("the policy", "--tau-no-policy", before.policy, after.policy),
        ("the think tool", "--tau-no-think", before.think, after.think),
    ):
        if was_given != is_given:
            which = "second" if was_given else "first"
            warnings.append(f"the {which} run withheld {what} from the agent ({option})")
    for name, was, now in (
        ("users' models", before.user_model.name, after.user_model.name),
        ("settings of the users' models", before.user_model.args, after.user_model.args),
        ("judges' models", before.judge_model.name, after.judge_model.name),
        ("step caps", before.max_steps, after.max_steps),
        ("time limits", before.timeout, after.timeout),
        ("shots", before.shots, after.shots),
        ("example conversations", before.examples, after.examples),
    ):
        if was != now:
            warnings.append(f"the {name} differ: {was or 'none'} against {now or 'none'}")
    return warnings


def _group(name: str, records: Sequence[TrialRecord]) -> Group:
    tasks = summarize_tasks(records)
    return Group(
        name=name,
        tasks=len(tasks),
        trials=len(records),
        passed=sum(record.reward == 1 for record in records),
        pass_1=mean_estimate(pass_hat_k(task.n, task.c, 1) for task in tasks),
    )

"""A trial's duration is the time it took, whatever is done to the clock meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from planned_sample import GOLD, SAMPLE, answering

from pytest_taubench.agents.loading import load_agent
from pytest_taubench.environment.domain import load_domain
from pytest_taubench.schema import RunSettings, Task
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.plan_trial import SampleSpec, run_sample
from pytest_taubench.taskbench.planners import planner_source
from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
from pytest_taubench.users.loading import load_user


def set_back() -> Callable[[], float]:
    """A clock that is set back two hours each time it is read."""
    times = iter(range(1_000_000, 0, -7_200))
    return lambda: float(next(times))


def advancing() -> Callable[[], float]:
    times = iter((5.0, 8.5))
    return lambda: next(times)


def test_a_clock_set_back_during_a_conversation_does_not_shorten_it():
    task = Task(id="a", domain="retail", instruction="You want nothing.")
    spec = TrialSpec(task, load_domain("retail"), "a[trial-1]", "retail", 1, RunSettings())
    agent, user = load_agent("silent", Path()), load_user("scripted", Path())
    record = asyncio.run(run_trial(spec, agent, user, GoldStates(), set_back(), advancing()))
    assert (record.started, record.duration) == (1_000_000, 3.5)


def test_a_clock_set_back_during_a_plan_does_not_shorten_it():
    graph = load_tool_graph(SAMPLE.domain)
    spec = SampleSpec(SAMPLE, graph, "t[trial-1]", "taskbench", 1, RunSettings())
    source = planner_source("mine", answering(GOLD))
    record = asyncio.run(run_sample(spec, source, set_back(), advancing()))
    assert (record.started, record.duration) == (1_000_000, 3.5)

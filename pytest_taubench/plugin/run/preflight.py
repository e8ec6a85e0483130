"""What must be right before the first trial runs, checked in the process that keeps the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.collect.arguments import unknown_tasks
from pytest_taubench.plugin.collect.node_ids import (
    is_task_file,
    split_trial,
    stable_nodeid,
    task_of_id,
)
from pytest_taubench.plugin.options.values import (
    OPTIONS,
    given_on_command_line,
    origin_of,
    run_dir,
    run_settings,
)
from pytest_taubench.plugin.run.agent_and_user import ASK_NO_MODEL, default_agent, default_user
from pytest_taubench.plugin.run.asked_models import asked_models, asking_in, collected_by, models_of
from pytest_taubench.plugin.run.models import check_recordings_folder, model_options, recording_key

if TYPE_CHECKING:
    from pytest_taubench.plugin.collect.tasks import Collected
    from pytest_taubench.schema import ModelSettings

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_taubench.plugin.collect.tasks import Collected

    Trial = tuple[str, Collected | None]
    """A node id and what it runs; None where that is not known."""

_IN_EVERY_TRIAL = frozenset({"agent", "agent-sdk", "user"})


def check_recordings(config: pytest.Config, trials: Sequence[Trial]) -> None:
    """Refuse the run where no trial has a recording; where some have, each says what it lacks.

    Args:
        config: The config.
        trials: All trials.

    Raises:
        pytest.UsageError: Names the folder and a file that was looked for.
    """
    folder = model_options(config).replay
    # A judge is asked in some trials only, which a run need not have had.
    asked = models_of(config, lambda: [collected for _, collected in trials])
    if folder is None or not any(each.role in _IN_EVERY_TRIAL for each in asked):
        return
    if any(collected is None for _, collected in trials):
        return  # a Python test names what it runs only as it runs
    paths = [_recording(folder, nodeid, collected) for nodeid, collected in trials if collected]
    if not paths or any(path.is_file() for path in paths):
        return
    count = "the 1 trial" if len(paths) == 1 else f"any of the {len(paths)} trials"
    raise pytest.UsageError(
        f"{origin_of(config, 'replay')}: {folder} holds no recording of {count} of this run; "
        f"looked for {paths[0].relative_to(folder).as_posix()}"
        + (" and the like" if len(paths) > 1 else "")
    )


def _recording(folder: Path, nodeid: str, collected: Collected) -> Path:
    from pytest_taubench.llm.tape import tape_path
    from pytest_taubench.plugin.collect.planned import plan_trial

    _, trial = split_trial(nodeid)
    assert trial is not None  # what was collected of a trial is there
    return tape_path(folder, recording_key(plan_trial(collected, nodeid, trial)), trial)


class Preflight:
    """Refuses, once and before any trial, what no trial could succeed with.

    What was typed is checked before anything is collected. What the ini file says concerns only
    runs that have trials: a project's other tests do not need its agent.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._checked = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Check what was typed."""
        if is_distributed(self._config):
            check_ids(self._config)
        if given_on_command_line(self._config, "agent"):
            default_agent(self._config)
            check_agent_model(self._config)
        if given_on_command_line(self._config, "user"):
            default_user(self._config)
        if given_on_command_line(self._config, "run-dir"):
            check_run_dir(self._config)
        if self._config.stash[OPTIONS]["demos"]:
            from pytest_taubench.plugin.run.demonstrations import check_demonstrations

            check_demonstrations(self._config)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Check the rest, where any test asks for the agent."""
        if asking := asking_in(session):
            self._check(lambda: [collected_by(each) for each in asking])
            self._check_replay(lambda: [(each.nodeid, collected_by(each)) for each in asking])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Check the rest, where any test is a trial; of other tests only workers know more."""
        tasks = [task for task in (task_of_id(self._config, each) for each in ids) if task]
        if tasks and not self._checked:
            self._check(lambda: _found(self._config, tasks))
            self._check_replay(lambda: list(_trials_of(self._config, ids)))

    def _check_replay(self, trials: Callable[[], list[Trial]]) -> None:
        """Check that there are recordings to replay."""
        if self._config.stash[OPTIONS]["replay"]:
            check_recordings(self._config, trials())

    def _check(self, collected: Callable[[], Iterable[object]]) -> None:
        """Check what concerns the trials; under xdist, to know these is to read task files anew."""
        from pytest_taubench.plugin.run.check_examples import check_examples
        from pytest_taubench.plugin.run.model_checks import check_models, check_terms

        self._checked = True
        check_run_dir(self._config)
        check_recordings_folder(self._config)
        check_agent_model(self._config)
        check_examples(self._config, collected)
        refusal = user_refusal(self._config)
        # A sample has no user.
        if refusal and any(hasattr(each, "task") for each in collected()):
            raise pytest.UsageError(f"{origin_of(self._config, 'user')}: {refusal}")
        asked = asked_models(self._config, collected)
        check_terms(self._config, asked)
        check_models(self._config, asked)


def _found(config: pytest.Config, tasks: Iterable[str]) -> Iterable[Collected]:
    from pytest_taubench.plugin.collect.tasks import tasks_by_id

    return tasks_by_id(config, tasks).values()


def _trials_of(config: pytest.Config, ids: Sequence[str]) -> Iterator[Trial]:
    """Yield node ids with what they run; None for other tests, of which only workers know more."""
    from pytest_taubench.plugin.collect.tasks import tasks_by_id

    named = [(each, task_of_id(config, each)) for each in ids]
    found = tasks_by_id(config, {task for _, task in named if task})
    yield from ((nodeid, found.get(task or "")) for nodeid, task in named)


def is_distributed(config: pytest.Config) -> bool:
    """Return whether xdist hands the tests out to workers."""
    return config.pluginmanager.hasplugin("dsession")


def check_ids(config: pytest.Config) -> None:
    """Raise UsageError where a node id names no task, of which a worker's word is lost."""
    from pytest_taubench.plugin.collect.tasks import read_source

    for name in config.args:
        path = config.invocation_params.dir / name.partition("::")[0]
        if "::" not in name or not (path.is_file() and is_task_file(config, path.name)):
            continue
        try:
            labels = [task.label for task in read_source(config, path).tasks]
        except TauBenchError:
            continue  # shown as an error of its collection
        where = stable_nodeid(path, config.rootpath)
        if said := [*unknown_tasks([name.partition("::")[2]], labels, where)]:
            raise pytest.UsageError(*said)


def check_run_dir(config: pytest.Config) -> None:
    """Raise UsageError where no run can be stored."""
    folder = run_dir(config, config.stash[OPTIONS])
    nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not nearest.is_dir():
        problem = f"{nearest} is no folder"
    elif not os.access(nearest, os.W_OK | os.X_OK):
        problem = f"{nearest} cannot be written to"
    else:
        return
    raise pytest.UsageError(f"{origin_of(config, 'run-dir')}: {problem}")


def check_agent_model(config: pytest.Config) -> None:
    """Raise UsageError where the agent is a built-in one that needs a model, and none is named."""
    from pytest_taubench.agents.loading import BUILT_IN

    agent = default_agent(config)
    settings = run_settings(config.stash[OPTIONS]).agent_model
    if agent is None or agent.target is not None or agent.name not in BUILT_IN:
        return
    if _has_model(config, agent.name, settings):
        return
    raise pytest.UsageError(
        f"{origin_of(config, 'agent')}: {agent.name} needs a model: pass --tau-agent-model=MODEL, "
        "or --tau-base-url=URL of a server that serves one"
    )


def user_refusal(config: pytest.Config) -> str | None:
    """Return why the user cannot take part in any τ trial, if so."""
    from pytest_taubench.users.loading import BUILT_IN

    name = default_user(config).name
    if name not in BUILT_IN:
        return None
    if name == "human":
        return _no_terminal(config)
    if _has_model(config, name, run_settings(config.stash[OPTIONS]).user_model):
        return None
    return (
        f"{name} needs a model: pass --tau-user-model=MODEL, or --tau-user-base-url=URL of a "
        "server that serves one"
    )


def _no_terminal(config: pytest.Config) -> str | None:
    if is_distributed(config):
        return "human needs the terminal, which xdist workers have not: leave out -n"
    if config.getoption("capture", "no") != "no":
        return "human needs the terminal, which pytest captures: add -s"
    if config.stash[OPTIONS]["concurrency"] > 1:
        return "human plays one trial at a time: leave out --tau-concurrency"
    return None


def _has_model(config: pytest.Config, name: str, settings: ModelSettings) -> bool:
    from pytest_taubench.llm.endpoint import Endpoint

    if name in ASK_NO_MODEL or settings.name or config.stash[OPTIONS]["replay"]:
        return True
    return Endpoint.of(settings).base_url is not None  # which may serve just one

"""``--tau-resume``: go on with a stored run, and report what it has from its records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.options.values import OPTIONS, run_dir, run_settings
from pytest_taubench.text.secrets import without_secrets

if TYPE_CHECKING:
    from pytest_taubench.plugin.collect.tasks import Collected
    from pytest_taubench.plugin.finish.recorder import RunRecorder
    from pytest_taubench.runs.stored_run import StoredRun
    from pytest_taubench.schema import DomainFingerprint, RunSettings


_OPTION_OF: Mapping[str, str] = {
    "agent_model.args": "--tau-agent-arg",
    "agent_model.base_url": "--tau-base-url",
    "agent_model.name": "--tau-agent-model",
    "judge_model.args": "--tau-judge-arg",
    "judge_model.base_url": "--tau-user-base-url",
    "judge_model.name": "--tau-judge-model",
    "policy": "--tau-no-policy",
    "think": "--tau-no-think",
    "user_model.args": "--tau-user-arg",
    "user_model.base_url": "--tau-user-base-url",
    "user_model.name": "--tau-user-model",
}


class Resumption:
    """Finds the run to go on with, refuses it where it was made otherwise, and opens it."""

    def __init__(self, config: pytest.Config, recorder: RunRecorder) -> None:
        self._config = config
        self._recorder = recorder
        self._lines: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Open the run, before any worker starts."""
        if self._config.getoption("collectonly", False):
            return
        stored = self._find()
        if stored is None:
            self._lines.append("nothing to resume: there was no stored run, so this is a new one")
            return
        _refuse_changes(self._config, stored)
        _refuse_other_shard(self._recorder, stored)
        self._go_on(stored)

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was resumed."""
        for line in self._lines:
            terminalreporter.line(line)

    def _find(self) -> StoredRun | None:
        from pytest_taubench.plugin.options.stored import named_run
        from pytest_taubench.runs.store import StoreError
        from pytest_taubench.runs.stored_run import latest_run, run_folders

        values = self._config.stash[OPTIONS]
        if values["resume"]:
            try:
                return named_run(self._config, "--tau-resume", values["resume"])
            except pytest.UsageError as error:
                file = self._config.invocation_params.dir / values["resume"].partition("::")[0]
                # Of a test's path that stands behind the option, which took it for its own.
                hint = "; put paths of tests before --tau-resume" if file.is_file() else ""
                raise pytest.UsageError(f"{error}{hint}") from None
        if not run_folders(run_dir(self._config, values)):
            return None
        try:
            return latest_run(run_dir(self._config, values))
        except StoreError as error:
            raise pytest.UsageError(f"--tau-resume: {error}") from error

    def _go_on(self, stored: StoredRun) -> None:
        from pytest_taubench.plugin.finish.recorder import git_commit
        from pytest_taubench.plugin.options.stored import share_folder
        from pytest_taubench.runs.store import RunStore, StoreError

        trials = self._config.stash[OPTIONS]["trials"]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        info = stored.info.model_copy(
            update={
                "settings": stored.info.settings.model_copy(update={"trials": trials}),
                "resumed": [*stored.info.resumed, now],
            }
        )
        try:
            store = RunStore.resume(stored.folder, info)
        except (StoreError, OSError) as error:
            raise pytest.UsageError(f"--tau-resume: {error}") from error
        self._recorder.adopt(store, stored.records)
        self._recorder.fields["domains"] = info.domains
        share_folder(self._config, "resume", stored.folder)
        scored = sum(record.outcome == "scored" for record in stored.records)
        were = "1 trial was" if scored == 1 else f"{scored} trials were"
        self._lines.append(f"resumed {stored.info.run_id}: {were} scored before")
        self._lines += stored.warnings
        if (commit := git_commit(self._config.rootpath)) != stored.info.commit:
            self._lines.append(
                f"warning: the run began at commit {stored.info.commit} and goes on at {commit}; "
                "its trials may be of different agents"
            )


def _refuse_changes(config: pytest.Config, stored: StoredRun) -> None:
    changes = [*_changed_settings(config, stored), *_changed_annotations(config, stored)]
    if changes:
        raise pytest.UsageError(
            f"--tau-resume: {stored.folder} was made otherwise: {'; '.join(changes)}"
        )


def _refuse_other_shard(recorder: RunRecorder, stored: StoredRun) -> None:
    if recorder.fields.get("shard") != stored.info.shard:
        raise pytest.UsageError(
            f"--tau-resume: {stored.folder} is of another part of the items: --tau-shard was "
            f"{_shown_shard(stored.info.shard)}, now {_shown_shard(recorder.fields.get('shard'))}"
        )


def _shown_shard(shard: Any) -> str:
    if shard is None:
        return "not given"
    by = f" by the durations of {shard.balanced_by}" if shard.balanced_by else ""
    return f"{shard.number}/{shard.of}{by}"


def _changed_settings(config: pytest.Config, stored: StoredRun) -> Iterator[str]:
    now = without_secrets(run_settings(config.stash[OPTIONS]))
    before = stored.info.settings
    if not now.agent:  # the project's own fixture or hook gives it, by a name not known yet
        now = now.model_copy(update={"agent": before.agent})
    found = _flat(now)
    for name, old in _flat(before).items():
        new = found[name]
        # More trials are the same run made longer.
        if old != new and not (name == "trials" and new > old):
            option = _OPTION_OF.get(name, f"--tau-{name.replace('_', '-')}")
            yield f"{option} was {_shown(name, old)}, now {_shown(name, new)}"


def _flat(settings: RunSettings) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.model_dump().items():
        if isinstance(value, dict):
            flat |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            flat[name] = value
    return flat


def _shown(name: str, value: Any) -> str:
    if name in ("policy", "think"):
        return "not given" if value else "given"
    return "not given" if value in (None, "", {}) else repr(value)


def _changed_annotations(config: pytest.Config, stored: StoredRun) -> Iterator[str]:
    """Yield what changed of the stored tasks, then of the domains that they are of."""
    from pytest_taubench.metrics.breakdowns import changed_parts

    by_file: dict[str, list[str]] = {}
    for task in stored.info.task_hashes:
        by_file.setdefault(task.partition("::")[0], []).append(task)
    domains: list[DomainFingerprint] = []
    for file, tasks in by_file.items():
        found = _tasks_now(config, file)
        if found is not None:
            yield from _changed_tasks(tasks, found, stored)
            domains += _domains_now(config, file, tasks, found)
    for part in changed_parts(stored.info.domains, domains):
        yield f"{part} changed"


def _changed_tasks(
    tasks: Sequence[str], found: Mapping[str, Collected], stored: StoredRun
) -> Iterator[str]:
    for task in tasks:
        now = found.get(task.partition("::")[2])
        if now is None:
            yield f"task {task} is no longer there"
        elif stored.info.task_hashes[task] not in ("", now.annotation_hash()):
            yield f"task {task} changed"


def _domains_now(
    config: pytest.Config, file: str, tasks: Sequence[str], found: Mapping[str, Collected]
) -> list[DomainFingerprint]:
    from pytest_taubench.plugin.run.fingerprints import fingerprint_of

    ran = [now for task in tasks if (now := found.get(task.partition("::")[2])) is not None]
    try:
        # One of each domain will do; a data folder has domains of one name in several suites.
        return [
            fingerprint_of(each, file, config.rootpath)
            for each in {(each.suite, each.domain): each for each in ran}.values()
        ]
    except TauBenchError as error:
        raise pytest.UsageError(f"--tau-resume: {error}") from error


def _tasks_now(config: pytest.Config, file: str) -> dict[str, Collected] | None:
    """Return a file's tasks by label; None for a Python test, whose tasks are not known yet."""
    from pytest_taubench.plugin.collect.node_ids import is_task_file, path_of
    from pytest_taubench.plugin.collect.tasks import read_source

    if not is_task_file(config, file):
        return None
    path = path_of(file, config)
    if path is None:
        return {}
    try:
        return {each.label: each for each in read_source(config, path).tasks}
    except TauBenchError as error:
        raise pytest.UsageError(f"--tau-resume: {error}") from error

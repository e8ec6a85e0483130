"""What a process's trials need of language models, from the options of the run."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.node_ids import split_trial
from pytest_taubench.plugin.options.values import OPTIONS, origin_of
from pytest_taubench.plugin.run.judge import JudgeGuard
from pytest_taubench.plugin.stash import is_worker

if TYPE_CHECKING:
    from pytest_taubench.agents.loading import AgentSource
    from pytest_taubench.llm.provider import ModelProvider
    from pytest_taubench.llm.proxy import ChatProxy
    from pytest_taubench.llm.wiring import ModelOptions
    from pytest_taubench.plugin.collect.planned import Planned
    from pytest_taubench.plugin.options.examples import ExampleFile


class RunModels:
    """Gives each trial its models; one object serves a process.

    Args:
        config: The pytest config, with the checked options.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._values = config.stash[OPTIONS]
        self._provider = make_provider(config)
        self._proxy: ChatProxy | None = None
        self._undo = ExitStack()
        self._config = config
        self._ready = False

    def prepare(self, session: pytest.Session) -> None:
        """Import what the trials of the session need to talk to models, before one's clock runs."""
        if self._ready:
            return
        self._ready = True
        from pytest_taubench.plugin.run.asked_models import asked_models, asking_in, collected_by

        items = asking_in(session)
        if asked_models(self._config, lambda: map(collected_by, items)):
            from pytest_taubench.llm.openai_chat import import_client

            import_client()

    def options(self, planned: Planned) -> dict[str, Any]:
        """Return what a trial's agent and user find in their context's options.

        To be called once for a trial: while recording, its earlier recording is replaced.
        """
        from pytest_taubench.plugin.collect.tasks import CollectedTask

        models = self._provider.for_trial(recording_key(planned), planned.trial)
        options: dict[str, Any] = {"models": models}
        file: ExampleFile | None = self._values["examples"]
        if file is not None and isinstance(planned.collected, CollectedTask):
            options["examples"] = file.of_others(
                planned.collected.task, planned.collected.load_domain
            )
        return options

    def agent(self, source: AgentSource) -> AgentSource:
        """Return the agent, behind the proxy where it brings its own SDK and the option is set."""
        # The built-in agents ask the trial's models themselves.
        if not self._values["proxy"] or source.target is None:
            return source
        from pytest_taubench.agents.proxied import proxied

        if self._proxy is None:
            from pytest_taubench.llm.endpoint import loopback_reached_directly
            from pytest_taubench.llm.proxy import ChatProxy

            self._proxy = ChatProxy()
            self._undo.callback(self._proxy.close)
            self._undo.enter_context(loopback_reached_directly())
        return proxied(source, self._proxy)

    def why_not_recorded(self, planned: Planned) -> str:
        """Return why the recording of a trial that is over is not kept, empty where that is not so.

        To be called once for a trial.
        """
        return self._provider.take_lost(recording_key(planned), planned.trial)

    def close(self) -> None:
        """Stop the proxy and release the models."""
        self._undo.close()
        self._proxy = None
        self._provider.close()


def recording_key(planned: Planned) -> str:
    """Return what names a task's recordings: its node id, which no other task of a run has.

    Of what lies outside the root directory the id is an absolute path, which is another on the
    next machine, so that the suite's name stands for the folders.
    """
    path, _, name = split_trial(planned.nodeid)[0].partition("::")
    if Path(path).is_absolute():
        path = f"{planned.collected.suite}/{Path(path).name}"
    return f"{path}/{name.replace('::', '/')}"


def make_provider(config: pytest.Config) -> ModelProvider:
    """Return the provider of this process's models.

    Raises:
        pytest.UsageError: The options exclude each other, or name a folder that is not there.
    """
    from pytest_taubench.llm import wiring

    try:
        return wiring.make_provider(model_options(config))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


def model_options(config: pytest.Config) -> ModelOptions:
    """Return what the options say of models."""
    from pytest_taubench.llm import wiring
    from pytest_taubench.llm.endpoint import SECONDS_A_REQUEST
    from pytest_taubench.plugin.options.stored import shared_folder

    values = config.stash[OPTIONS]
    timeout: float | None = values["request-timeout"]
    return wiring.ModelOptions(
        timeout=SECONDS_A_REQUEST if timeout is None else timeout,
        record=folder_of(config, "record"),
        replay=folder_of(config, "replay"),
        rpm=values["rpm"],
        max_cost=values["max-cost"],
        shared=shared_folder(config, "limits"),
        base_url=values["base-url"],
    )


def check_recordings_folder(config: pytest.Config) -> None:
    """Raise UsageError where no recording can be kept of what is paid for."""
    folder = folder_of(config, "record")
    if folder is None:
        return
    from pytest_taubench.llm.tape import try_to_write

    try:
        try_to_write(folder)
    except OSError as error:
        raise pytest.UsageError(
            f"{origin_of(config, 'record')}: {folder} cannot be written to: {error.strerror}"
        ) from error


def folder_of(config: pytest.Config, name: str) -> Path | None:
    """Return a folder that was typed, relative to where, or else the ini file's, to the root."""
    value: str | None = config.stash[OPTIONS][name]
    if not value:
        return None
    typed = config.getoption(f"tau_{name}", None)
    return (config.invocation_params.dir if typed else config.rootpath) / value


class LimitsFolder:
    """The folder in which the processes of a run keep its limits, there as long as the run."""

    def __init__(self, config: pytest.Config) -> None:
        from pytest_taubench.plugin.options.stored import share_folder

        self._folder = tempfile.TemporaryDirectory(prefix="tau-limits-")
        share_folder(config, "limits", Path(self._folder.name))

    def pytest_unconfigure(self) -> None:
        """Remove the folder, now that no worker is left."""
        self._folder.cleanup()


def register_models(config: pytest.Config) -> None:
    """Check the options about models, and register what they ask for.

    Raises:
        pytest.UsageError: They cannot be followed.
    """
    values = config.stash[OPTIONS]
    register = config.pluginmanager.register
    if not (values["judge-model"] or values["lint"]):
        register(JudgeGuard(), "tau-bench-judge-guard")
    if is_worker(config):
        return
    if values["max-cost"] is not None and not values["replay"]:
        _check_prices()
    if values["rpm"] is not None or values["max-cost"] is not None:
        register(LimitsFolder(config), "tau-bench-limits")
    if values["record"] or values["replay"]:
        make_provider(config).close()


def _check_prices() -> None:
    from pytest_taubench.llm.prices import PRICES_MISSING, is_installed

    if not is_installed():
        raise pytest.UsageError(f"--tau-max-cost: {PRICES_MISSING}")

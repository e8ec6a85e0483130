"""From what the command line says of models to the provider of a process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_taubench.llm.endpoint import SECONDS_A_REQUEST, ServerKeys
from pytest_taubench.llm.limits import SharedBudget, SharedLimits, SharedRate
from pytest_taubench.llm.provider import ModelProvider, OpenAIModels
from pytest_taubench.llm.recording import RecordingModels, ReplayModels


@dataclass(frozen=True)
class ModelOptions:
    """What the options say of models.

    Attributes:
        record: Folder of ``--tau-record``.
        replay: Folder of ``--tau-replay``; no model is asked then, and no limit is needed.
        rpm: Requests a minute, over all workers.
        max_cost: US dollars, over all workers.
        shared: A new folder of this run that all its workers see; needed for the two limits.
        timeout: Seconds one request may take.
        base_url: The address of ``--tau-base-url``, whose key is the usual one.
    """

    record: Path | None = None
    replay: Path | None = None
    rpm: int | None = None
    max_cost: float | None = None
    shared: Path | None = None
    timeout: float = SECONDS_A_REQUEST
    base_url: str | None = None


def make_provider(options: ModelOptions) -> ModelProvider:
    """Return the provider the options ask for; nothing is connected or written yet.

    Raises:
        ValueError: The options exclude each other, or lack what another needs.
    """
    if options.record and options.replay:
        raise ValueError("--tau-record and --tau-replay exclude each other")
    if options.replay:
        if not options.replay.is_dir():
            raise ValueError(f"--tau-replay: there is no folder {options.replay}")
        return ReplayModels(options.replay)
    if options.record and options.record.exists() and not options.record.is_dir():
        raise ValueError(f"--tau-record: {options.record} is a file; expected a folder")
    asked = asked_models(options)
    return RecordingModels(asked, options.record) if options.record else asked


def asked_models(options: ModelOptions) -> OpenAIModels:
    """Return what asks the endpoints, within the limits, and records nothing.

    Raises:
        ValueError: An option lacks what another needs.
    """
    limits = _limits(options)
    return OpenAIModels(
        admission=limits.admit if limits else None,
        timeout=options.timeout,
        keys=ServerKeys(options.base_url),
    )


def _limits(options: ModelOptions) -> SharedLimits | None:
    if options.rpm is None and options.max_cost is None:
        return None
    if options.shared is None:
        raise ValueError("a limit over all workers needs a folder they share")
    return SharedLimits(
        None if options.rpm is None else SharedRate(options.shared, options.rpm),
        None if options.max_cost is None else SharedBudget(options.shared, options.max_cost),
    )

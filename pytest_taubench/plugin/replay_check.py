"""Checks, before the first trial, that ``--tau-replay`` names the folder of this run's recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.asked_models import models_of
from pytest_taubench.plugin.models import model_options, recording_key
from pytest_taubench.plugin.options import origin_of
from pytest_taubench.plugin.running import plan_trial

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_taubench.plugin.tasks import Collected

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

    trial = int(nodeid.rpartition("[trial-")[2].partition("]")[0])
    return tape_path(folder, recording_key(plan_trial(collected, nodeid, trial)), trial)

"""Records for the tests of figures: only what a figure reads differs."""

from pytest_taubench.schema import Ending, TrialRecord


def record(task, trial, reward, *, suite="shop", domain="shop", ending=None, **more):
    """Return one record; a reward of None is an unscored trial."""
    return TrialRecord(
        nodeid=f"tasks/{suite}/a.tau.yaml::{task}[trial-{trial}]",
        suite=suite,
        domain=domain,
        task_id=task,
        trial=trial,
        outcome="unscored" if reward is None else "scored",
        reward=reward,
        ending=ending or (Ending.MODEL_ERROR if reward is None else Ending.USER_STOP),
        **more,
    )


def run_of(rewards, **more):
    """Return the records of a run given as {task: [reward, reward, ...]}."""
    return [
        record(task, number, reward, **more)
        for task, trials in rewards.items()
        for number, reward in enumerate(trials, 1)
    ]

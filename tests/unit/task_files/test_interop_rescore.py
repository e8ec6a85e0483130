"""Recorded trials are graded by making their calls again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from upstream_like import BOOKS, write_json

from pytest_taubench.runs.rescore import Rescored, rescore, suite_of
from pytest_taubench.schema import Ending
from pytest_taubench.task_files.upstream import DataError, DataSuite, read_data
from pytest_taubench.task_files.upstream.files import GetDomain
from pytest_taubench.task_files.upstream.recorded import read_recorded

TASK = {
    "user_id": "ada",
    "instruction": "Borrow Tides and ask for the fee.",
    "actions": [{"name": "lend", "kwargs": {"book_id": "B1", "member": "ada"}}],
    "outputs": ["1.5"],
}
STOP = {"role": "user", "content": "Thanks. ###STOP###"}


def called(name: str, call_id: str = "c1", answered: bool = True, **arguments: Any) -> list[Any]:
    """An assistant message with one call, and its answer."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    answer = {"role": "tool", "tool_call_id": call_id, "name": name, "content": "..."}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [message, answer] if answered else [message]


def said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


LEND = called("lend", book_id="B1", member="ada")
GOOD = [*LEND, said("The fee is $1.50."), STOP]


def trial(messages: list[Any], **changes: Any) -> dict[str, Any]:
    info = {"task": TASK, "reward_info": {"reward": 0.0}}
    return {"task_id": 0, "trial": 0, "reward": 1.0, "info": info, "traj": messages, **changes}


Grade = Callable[..., list[Rescored]]


@pytest.fixture
def suite(tmp_path: Path, get_domain: GetDomain) -> DataSuite:
    write_json(tmp_path / "library" / "books.json", BOOKS)
    write_json(tmp_path / "library" / "tasks_test.json", [TASK])
    return read_data(tmp_path / "library", get_domain)[0]


@pytest.fixture
def grade(tmp_path: Path, suite: DataSuite) -> Grade:
    def grade_trials(*trials: dict[str, Any]) -> list[Rescored]:
        path = tmp_path / "trials.json"
        write_json(path, trials)
        return rescore(read_recorded(path), suite, path.name)

    return grade_trials


def test_a_trial_that_did_all_has_reward_1_whatever_was_recorded(grade: Grade) -> None:
    (graded,) = grade(trial(GOOD, reward=0.0))
    assert graded.record.reward == 1
    assert graded.agrees is False
    assert graded.record.ending == Ending.USER_STOP
    assert graded.record.actual_changes["books"]["B1"].after["lent_to"] == "ada"
    assert {c.name: c.value for c in graded.record.components} == {
        "database": 1,
        "outputs": 1,
        "actions": 1,
    }


def test_database_and_outputs_must_both_hold(grade: Grade) -> None:
    wrong_member = called("lend", book_id="B1", member="kim")
    graded = grade(
        trial([*wrong_member, said("The fee is 1.5"), STOP], trial=0),
        trial([*LEND, said("There you are."), STOP], trial=1),
    )
    values = [{c.name: c.value for c in each.record.components} for each in graded]
    assert [each.record.reward for each in graded] == [0, 0]
    assert (values[0]["database"], values[0]["outputs"]) == (0, 1)
    assert (values[1]["database"], values[1]["outputs"]) == (1, 0)


def test_text_beside_a_tool_call_was_never_told(grade: Grade) -> None:
    with_text = [{**LEND[0], "content": "The fee is 1.5"}, LEND[1]]
    (graded,) = grade(trial([*with_text, said("Done."), STOP]))
    assert graded.record.component("outputs").value == 0  # type: ignore[union-attr]


def test_a_call_the_reference_dropped_is_not_made(grade: Grade) -> None:
    both = called("look_up", "c0", book_id="B1")
    both[0]["tool_calls"].append(
        called("lend", "c9", book_id="B1", member="ada")[0]["tool_calls"][0]
    )
    (graded,) = grade(trial([*both, said("The fee is 1.5"), STOP]))
    assert [action.name for action in graded.record.actions] == ["look_up"]
    assert graded.record.component("database").value == 0  # type: ignore[union-attr]


def test_a_trial_the_step_cap_ended_has_reward_0(grade: Grade) -> None:
    info = {"task": TASK, "reward_info": None}
    unsaid = {"task": TASK}
    graded = grade(
        trial(GOOD[:-1], info=info, reward=0.0, trial=0),
        trial(GOOD[:-1], info=unsaid, reward=0.0, trial=1),
        trial(GOOD, info=unsaid, trial=2),
    )
    assert [each.record.reward for each in graded] == [0, 0, 1]
    assert [each.record.ending for each in graded] == [
        Ending.MAX_STEPS,
        Ending.MAX_STEPS,
        Ending.USER_STOP,
    ]


def test_a_transfer_ends_a_trial(grade: Grade) -> None:
    info = {"task": {**TASK, "actions": [], "outputs": []}}
    (graded,) = grade(trial(called("call_librarian", summary="x"), info=info))
    assert (graded.record.ending, graded.record.reward) == (Ending.TRANSFER, 1)


def test_a_trial_broken_off_by_an_error_is_unscored(grade: Grade) -> None:
    info = {"error": "RateLimitError: 429", "traceback": "..."}
    (graded,) = grade(trial([], info=info, reward=0.0))
    assert (graded.record.outcome, graded.record.reward) == ("unscored", None)
    assert graded.agrees is None
    assert graded.record.error is not None
    assert graded.record.error.message == "RateLimitError: 429"


def test_the_task_of_the_record_is_used_and_the_datas_only_where_it_has_none(
    grade: Grade,
) -> None:
    reworded = {"task": {**TASK, "outputs": ["never said"]}, "reward_info": {}}
    graded = grade(
        trial(GOOD, info=reworded, trial=0), trial(GOOD, info={"reward_info": {}}, trial=1)
    )
    assert [each.record.reward for each in graded] == [0, 1]
    assert graded[1].record.notes == ["graded by the data folder's task: the record has none"]


def test_a_trial_without_any_task_is_refused(grade: Grade) -> None:
    with pytest.raises(DataError, match="no task 7"):
        grade(trial(GOOD, info={}, task_id=7))


def test_arguments_may_be_an_object_and_garbage_is_an_error_the_agent_saw(grade: Grade) -> None:
    as_object = called("lend", book_id="B1", member="ada")
    as_object[0]["tool_calls"][0]["function"]["arguments"] = {"book_id": "B1", "member": "ada"}
    garbage = called("lend", "c0")
    garbage[0]["tool_calls"][0]["function"]["arguments"] = "{book"
    (graded,) = grade(trial([*garbage, *as_object, said("1.5"), STOP]))
    assert [action.ok for action in graded.record.actions] == [False, True]
    assert graded.record.reward == 1


def test_the_domain_is_told_by_the_tools_that_were_called(tmp_path: Path, suite: DataSuite) -> None:
    write_json(tmp_path / "t.json", [trial(GOOD)])
    write_json(tmp_path / "u.json", [trial([said("Hi"), STOP], info={"reward_info": {}})])
    broken = DataSuite("other", tmp_path, problems=["no tools for 'other'"])
    assert suite_of(read_recorded(tmp_path / "t.json"), [broken, suite]) is suite
    unclear = read_recorded(tmp_path / "u.json")
    with pytest.raises(DataError, match="pass --domain=NAME"):
        suite_of(unclear, [suite])
    assert suite_of(unclear, [suite], "library") is suite
    with pytest.raises(DataError, match="no domain 'museum' in the data folder; known are library"):
        suite_of(unclear, [suite], "museum")
    with pytest.raises(DataError, match="no usable domain: no tools for 'other'"):
        suite_of(unclear, [broken])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "expected a list of recorded trials"),
        ([], "expected a list of recorded trials"),
        (["x"], "entry 0: expected an object"),
        ([trial(GOOD), {"trial": 1, "traj": []}], "entry 1: no 'task_id'"),
        ([{"task_id": 0, "trial": 0}], "entry 0: no 'traj'; expected a list"),
        ([trial(GOOD, traj="x")], "entry 0, traj: expected a list, found str"),
        ([trial(GOOD, trial="x")], "entry 0, trial: expected a whole number, found str"),
        ([trial(GOOD, reward="x")], "entry 0, reward: expected a number, found str"),
        ([trial(GOOD, info=[])], "entry 0, info: expected an object, found list"),
        ([trial([{"role": "robot"}])], r"entry 0, traj\[0\], role: "),
        ([trial(["x"])], r"entry 0, traj\[0\]: "),
        ([trial(GOOD, info={"task": {}})], "entry 0, info.task, instruction: "),
        ([trial(GOOD), trial(GOOD)], "entry 1: trial 0 of task 0 is also entry 0"),
    ],
)
def test_a_file_of_another_form_is_refused_with_entry_and_field(
    tmp_path: Path, content: Any, message: str
) -> None:
    write_json(tmp_path / "trials.json", content)
    with pytest.raises(DataError, match=message):
        read_recorded(tmp_path / "trials.json")

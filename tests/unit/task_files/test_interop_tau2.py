"""τ²-bench data: a scenario becomes the instruction, criteria become gold and reward basis."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from upstream_like import BOOKS, write_json

from pytest_taubench.task_files.upstream import read_data
from pytest_taubench.task_files.upstream.files import GetDomain
from pytest_taubench.task_files.upstream.tau2 import tau2_task


def tau2(task_id: str = "lend_1", **criteria: Any) -> dict[str, Any]:
    """A task as τ²-bench writes it."""
    return {
        "id": task_id,
        "description": {"purpose": None},
        "user_scenario": {
            "persona": None,
            "instructions": {
                "task_instructions": "Be brief.",
                "domain": "library",
                "reason_for_call": "You want to borrow Tides.",
                "known_info": "You are Ada.",
                "unknown_info": "You do not know the fee.",
            },
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": "1",
                    "name": "lend",
                    "arguments": {"book_id": "B1", "member": "ada"},
                    "info": None,
                }
            ],
            "communicate_info": ["1.5"],
            "nl_assertions": None,
            **criteria,
        },
    }


def test_a_scenario_becomes_an_instruction_in_the_order_of_the_papers() -> None:
    task = tau2_task(tau2(), 0, "library")
    assert task.instruction == (
        "You are Ada.\nYou want to borrow Tides.\nYou do not know the fee.\nBe brief."
    )
    assert task.id == "lend_1"
    assert task.actions[0].arguments == {"book_id": "B1", "member": "ada"}
    assert (task.outputs, task.output_match) == (["1.5"], "substring")
    assert task.reward_basis == ["database", "outputs"]


def test_a_scenario_that_is_one_text_stands_as_it_is() -> None:
    data = tau2()
    data["user_scenario"] = {"persona": "You are kind.", "instructions": "Borrow Tides."}
    assert tau2_task(data, 0, "library").instruction == "You are kind.\nBorrow Tides."


def test_each_basis_that_can_be_graded_has_its_component() -> None:
    basis = ["DB", "ACTION", "COMMUNICATE", "NL_ASSERTION"]
    task = tau2_task(tau2(reward_basis=basis, nl_assertions=["The agent is kind."]), 0, "library")
    assert task.reward_basis == ["database", "actions", "outputs", "nl_assertions"]
    assert task.nl_assertions == ["The agent is kind."]


def test_ids_lose_the_signs_that_pytest_reads() -> None:
    assert tau2_task(tau2("[a]b::c[d]"), 0, "library").id == "(a)b:c(d)"


def with_field(name: str, value: Any) -> dict[str, Any]:
    return {**tau2(), name: value}


CANNOT_BE_GRADED = [
    (tau2(reward_basis=["DB", "ENV_ASSERTION"]), "names ENV_ASSERTION, which cannot be graded"),
    (tau2(reward_basis=["VIBES"]), "names VIBES, which cannot be graded here; known are DB"),
    (tau2(reward_basis=[]), "its reward_basis is empty"),
    (tau2(reward_basis=["NL_ASSERTION"]), "there are no nl_assertions"),
    (with_field("evaluation_criteria", None), "nothing to grade"),
    (with_field("initial_state", {"message_history": []}), "initial_state cannot be run"),
    (
        tau2(actions=[{"name": "reboot", "arguments": {}, "requestor": "user"}]),
        "the gold action reboot is the user's",
    ),
    (
        tau2(
            actions=[{"name": "lend", "arguments": {}, "compare_args": ["x"]}],
            reward_basis=["ACTION"],
        ),
        "compare_args",
    ),
    ({"id": "lend_1", "evaluation_criteria": {"actions": []}}, "not the form of τ²-bench"),
]


@pytest.mark.parametrize(
    ("data", "message"), CANNOT_BE_GRADED, ids=[m for _, m in CANNOT_BE_GRADED]
)
def test_what_cannot_be_graded_as_annotated_is_a_problem_that_names_the_task(
    tmp_path: Path, get_domain: GetDomain, data: dict[str, Any], message: str
) -> None:
    folder = tmp_path / "domains" / "library"
    write_json(folder / "db.json", {"books": BOOKS})
    write_json(folder / "tasks.json", [data, tau2("lend_2")])
    (suite,) = read_data(tmp_path, get_domain)
    assert [task.id for task in suite.tasks] == ["lend_2"]
    assert len(suite.problems) == 1
    assert "task 'lend_1': " in suite.problems[0]
    assert message in suite.problems[0]


@pytest.mark.parametrize("packed", [False, True])
def test_a_data_folder_is_read_plain_and_packed(
    tmp_path: Path, get_domain: GetDomain, packed: bool
) -> None:
    folder = tmp_path / "data" / "tau2" / "domains" / "library"
    folder.mkdir(parents=True)
    for name, content in [("db.json", {"books": BOOKS}), ("tasks.json", [tau2()])]:
        raw = json.dumps(content).encode()
        path = folder / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(raw) if packed else raw)
    (folder / "policy.md").write_text("Their policy.")
    (suite,) = read_data(tmp_path, get_domain)
    assert (suite.name, suite.problems, len(suite.tasks)) == ("library", [], 1)
    assert suite.domain is not None
    assert suite.domain.policy == "Their policy."
    assert suite.domain.environment().call("look_up", {"book_id": "B2"}).value["title"] == "Winds"


def test_a_domain_without_tools_here_is_a_problem_and_the_others_load(
    tmp_path: Path, get_domain: GetDomain
) -> None:
    for name in ("library", "telecom"):
        write_json(tmp_path / "domains" / name / "db.json", {"books": BOOKS})
        write_json(tmp_path / "domains" / name / "tasks.json", [tau2()])
    library, telecom = read_data(tmp_path, get_domain)
    assert len(library.tasks) == 1
    assert telecom.tasks == []
    assert "no tools for the domain 'telecom'" in telecom.problems[0]


def test_a_packed_file_that_is_torn_is_named(tmp_path: Path, get_domain: GetDomain) -> None:
    folder = tmp_path / "library"
    write_json(folder / "tasks.json", [tau2()])
    whole = gzip.compress(json.dumps({"books": BOOKS}).encode())
    (folder / "db.json.gz").write_bytes(whole[:-9])
    (suite,) = read_data(tmp_path, get_domain)
    assert "db.json.gz: cannot be read" in suite.problems[0]

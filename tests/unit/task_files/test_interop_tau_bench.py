"""τ-bench data are read from tables and tasks, and from a checkout of the reference repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from upstream_like import BOOKS, write_json

from pytest_taubench.task_files.upstream import DataError, read_data
from pytest_taubench.task_files.upstream.files import GetDomain

TASK = {
    "user_id": "ada",
    "instruction": "You are Ada. Borrow Tides and ask for the fee.",
    "actions": [{"name": "lend", "kwargs": {"book_id": "B1", "member": "ada"}}],
    "outputs": ["1.5"],
}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder of tables and tasks, two splits."""
    folder = tmp_path / "data" / "library"
    write_json(folder / "books.json", BOOKS)
    write_json(folder / "tasks_test.json", [TASK, {**TASK, "outputs": []}])
    write_json(folder / "tasks_dev.json", [TASK])
    write_json(folder / "expected_test.json", [])
    return folder


def test_the_test_split_is_the_suite_of_the_domains_name(
    tables: Path, get_domain: GetDomain
) -> None:
    (suite,) = read_data(tables, get_domain)
    assert (suite.name, suite.problems, len(suite.tasks)) == ("library", [], 2)
    task = suite.tasks[0]
    assert (task.id, task.domain, task.user_id) == ("0", "library", "ada")
    assert (task.output_match, task.ignore_failing_gold) == ("substring", True)
    assert task.actions[0].arguments == {"book_id": "B1", "member": "ada"}
    assert task.source == "tasks_test.json[0]"


def test_another_split_is_a_suite_to_be_asked_for(tables: Path, get_domain: GetDomain) -> None:
    (suite,) = read_data(tables, get_domain, suites=["library-dev", "bundled"])
    assert (suite.name, len(suite.tasks), suite.default) == ("library-dev", 1, False)


def test_tools_are_ours_and_records_theirs(tables: Path, get_domain: GetDomain) -> None:
    (suite,) = read_data(tables, get_domain)
    assert suite.domain is not None
    environment = suite.domain.environment()
    assert environment.call("look_up", {"book_id": "B1"}).value["title"] == "Tides"
    assert not environment.call("look_up", {"book_id": "B0"}).ok
    assert "expected_test" not in suite.domain.database.tables
    assert suite.domain.policy.startswith("# Library")


def test_a_folder_above_is_searched(tables: Path, get_domain: GetDomain) -> None:
    (suite,) = read_data(tables.parent.parent, get_domain)
    assert suite.name == "library"


def test_gold_that_cannot_even_be_called_is_noted_and_kept(
    tables: Path, get_domain: GetDomain
) -> None:
    wrong = {**TASK, "actions": [{"name": "lend", "kwargs": {"book": "B1"}}, {"name": "burn"}]}
    write_json(tables / "tasks_test.json", [wrong])
    (suite,) = read_data(tables, get_domain)
    assert len(suite.tasks) == 1
    assert any(n.startswith("task 0, gold action 1 (lend)") and "'book'" in n for n in suite.notes)
    assert "task 0, gold action 2 (burn): no such tool" in suite.notes


def test_a_wrong_task_is_a_problem_and_the_others_stand(
    tables: Path, get_domain: GetDomain
) -> None:
    tasks = [TASK, {**TASK, "instruction": ""}, "hello", {**TASK, "actions": [{"kwargs": {}}]}]
    write_json(tables / "tasks_test.json", tasks)
    (suite,) = read_data(tables, get_domain)
    assert [task.id for task in suite.tasks] == ["0"]
    assert len(suite.problems) == 3
    assert "tasks_test.json[1], instruction" in suite.problems[0]
    assert "tasks_test.json[2]: expected a task" in suite.problems[1]
    assert "tasks_test.json[3]" in suite.problems[2]
    assert "name" in suite.problems[2]


def test_an_unknown_domain_is_a_problem_and_the_other_loads(
    tables: Path, get_domain: GetDomain
) -> None:
    write_json(tables.parent / "theatre" / "plays.json", {})
    write_json(tables.parent / "theatre" / "tasks_test.json", [TASK])
    library, theatre = read_data(tables.parent, get_domain)
    assert (library.name, library.problems) == ("library", [])
    assert (theatre.name, theatre.tasks, theatre.domain) == ("theatre", [], None)
    assert "no tools for the domain 'theatre'" in theatre.problems[0]
    assert "airline, retail" in theatre.problems[0]


def test_a_missing_table_is_named(tables: Path, get_domain: GetDomain) -> None:
    (tables / "books.json").rename(tables / "films.json")
    (suite,) = read_data(tables, get_domain)
    assert "needs the tables books" in suite.problems[0]


def test_broken_json_is_named_with_its_line(tables: Path, get_domain: GetDomain) -> None:
    (tables / "tasks_test.json").write_text('[\n{"user_id": }]')
    (suite,) = read_data(tables, get_domain)
    assert "tasks_test.json:2: no valid JSON" in suite.problems[0]


def test_a_folder_without_data_says_what_was_expected(
    tmp_path: Path, get_domain: GetDomain
) -> None:
    with pytest.raises(DataError, match=r"no benchmark data found; expected a folder of tables"):
        read_data(tmp_path, get_domain)
    with pytest.raises(DataError, match="no such folder"):
        read_data(tmp_path / "none", get_domain)


def test_a_folder_with_tools_of_its_own_is_read_with_those(
    tables: Path, library_folder: Path, get_domain: GetDomain
) -> None:
    folder = tables.rename(tables.parent / "museum")
    (folder / "tools.py").write_text((library_folder / "tools.py").read_text())
    (suite,) = read_data(folder, get_domain)
    assert suite.problems == []
    assert suite.domain is not None
    assert (suite.name, list(suite.domain.tools)) == (
        "museum",
        ["lend", "look_up", "call_librarian"],
    )


MODULE = """
from tau_bench.types import Action, Task

raise RuntimeError("whoever runs this module fails")

NOTES = ["x"]
TASKS_TEST = [
    Task(
        annotator="0",
        user_id="ada",
        instruction="You are Ada. "
        "Borrow Tides." + " Ask for the fee.",
        actions=[
            Action(name="look_up", kwargs={"book_id": "B1"}),
            Action(name="lend", kwargs={"book_id": "B1", "member": "ada", "days": -3}),
        ],
        outputs=["1.5"],
    ),
    {"user_id": "kim", "instruction": "Say hello.", "actions": [], "outputs": []},
]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a checkout of the reference repository looks like."""
    root = tmp_path / "tau-bench"
    folder = root / "tau_bench" / "envs" / "library"
    write_json(folder / "data" / "books.json", BOOKS)
    (folder / "data" / "__init__.py").write_text("")
    (folder / "tasks_test.py").write_text(MODULE)
    (folder / "tasks.py").write_text("tasks = [{'user_id': 'old', 'instruction': 'old'}]")
    (folder / "tasks_train.py").write_text("TASKS_TRAIN = []")
    (folder / "wiki.md").write_text("The policy of the checkout.")
    (root / "historical_trajectories").mkdir()
    return root


def test_a_checkout_is_read_without_running_its_modules(
    checkout: Path, get_domain: GetDomain
) -> None:
    (suite,) = read_data(checkout, get_domain)
    assert (suite.name, suite.problems) == ("library", [])
    first, second = suite.tasks
    assert first.instruction == "You are Ada. Borrow Tides. Ask for the fee."
    assert first.actions[1].arguments == {"book_id": "B1", "member": "ada", "days": -3}
    assert (first.outputs, first.user_id) == (["1.5"], "ada")
    assert second.instruction == "Say hello."
    assert suite.domain is not None
    assert suite.domain.policy == "The policy of the checkout."


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("TASKS = [Task(instruction=open('x').read())]", r"tasks_test.py:1: cannot be known"),
        ("\nTASKS = [Task('x')]", r"tasks_test.py:2: expected keyword arguments only"),
        ("TASKS = [\n  Task(instruction='x'", r"tasks_test.py:\d: no valid Python"),
        ("x = 1", r"tasks_test.py: expected the module to assign a list"),
    ],
)
def test_a_module_that_is_no_plain_data_is_refused(
    checkout: Path, get_domain: GetDomain, module: str, message: str
) -> None:
    path = checkout / "tau_bench" / "envs" / "library" / "tasks_test.py"
    path.write_text(module)
    (suite,) = read_data(checkout, get_domain)
    assert suite.tasks == []
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(suite.problems[0])

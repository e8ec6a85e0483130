"""What the check of a domain folder finds, each with its file and line."""

from __future__ import annotations

import pytest
from domain_folder import ONE_TOOL, make_domain

from pytest_taubench.environment.check_domain import check_domain
from pytest_taubench.environment.domain import load_domain
from pytest_taubench.errors import DomainError


@pytest.fixture
def telecom(tmp_path):
    return make_domain(tmp_path / "telecom")


def found(folder):
    """The problems as text, with the folder left out."""
    return [str(problem).replace(f"{folder}/", "") for problem in check_domain(folder)]


class TestCheck:
    def test_a_good_domain_has_no_problem(self, telecom):
        assert check_domain(telecom) == []

    @pytest.mark.parametrize("name", ["retail", "airline"])
    def test_the_bundled_domains_have_none(self, name):
        assert check_domain(name) == []

    def test_all_that_is_missing_is_said_at_once(self, tmp_path):
        (tmp_path / "empty").mkdir()
        problems = found(tmp_path / "empty")
        assert [line.split(":")[1].strip().split("/")[-1] for line in problems] == [
            "policy.md",
            "db",
            "tools.py",
        ]

    def test_a_folder_that_is_not_there(self, tmp_path):
        (problem,) = check_domain(tmp_path / "nowhere")
        assert "no domain folder" in problem.message

    def test_wrong_tables_are_each_named(self, telecom):
        (telecom / "db" / "a.json").write_text("{\n  broken")
        (telecom / "db" / "b.json").write_text("[]")
        (telecom / "db" / "c.json").write_text('{"k": 1}')
        (telecom / "db" / "d.json").write_text("{}")
        problems = found(telecom)
        assert problems[0].startswith("error: db/a.json:2: not JSON")
        assert problems[1].startswith("error: db/b.json: expected an object")
        assert problems[2].startswith("error: db/c.json: table 'c', record 'k': expected an object")
        assert problems[3] == "warning: db/d.json: the table is empty"
        assert len(problems) == 4

    def test_an_empty_policy(self, telecom):
        (telecom / "policy.md").write_text(" \n")
        assert found(telecom) == ["error: policy.md: empty; the agent would have no policy"]

    @pytest.mark.parametrize(
        ("source", "problem"),
        [
            ("\n1 / 0\n", "error: tools.py:2: cannot be imported: ZeroDivisionError"),
            (
                "import sys\nsys.exit(3)\n",
                "error: tools.py:2: cannot be imported: SystemExit: 3",
            ),
            ("def f(:\n", "error: tools.py:1: cannot be imported: SyntaxError"),
            ("x = 1\n", "error: tools.py: defines no tool"),
            (
                ONE_TOOL.format(name="f", parameters=", x", doc="F."),
                "error: tools.py:4: tool f: parameter 'x' has no type",
            ),
            (
                ONE_TOOL.format(name="f", parameters=", x: str", doc="F."),
                "warning: tools.py:4: tool f: the docstring's Args do not describe 'x'",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.\n\n    Args:\n        y: Why.\n"),
                "warning: tools.py:4: tool f: the docstring describes 'y', which is no parameter",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc=""),
                "error: tools.py:4: tool f: no docstring",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.").replace("(db", "(database"),
                "error: tools.py:4: tool f: the first parameter must be db",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.").replace("generic", "wrte"),
                "error: tools.py:4: cannot be imported: TypeError: tool f: kind must be one of",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.") * 2,
                "error: tools.py:11: the tool 'f' is defined 2 times",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.").replace(
                    ", ends_episode=True", ""
                ),
                "warning: tools.py: no tool ends the episode",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.")
                .replace("generic", "read")
                .replace('return ""', 'return db.edit("lines", "555")'),
                "error: tools.py:4: tool f is broken: RuntimeError: it is marked read, but edits",
            ),
            (
                ONE_TOOL.format(name="f", parameters="", doc="F.")
                .replace("generic", "read")
                .replace('return ""', "return {1}"),
                "error: tools.py:4: tool f is broken: TypeError",
            ),
        ],
    )
    def test_each_fault_of_the_tools_is_named_with_its_line(self, telecom, source, problem):
        (telecom / "tools.py").write_text(source)
        problems = found(telecom)
        assert problems, "nothing was found"
        assert problems[0].startswith(problem)
        assert len(problems) == 1

    def test_two_tools_of_one_name_in_different_variables(self, telecom):
        source = ONE_TOOL.format(name="f", parameters="", doc="F.")
        (telecom / "tools.py").write_text(f"{source}\ng = f\n{source}")
        assert any("two tools have the name 'f'" in line for line in found(telecom))
        with pytest.raises(DomainError, match="two tools have the name 'f'"):
            load_domain(str(telecom))

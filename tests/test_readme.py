"""The README is true: its examples run, its commands and options exist."""

import re
from pathlib import Path

import pytest
import yaml

from pytest_taubench.plugin.options.tables import all_options

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = "\n".join(
    path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
)
FENCES = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.M | re.S)


def block(language, containing):
    [found] = [text for name, text in FENCES if name == language and containing in text]
    return found


@pytest.fixture
def project(pytester):
    """A project that holds the README's task file, and what the test adds."""
    path = pytester.mkdir("tasks") / "returns.tau.yaml"
    path.write_text(block("yaml", "domain: retail"), encoding="utf-8")
    return pytester


def test_the_task_of_the_readme_can_be_solved_and_silence_does_not(project):
    project.runpytest("--tau-agent=oracle").assert_outcomes(passed=1)
    project.runpytest("--tau-agent=silent").assert_outcomes(failed=1)


@pytest.mark.parametrize("name", ["def agent(messages", "class Agent:", "class ToolLoopAgent:"])
def test_each_agent_of_the_readme_holds_a_conversation(project, name):
    project.makepyfile(my_agent=block("python", name))
    attribute = re.search(r"(?:def|class) (\w+)", name)[1]
    result = project.runpytest(f"--tau-agent=my_agent.py:{attribute}", "-vv")
    result.assert_outcomes(failed=1)  # each is too simple to cancel anything
    result.stdout.fnmatch_lines(["*ended by user_stop after*"])
    result.stdout.no_fnmatch_line("*Error*")


def test_the_python_test_of_the_readme_passes_with_an_agent_that_asks_first(project):
    project.makepyfile(test_returns=block("python", "def test_cancels_only_after_a_yes"))
    project.makepyfile(
        asking_agent="""
        import json

        def agent(messages, tools):
            last = messages[-1]
            if last["role"] == "tool":
                return "It is cancelled. Is there anything else?"
            if "yes" in last["content"].lower():
                arguments = {"order_id": "#W9182981", "reason": "ordered by mistake"}
                function = {"name": "cancel_pending_order", "arguments": json.dumps(arguments)}
                call = {"id": "c", "type": "function", "function": function}
                return {"role": "assistant", "content": None, "tool_calls": [call]}
            return "Order #W9182981 will be cancelled as ordered by mistake. Do you agree (yes/no)?"
        """
    )
    project.makepyfile(
        asked_user="""
        class User:
            def __init__(self, context):
                self.lines = ["Cancel #W9182981 please.", "Yes.", "No. ###STOP###"]

            def respond(self, text):
                return self.lines.pop(0)
        """
    )
    result = project.runpytest(
        "test_returns.py", "--tau-agent=asking_agent.py", "--tau-user=asked_user.py:User"
    )
    result.assert_outcomes(passed=1)


def test_the_tool_of_the_readme_has_the_schema_it_promises():
    from pytest_taubench.environment.tool import Tool

    namespace = {"__name__": "readme_tools"}
    exec(
        compile(block("python", "def cancel_order"), "README.md", "exec", dont_inherit=True),
        namespace,
    )
    [tool] = [value for value in namespace.values() if isinstance(value, Tool)]
    function = tool.schema()["function"]
    assert function["description"] == "Cancel an order that is not shipped yet."
    assert function["parameters"]["required"] == ["order_id"]


def test_every_option_is_in_the_readme_and_every_option_of_the_readme_exists():
    existing = {option.flag for option in all_options()}
    assert set(re.findall(r"--tau-[a-z-]*[a-z]", DOCS)) - existing == set()
    assert existing - set(re.findall(r"--tau-[a-z-]*[a-z]", README)) == set()


def test_every_command_of_the_readme_exists():
    from pytest_taubench.commands import COMMANDS

    named = set(re.findall(r"python -m pytest_taubench ([a-z][a-z-]*)", DOCS))
    assert named - {name.replace("_", "-") for name in COMMANDS} == set()
    assert named


def test_every_file_that_the_readme_names_exists():
    for name in re.findall(r"`((?:examples|docs|domains|tasks|benchmarks)/[\w./-]+)`", DOCS):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\]\(([\w./-]+)\)", DOCS):
        assert (ROOT / name).exists() or (ROOT / "docs" / name).exists(), name


def test_the_yaml_of_the_readme_is_valid_against_the_published_schema():
    import jsonschema

    from pytest_taubench.task_files.json_schema import task_file_schema

    data = yaml.safe_load(block("yaml", "domain: retail"))
    checker = jsonschema.Draft202012Validator(task_file_schema())
    assert [error.message for error in checker.iter_errors(data)] == []


def test_the_file_of_examples_in_the_docs_can_be_read(tmp_path):
    from pytest_taubench.plugin.options.examples import example_file

    docs = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```json\n(.*?)^```$", docs, flags=re.M | re.S)
    assert len(block.splitlines()) == 4
    path = tmp_path / "examples.json"
    path.write_text(block, encoding="utf-8")
    asked, told = example_file(str(path)).examples
    assert asked.user_id != told.user_id
    assert asked.text == "User: Cancel #W1.\nAssistant: Shall I cancel #W1 (yes/no)?"
    assert told.text == "User: Where is #W2?\nAssistant: It was delivered."

"""The few-shot agent's examples: read safely, and never of the task's own user."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

USERS = {
    "mei_1": {"name": {"first_name": "Mei", "last_name": "Davis"}, "orders": ["A1"]},
    "mei_12": {"name": {"first_name": "Mei", "last_name": "Lopez"}, "orders": ["A2"]},
}


def example(user_id: str, says: str) -> dict[str, Any]:
    return {"user_id": user_id, "messages": [{"role": "user", "content": says}]}


@pytest.fixture
def args(chat_server: ChatServer) -> tuple[str, ...]:
    chat_server.behave = by_role
    return (
        "--tau-agent=few-shot",
        "--tau-agent-model=m",
        f"--tau-base-url={chat_server.url}",
        "--tau-examples=examples.json",
    )


def tasks(shop: Shop, **tasks: dict[str, Any]) -> None:
    common = {"domain": "../shop", "instruction": "Say hello."}
    listed = [{**common, "id": name, **fields} for name, fields in tasks.items()]
    shop.write("shop/db/users.json", json.dumps(USERS))
    shop.tasks(json.dumps(listed), "tasks/some.tau.json")


def shown(chat_server: ChatServer) -> str:
    return str(chat_server.requests[0]["messages"][0]["content"])


def test_an_example_of_a_user_whose_id_begins_like_the_tasks_is_shown(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    tasks(shop, one={"user_id": "mei_1"})
    examples = [example("mei_12", "I am mei_12, hi."), example("mei_1", "It is me again.")]
    shop.write("examples.json", json.dumps(examples))
    shop.run(*args)
    assert "I am mei_12, hi." in shown(chat_server)
    assert "It is me again." not in shown(chat_server)


@pytest.mark.parametrize(
    "fields",
    [
        {"instruction": "You are\nmei_1"},
        {"instruction": "You are Mei Davis."},
        {"instruction": "You want order A1 cancelled."},
        {"actions": [{"name": "cancel_order", "arguments": {"order_id": "A1"}}]},
    ],
    ids=["by-id", "by-name", "by-an-order", "by-an-action"],
)
def test_the_user_of_a_task_that_names_none_is_known_by_the_annotation(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], fields: dict[str, Any]
) -> None:
    tasks(shop, one=fields)
    examples = [example("mei_1", "It is me again."), example("mei_12", "The other one.")]
    shop.write("examples.json", json.dumps(examples))
    shop.run(*args)
    assert "The other one." in shown(chat_server)
    assert "It is me again." not in shown(chat_server)


def test_a_task_without_an_example_of_others_is_refused_before_any_trial(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], plugin_args: tuple[str, ...]
) -> None:
    tasks(shop, one={"user_id": "mei_1"}, two={"user_id": "mei_12"})
    shop.write("examples.json", json.dumps([example("mei_1", "Hi.")]))
    result = shop.run(*args, "--tau-trials=2", *plugin_args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --tau-examples: examples.json has no example for tasks/one: *"]
    )
    assert chat_server.requests == []
    assert not (shop.path / ".tau-runs").exists()


def test_a_python_test_whose_task_has_no_example_costs_no_other_trial(
    shop: Shop, args: tuple[str, ...]
) -> None:
    tasks(shop, one={"user_id": "mei_1"}, two={"user_id": "mei_12"})
    shop.write("examples.json", json.dumps([example("mei_1", "Hi.")]))
    shop.write(
        "test_own.py",
        "def test_own(tau_run):\n"
        "    assert tau_run('tasks/some.tau.json::one').record.error.message.startswith('no example')\n"
        "    assert tau_run('tasks/some.tau.json::two').reward == 1\n",
    )
    shop.run(*args, "test_own.py").assert_outcomes(passed=1)


def test_the_few_shot_agent_without_a_file_is_refused_before_any_trial(
    shop: Shop, args: tuple[str, ...]
) -> None:
    shop.tasks()
    result = shop.run(*args[:-1])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --tau-agent: *--tau-examples=FILE*"])


BILLION = "\n".join(
    [
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)),
    ]
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.yaml", "- {user_id: a, messages: &m [*m]}"),
        ("x.yaml", BILLION),
        ("x.json", "[{"),
        ("x.json", "[" * 100_000),
        ("x.jsonl", "{}\n{"),
        ("x.yaml", "- user_id: !!python/name:os.system\n"),
        ("missing.yaml", None),
    ],
)
def test_a_file_that_holds_no_examples_is_a_usage_error(
    shop: Shop, args: tuple[str, ...], name: str, content: str | None
) -> None:
    shop.tasks()
    if content is not None:
        shop.write(name, content)
    result = shop.run_apart(*args[:-1], f"--tau-examples={name}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --tau-examples: '{name}' is not valid; few-shot ex*"])


@pytest.mark.parametrize("suffix", ["json", "jsonl", "yaml"])
def test_examples_may_be_json_a_line_each_or_yaml(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], suffix: str
) -> None:
    tasks(shop, one={"user_id": "mei_1"})
    both = [example("ann", "First."), example("bob", "Second.")]
    text = "\n".join(map(json.dumps, both)) if suffix == "jsonl" else json.dumps(both)
    shop.write(f"examples.{suffix}", text)
    shop.run(*args[:-1], f"--tau-examples=examples.{suffix}")
    assert shown(chat_server).endswith("## Example 1\nUser: First.\n\n## Example 2\nUser: Second.")

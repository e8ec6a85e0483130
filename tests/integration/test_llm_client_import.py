"""The client of endpoints is imported before the first trial's clock runs, and only where used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role
from test_llm_time_limit import args_of, hangs, what

if TYPE_CHECKING:
    from conftest import Shop

CLIENT_NOT_IMPORTED = """
import sys

def pytest_sessionfinish():
    assert "openai" not in sys.modules
"""


SLOW_IMPORT = """
import sys, time

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "openai":
            time.sleep(1.6)

sys.meta_path.insert(0, Slow())
"""


def test_importing_the_client_is_no_time_of_a_trial(shop: Shop, chat_server: ChatServer) -> None:
    chat_server.behave = hangs
    shop.write("conftest.py", SLOW_IMPORT)
    shop.many_tasks(1)
    shop.run_apart(*args_of("built-in", chat_server, limit=2))
    assert [what(record) for record in shop.records()] == [("model_error", "unscored", None)]


def test_importing_the_client_for_the_users_model_is_no_time_of_the_agent(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = by_role
    shop.write("conftest.py", SLOW_IMPORT)
    shop.many_tasks(1)
    user = ("--tau-user=llm", "--tau-user-model=u", f"--tau-user-base-url={chat_server.url}")
    shop.run_apart("--tau-agent=my_agent.py", *user, "--tau-timeout=1.5")
    assert [what(record) for record in shop.records()] == [("user_stop", "scored", 1)]


@pytest.mark.parametrize(
    "args",
    [("--tau-agent=my_agent.py",), ("--tau-agent=tool-calling", "--tau-replay=tapes")],
    ids=["no model", "replayed"],
)
def test_the_client_of_models_is_not_imported_where_none_is_asked(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    chat_server.behave = by_role
    shop.tasks()
    model = ("--tau-agent-model=m", f"--tau-base-url={chat_server.url}")
    shop.run("--tau-agent=tool-calling", *model, "--tau-record=tapes").assert_outcomes(passed=2)
    shop.write("conftest.py", CLIENT_NOT_IMPORTED)
    shop.run_apart(*args, "--tau-agent-model=m").assert_outcomes(passed=2)

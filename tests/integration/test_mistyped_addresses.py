"""An address with a password in it, mistyped or not: the password is printed and stored nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Shop

ADDRESSES = [
    "http://me:hunter2@host/v1",
    "HTTPS://me:hunter2@host/v1",
    "' http://me:hunter2@host/v1'",
    "https://host/v1?api_key=hunter2",
    "https://host/v1?auth=hunter2",
    "https://host/v1?v=1&code=hunter2",
    "https://host/v1?sig=hunter2",
    "http:/me:hunter2@host/v1",
    "//me:hunter2@host/v1",
    "me:hunter2@host/v1",
    "ftp://me:hunter2@host/v1",
    "http://me:hunter2@[bad/v1",
]


@pytest.mark.parametrize("name", ["agent", "user", "base_url", "user_base_url"])
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("where", ["ini", "addopts", "typed"])
def test_it_is_refused_without_being_shown(shop: Shop, name: str, address: str, where: str) -> None:
    shop.tasks()
    option = f"--tau-{name.replace('_', '-')}={address}"
    lines = {"ini": f"tau_{name} = {address}", "addopts": f'addopts = "{option}"', "typed": ""}
    shop.write("pytest.ini", f"[pytest]\n{lines[where]}\n")
    result = shop.run(*([option] if where == "typed" else []))
    said = result.stdout.str() + result.stderr.str()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "is not valid; expected " in said
    assert "hunter2" not in said
    assert not (shop.path / ".tau-runs").exists()


@pytest.mark.parametrize(
    "agent",
    ["my_agent.py:agent", "my_agent:agent", "tests@home/my_agent.py:agent", ".//my_agent.py:agent"],
)
def test_what_is_no_address_is_taken_as_it_is(shop: Shop, agent: str) -> None:
    shop.tasks()
    shop.write("tests@home/my_agent.py", (shop.path / "my_agent.py").read_text())
    shop.run(f"--tau-agent={agent}").assert_outcomes(passed=2)

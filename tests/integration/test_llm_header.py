"""The header says where each role's model is: a run's prompts and its key go there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Shop

AT = "http://127.0.0.1:9/v1"
AGENT = (f"--tau-agent={AT}", "--tau-agent-model=m")
USER = ("--tau-user=llm", "--tau-user-model=u")
BUILT_IN = ("--tau-agent=react", "--tau-agent-model=m", f"--tau-base-url={AT}")
PROXIED = ("--tau-agent=my_agent.py", "--tau-proxy", f"--tau-base-url={AT}")
JUDGED = ("--tau-agent=my_agent.py", "--tau-judge-model=j", "--tau-attribute=w")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-show-me-anywhere")


def models_said(shop: Shop, *args: str) -> list[str]:
    shop.tasks()
    result = shop.run("--collect-only", *args)
    assert "sk-do-not-show-me" not in result.stdout.str()
    return [line for line in result.outlines if line.startswith("models: ")]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((*AGENT, *USER), f"agent m at {AT}, user u at api.openai.com"),
        ((*BUILT_IN, *USER), f"agent m at {AT}, user u at {AT}"),
        (BUILT_IN, f"agent m at {AT}"),
        ((f"--tau-agent={AT}",), f"agent (the one it serves) at {AT}"),
        (PROXIED, f"agent (the one it names) at {AT}"),
        (JUDGED, "judge j at api.openai.com, attribution w at api.openai.com"),
    ],
)
def test_each_role_is_said_with_its_model_and_address(
    shop: Shop, args: tuple[str, ...], says: str
) -> None:
    assert models_said(shop, *args) == [f"models: {says}"]


def test_the_address_of_the_environment_is_said_without_its_password(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:hunter2@gateway.example/v1?key=hunter2")
    says = "models: user u at https://gateway.example/v1"
    assert models_said(shop, "--tau-agent=my_agent.py", *USER) == [says]


@pytest.mark.parametrize("args", [("--tau-agent=my_agent.py",), (*BUILT_IN, "--tau-replay=shop")])
def test_nothing_is_said_where_no_endpoint_is_asked(shop: Shop, args: tuple[str, ...]) -> None:
    assert models_said(shop, *args) == []

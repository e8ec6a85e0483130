"""A key is sent to the server it is for, and to no other."""

from __future__ import annotations

import pytest

from pytest_taubench.llm.endpoint import Endpoint, ServerKeys

SHARED = {"OPENAI_API_KEY": "sk-shared"}
OWN = {"TAU_AGENT_API_KEY": "sk-agent", "TAU_USER_API_KEY": "sk-user"}
GATEWAY = "https://gateway.example/v1"


@pytest.mark.parametrize(
    ("base_url", "url", "environ", "sent"),
    [
        (None, None, SHARED, "sk-shared"),
        (None, "https://api.openai.com/v1", SHARED, "sk-shared"),
        (None, "http://localhost:8000/v1", SHARED, None),
        (GATEWAY, GATEWAY, SHARED, "sk-shared"),
        (GATEWAY, "https://gateway.example:443/v2", SHARED, "sk-shared"),
        (GATEWAY, "https://gateway.example:8443/v1", SHARED, None),
        (GATEWAY, "http://gateway.example/v1", SHARED, None),
        (GATEWAY, "https://gateway.example.evil/v1", SHARED, None),
        (GATEWAY, None, SHARED, None),
        (None, GATEWAY, SHARED | {"OPENAI_BASE_URL": GATEWAY}, "sk-shared"),
        (None, "https://other.example/v1", SHARED | {"OPENAI_BASE_URL": GATEWAY}, None),
    ],
)
@pytest.mark.parametrize("role", ["agent", "agent-sdk", "user", "judge"])
def test_the_shared_key_goes_to_the_server_of_the_base_url_alone(
    role: str, base_url: str | None, url: str | None, environ: dict[str, str], sent: str | None
) -> None:
    fitted = ServerKeys(base_url, environ).fit(role, Endpoint(url, "whatever it was"))
    assert (fitted.base_url, fitted.api_key) == (url, sent)


@pytest.mark.parametrize("url", [None, GATEWAY, "http://localhost:8000/v1"])
@pytest.mark.parametrize(
    ("role", "sent"),
    [("agent", "sk-agent"), ("agent-sdk", "sk-agent"), ("user", "sk-user"), ("judge", "sk-user")],
)
def test_a_side_with_a_key_of_its_own_sends_that(role: str, sent: str, url: str | None) -> None:
    fitted = ServerKeys(GATEWAY, SHARED | OWN).fit(role, Endpoint(url, None))
    assert fitted.api_key == sent


def test_an_empty_variable_is_no_key() -> None:
    keys = ServerKeys(None, {"OPENAI_API_KEY": "sk", "TAU_USER_API_KEY": ""})
    assert keys.fit("user", Endpoint(None, None)).api_key == "sk"


def test_what_is_missing_is_named_by_its_variable() -> None:
    keys = ServerKeys(None, SHARED)
    assert keys.fit("judge", Endpoint(GATEWAY, None)).key_variable == "TAU_USER_API_KEY"
    assert keys.fit("agent", Endpoint(GATEWAY, None)).key_variable == "TAU_AGENT_API_KEY"
    assert keys.fit("agent", Endpoint(None, None)).key_variable == "OPENAI_API_KEY"
    assert "sk-shared" not in repr(keys)


@pytest.mark.parametrize("url", [None, GATEWAY, "http://localhost:8000/v1"])
def test_no_client_follows_a_redirection(url: str | None) -> None:
    assert Endpoint(url, "sk-shared").client()._client.follow_redirects is False

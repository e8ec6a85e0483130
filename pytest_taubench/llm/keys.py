"""Which server is sent which key: one vendor's key is sent to no other's server."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pytest_taubench.llm.endpoint import SHARED_KEY, Endpoint, key_in

AGENT_KEY = "TAU_AGENT_API_KEY"
USER_KEY = "TAU_USER_API_KEY"
"""The user's, and that of all other models that are not under test."""

_OPENAI = "https://api.openai.com"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ServerKeys:
    """The keys of a run, by environment variable.

    ``OPENAI_API_KEY`` belongs to the server of ``--tau-base-url``, else ``OPENAI_BASE_URL``, else
    OpenAI. Each side may have a key of its own, and a server that was named for one side alone is
    sent no other.

    Attributes:
        base_url: The address of ``--tau-base-url``.
        environ: Where the keys are.
    """

    base_url: str | None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def fit(self, role: str, endpoint: Endpoint) -> Endpoint:
        """Return the endpoint of a role with the key that is its server's."""
        own = AGENT_KEY if role.startswith("agent") else USER_KEY
        shared_by = self.base_url or self.environ.get("OPENAI_BASE_URL") or _OPENAI
        shares = _origin(endpoint.base_url or _OPENAI) == _origin(shared_by)
        name = SHARED_KEY if shares and not key_in(self.environ, own) else own
        return dataclasses.replace(endpoint, api_key=key_in(self.environ, name), key_variable=name)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)

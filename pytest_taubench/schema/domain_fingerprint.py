"""What a domain was made of when trials ran on it, in short hashes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class DomainFingerprint(BaseModel):
    """A domain's parts, each as a hash, so that a change can be told by the part that changed.

    A hash is of content alone, without paths, times or line ends, so that it is the same on every
    machine. An empty one says nothing: the domain has no such part, or it could not be read.

    Attributes:
        name: The domain's name.
        place: Where its data lie, seen from the root directory; empty for a bundled domain. It
            tells two domains of one name apart.
        policy: Of ``policy.md``.
        tools: Of ``tools.py`` and the modules beside it that it imports.
        database: Of ``db/*``.
        tool_graph: Of the tools and edges, where the domain is a tool graph.
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    place: str = ""
    policy: str = ""
    tools: str = ""
    database: str = ""
    tool_graph: str = ""

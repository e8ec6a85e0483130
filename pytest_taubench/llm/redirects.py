"""An endpoint that redirects requests elsewhere: where to, in words."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit, urlunsplit

_ASKED = ("/chat/completions", "/models")


def redirection(asked: str, location: str | None) -> str:
    """Return where a response redirects to, and which option takes the address.

    It is not followed: a POST would become a GET, and prompts go nowhere but where the user says.
    Password, query and fragment of the address are left out, for a secret may stand in each.

    Args:
        asked: The address that was asked.
        location: What the response's header says, if anything.
    """
    try:
        target = urlsplit(urljoin(asked, location or ""))
    except ValueError:
        location = None
    if not location:
        return "it redirects, and does not say where to"
    address = urlunsplit(
        target._replace(netloc=target.netloc.rpartition("@")[2], query="", fragment="")
    )
    path = next((path for path in _ASKED if address.endswith(path)), None)
    if path is None:
        return (
            f"it redirects to {address}; --tau-base-url should be the address that serves the model"
        )
    base_url = address.removesuffix(path)
    return (
        f"it redirects to {address}; if the model is served there, pass --tau-base-url={base_url}"
    )

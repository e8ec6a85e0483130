"""Keys of the environment, kept out of whatever an agent, a user or a tool wrote of a trial."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

from pytest_taubench.schema import TrialRecord
from pytest_taubench.text.secrets import is_secret, scrubbed

SHORTEST_KEY = 8
"""Characters; what is shorter stands in texts that have nothing to do with it."""

_WRITTEN_BY_OTHERS = (
    "error",
    "trajectory",
    "actions",
    "actual_changes",
    "graph",
    "notes",
    "components",
    "attribution",
)
# Words of the record's own, which a careless password may be.
_OWN_WORDS = frozenset({"role", "type", "kind", "whose"})


def environment_keys(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return all forms of the values whose variable's name speaks of a secret, longest first."""
    values = {
        value.strip()
        for name, value in environ.items()
        if is_secret(name) and len(value.strip()) >= SHORTEST_KEY
    }
    return sorted({form for value in values for form in _forms(value)}, key=len, reverse=True)


def without_keys(record: TrialRecord, keys: Sequence[str]) -> TrialRecord:
    """Return the record, where others wrote in it, without the keys."""
    if not keys:
        return record
    fields = record.model_dump(mode="json", include=set(_WRITTEN_BY_OTHERS))
    clean = _clean(fields, keys)
    for component, own in zip(clean["components"], fields["components"], strict=True):
        component["name"] = own["name"]
    if clean == fields:
        return record
    return TrialRecord.model_validate(record.model_dump(mode="json") | clean)


def _forms(value: str) -> Iterator[str]:
    yield value
    yield quote(value, safe="")
    yield quote_plus(value)
    for offset in range(3):  # a header's base64 begins with the user's name
        text = base64.b64encode(b"\0" * offset + value.encode(errors="surrogateescape")).decode()
        # The first and last characters hold bits of the neighbours.
        ragged = text.endswith("=")
        inner = text[(0, 2, 3)[offset] :].rstrip("=")
        inner = inner[:-1] if ragged else inner
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def _clean(data: Any, keys: Sequence[str], name: str = "") -> Any:
    if isinstance(data, str):
        return data if name in _OWN_WORDS else scrubbed(data, keys)
    if isinstance(data, dict):
        # An argument's or a record's name may be anything; the record's own are left alone.
        return {_clean_name(each, keys): _clean(data[each], keys, each) for each in data}
    if isinstance(data, list):
        return [_clean(each, keys) for each in data]
    return data


def _clean_name(name: str, keys: Sequence[str]) -> str:
    return name if name in _NAMES else scrubbed(name, keys)


_NAMES = frozenset(TrialRecord.model_fields) | {"message_index", "arguments", "tool_calls"}

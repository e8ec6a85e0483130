"""Records and files in the form of upstream data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BOOKS = {
    "B1": {"title": "Tides", "fee": 1.5, "lent_to": None},
    "B2": {"title": "Winds", "fee": 2.0, "lent_to": "kim"},
}


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")

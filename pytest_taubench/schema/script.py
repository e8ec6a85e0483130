"""The script of a task: what the scripted user knows, wants and says."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Script(BaseModel):
    """What the scripted user knows and says; grown by the user simulator."""

    model_config = ConfigDict(extra="forbid")

"""What the options mean for the figures of a run: its settings and its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_taubench.plugin.options import OptionValues
    from pytest_taubench.schema import ModelSettings, RunSettings


def run_settings(values: OptionValues) -> RunSettings:
    """Return the settings that decide what the run's figures mean."""
    from pytest_taubench.schema import ModelSettings, RunSettings

    def model(role: str) -> ModelSettings:
        return ModelSettings(
            name=values[f"{role}-model"],
            base_url=_base_url(values, role),
            args=dict(values[f"{role}-arg"]),
        )

    examples = values["examples"]

    return RunSettings(
        agent=values["agent"] or "",
        user=values["user"],
        agent_model=model("agent"),
        user_model=model("user"),
        trials=values["trials"],
        seed=values["seed"],
        max_steps=values["max-steps"],
        timeout=values["timeout"],
        policy=not values["no-policy"],
        shots=values["shots"],
        judge_model=model("judge") if values["judge-model"] else ModelSettings(),
        think=not values["no-think"],
        examples=None if examples is None else examples.digest,
    )


def _base_url(values: OptionValues, role: str) -> str | None:
    own = None if role == "agent" else values["user-base-url"]
    url: str | None = own or values["base-url"]
    return url


def fault_model(values: OptionValues) -> ModelSettings | None:
    """Return the model that says whose fault a failed trial was, or None where none is asked."""
    from pytest_taubench.schema import ModelSettings

    name: str | None = values["attribute"]
    return ModelSettings(name=name, base_url=_base_url(values, "judge")) if name else None

"""The values that a run gives the options, on the command line or in the ini file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.options.option import BadValueError, Option
from pytest_taubench.plugin.options.tables import all_options

if TYPE_CHECKING:
    from pytest_taubench.schema import ModelSettings, RunSettings

GROUP = "tau-bench"
OptionValues = Mapping[str, Any]

OPTIONS: pytest.StashKey[OptionValues] = pytest.StashKey()
"""The checked option values."""


def add_options(parser: pytest.Parser) -> None:
    """Add the options and their ini twins to pytest's parser."""
    group = parser.getgroup(GROUP, GROUP)
    for option in all_options():
        _add_option(parser, group, option)


def _add_option(parser: pytest.Parser, group: Any, option: Option) -> None:
    text = option.help
    if option.kind != "flag" and option.default is not None:
        text += f" (default: {option.default})"
    if option.kind == "flag":
        group.addoption(option.flag, dest=option.key, action="store_true", default=None, help=text)
    else:
        more: dict[str, Any] = {"nargs": "?", "const": ""} if option.kind == "optional" else {}
        group.addoption(
            option.flag,
            dest=option.key,
            action="append" if option.kind == "list" else "store",
            default=None,
            metavar=option.metavar,
            help=text,
            **more,
        )
    ini_type: Any = {"list": "args", "flag": "bool"}.get(option.kind, "string")
    parser.addini(option.key, f"Twin of {option.flag}. {option.help}", type=ini_type, default=None)


def given_on_command_line(config: pytest.Config, name: str) -> bool:
    """Return whether the option was typed, and not merely set in the ini file."""
    return bool(config.getoption(f"tau_{name.replace('-', '_')}", None))


def origin_of(config: pytest.Config, name: str) -> str:
    """Return what an error names: the option, or its ini twin where that gave the value."""
    option = next(option for option in all_options() if option.name == name)
    return _raw(config, option)[0]


def any_given(config: pytest.Config) -> bool:
    """Return whether the command line or the ini file sets any option."""
    return any(_raw(config, option)[1] is not None for option in all_options())


def read_options(config: pytest.Config) -> OptionValues:
    """Return the value of each option by its name, the command line before the ini file.

    Raises:
        pytest.UsageError: Names the option, the value, and what was expected.
    """
    return {option.name: _value(config, option) for option in all_options()}


def _raw(config: pytest.Config, option: Option) -> tuple[str, Any]:
    typed = config.getoption(option.key, None)
    if typed is not None:
        return option.flag, typed
    origin = f"{option.key} (in the ini file)"
    try:
        value = config.getini(option.key)
    except (TypeError, ValueError, pytest.UsageError) as error:
        # pytest names neither the option nor the file
        raise pytest.UsageError(f"{origin}: {error}") from None
    return (option.flag if value is None else origin), value


def _value(config: pytest.Config, option: Option) -> Any:
    origin, raw = _raw(config, option)
    if raw is None:
        return [] if option.kind == "list" else option.default
    if option.kind == "flag":
        return bool(raw)
    try:
        if option.kind == "list":
            return _all_converted(config, option, raw)
        return _converted(option, raw)
    except BadValueError as error:
        raise pytest.UsageError(f"{origin}: {error}") from None


def _all_converted(config: pytest.Config, option: Option, texts: Sequence[str]) -> list[Any]:
    try:
        return [_converted(option, text) for text in texts]
    except BadValueError as error:
        if not option.has_spaces or given_on_command_line(config, option.name) or len(texts) < 2:
            raise
        raise BadValueError(f"{error}; {_quotes_hint(option, ' '.join(texts))}") from None


def _quotes_hint(option: Option, joined: str) -> str:
    hint = "in the ini file each value that holds spaces stands in quotes"
    try:
        _converted(option, joined)
    except BadValueError:
        return hint
    return f'{hint}: {option.key} = "{joined}"'


def _converted(option: Option, text: str) -> Any:
    from pytest_taubench.text.secrets import hide_in_urls

    try:
        return option.convert(text)
    except BadValueError as error:
        raise BadValueError(f"{hide_in_urls(text)!r} is not valid; {error}") from None


def run_dir(config: pytest.Config, values: OptionValues) -> Path:
    """Return the folder that holds the runs, under the root directory where it is relative."""
    return config.rootpath / str(values["run-dir"])


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

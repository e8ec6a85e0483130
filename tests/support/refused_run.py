"""A run that pytest refused before its first trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Shop


def refusals(shop: Shop, result: pytest.RunResult) -> list[str]:
    """Return the usage errors that a run ended with; it left no traceback and no run."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert not (shop.path / ".tau-runs").exists()
    said = [line for line in result.stderr.lines if line.startswith("ERROR: ")]
    return [line.removeprefix("ERROR: ") for line in said]


def refusal(shop: Shop, result: pytest.RunResult) -> str:
    """Return the one usage error of a run that ended with one."""
    [said] = refusals(shop, result)
    return said

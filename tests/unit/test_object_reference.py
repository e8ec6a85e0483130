"""What an option names is found, or one error says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_taubench.object_reference import UnresolvedReferenceError, resolve_reference


@pytest.mark.parametrize("spec", ["exiting_agent.py:agent", "exiting_agent:agent"])
def test_a_module_that_exits_is_an_error_and_does_not_end_the_run(
    tmp_path: Path, spec: str
) -> None:
    path = tmp_path / "exiting_agent.py"
    path.write_text("import sys\nsys.exit(3)\n")
    message = r"importing .*exiting_agent.* failed: SystemExit: 3"
    with pytest.raises(UnresolvedReferenceError, match=message):
        resolve_reference(spec, tmp_path, [])


def test_an_interrupt_while_a_module_is_imported_is_not_caught(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        resolve_reference("stopped.py:agent", tmp_path, [])

"""Departures of a domain's tools, read from its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_taubench.errors import DomainError
from pytest_taubench.task_files.upstream.domains import Departure, read_departures

BILLION = "\n".join(
    [
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)),
    ]
)


def test_departures_are_read_in_order(tmp_path: Path) -> None:
    text = "- {fault: 30, tools: [calculate], reference: runs any code, ours: reads arithmetic}\n"
    (tmp_path / "departures.yaml").write_text(text, encoding="utf-8")
    [found] = read_departures(tmp_path)
    assert found == Departure(30, ("calculate",), "runs any code", "reads arithmetic")
    assert str(found) == "calculate: the reference runs any code; here reads arithmetic."


@pytest.mark.parametrize(
    "text",
    [
        "- &a {fault: 1, tools: [t], reference: *a, ours: o}",
        BILLION,
        "- {fault: 1, fault: 2, tools: [t], reference: r, ours: o}",
        "- {fault: one, tools: [t], reference: r, ours: o}",
        "- fault",
    ],
    ids=["endless", "exploding", "key-twice", "no-number", "no-mapping"],
)
def test_a_wrong_file_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "departures.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=r"departures\.yaml: expected a list of departures"):
        read_departures(tmp_path)

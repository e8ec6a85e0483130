"""Faults of what the agent told the user, where that is why the reward is 0."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_taubench.attribution.evidence import Evidence
from pytest_taubench.schema import Fault, FaultKind


def missing_information(evidence: Evidence) -> Iterator[Fault]:
    """Yield the annotated outputs that the user was not told."""
    component = evidence.failing("outputs")
    for output in component.detail.get("missing", ()) if component else ():
        yield Fault(
            kind=FaultKind.MISSING_INFORMATION,
            detail=f"the user was not told {output!r}",
            expected=output,
        )


def unmet_assertions(evidence: Evidence) -> Iterator[Fault]:
    """Yield the statements that the judge found not met."""
    component = evidence.failing("nl_assertions")
    for verdict in component.detail.get("verdicts", ()) if component else ():
        if not verdict["met"]:
            yield Fault(
                kind=FaultKind.UNMET_ASSERTION,
                detail=f"not met: {verdict['assertion']} ({verdict['reason']})",
                expected=verdict["assertion"],
            )

"""What a check is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pytest_taubench.lint.case import Case
from pytest_taubench.lint.finding import Finding


class Check(Protocol):
    """Looks at one aspect of a task. One a file; ``CHECKS`` lists them."""

    def __call__(self, case: Case) -> Iterable[Finding]:
        """Return what is found.

        Args:
            case: The task with its domain, and what its gold actions led to.
        """
        ...

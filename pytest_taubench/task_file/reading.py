"""What the checks of one file share: the file, its defaults, its domains, what was found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_taubench.errors import DomainError
from pytest_taubench.schema import OutputMatch, PassBar, RewardComponent
from pytest_taubench.task_file.document import Document, Entry
from pytest_taubench.task_file.fields import FieldFault, field_faults
from pytest_taubench.task_file.problems import Problem, field_text


class CheckedTool(Protocol):
    """What a check of gold actions asks of a tool."""

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the validated arguments.

        Raises:
            ToolError: Names the parameter and what was expected.
        """
        ...


ToolsOf = Callable[[str, Path], Mapping[str, Any]]
"""Gives the tools of a domain (a name, or a path relative to a folder); raises DomainError."""

GraphToolsOf = Callable[[str, Path], Collection[str]]
"""Gives the tool names of a tool graph; raises DomainError."""


class FileDefaults(BaseModel):
    """What a file may say once for all its tasks."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    domain: Annotated[str, Field(min_length=1)] | None = None
    output_match: OutputMatch | None = None
    max_steps: Annotated[int, Field(ge=1)] | None = None
    marks: list[str] = Field(default_factory=list)
    reward_basis: Annotated[list[RewardComponent], Field(min_length=1)] | None = None
    pass_bar: PassBar | None = Field(default=None, alias="pass")
    notes: str | None = None


@dataclass
class Reading:
    """One file while it is checked.

    Attributes:
        document: The file's text, entries and defaults as they stand.
        tools_of: Gives the tools of a domain, or None to leave domains unchecked.
        graph_tools_of: Gives the tool names of a tool graph, or None likewise.
        suite: The file's suite, which is the domain where none is given and one has its name.
        defaults: The file-level fields that are valid.
        problems: What is wrong so far.
        notes: What a reader should know but is no error.
    """

    document: Document
    tools_of: ToolsOf | None
    graph_tools_of: GraphToolsOf | None
    suite: str
    defaults: FileDefaults = field(default_factory=FileDefaults)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _domains: dict[tuple[str, bool], Collection[str] | None] = field(default_factory=dict)

    def complain(
        self, entry: Entry | None, task: str | None, fault: FieldFault, shown: str | None = None
    ) -> None:
        """Add a problem, with the line it stands on."""
        line = self.document.line(entry, fault.location)
        name = field_text(fault.location) if shown is None else shown
        problem = Problem(self.document.path, line, task, name, fault.message, fault.nearest)
        self.problems.append(problem)

    def read_defaults(self) -> None:
        """Check the file-level fields; those that are wrong are reported once, and left out."""
        given = self.document.defaults
        try:
            self.defaults = FileDefaults.model_validate(given, strict=True)
        except ValidationError as error:
            for fault in field_faults(error, FileDefaults, frozenset({"tasks"})):
                self.complain(None, None, fault)
            wrong = {item["loc"][0] for item in error.errors(include_url=False)}
            kept = {name: value for name, value in given.items() if name not in wrong}
            self.defaults = FileDefaults.model_validate(kept, strict=True)
        for fault in mark_faults(self.defaults.marks):
            self.complain(None, None, fault)
        self.defaults.marks = [mark for mark in self.defaults.marks if mark.isidentifier()]

    def domain_tools(
        self, entry: Entry, task: str, domain: str, *, graph: bool
    ) -> Collection[str] | None:
        """Return a domain's tools, or None where they are unknown; a wrong domain is reported once."""
        source: Any = self.graph_tools_of if graph else self.tools_of
        key = (domain, graph)
        if source is not None and key not in self._domains:
            self._domains[key] = None
            try:
                self._domains[key] = source(domain, self.document.path.parent)
            except DomainError as error:
                fault = FieldFault(("domain",), str(error))
                own = isinstance(entry.data, dict) and "domain" in entry.data
                self.complain(entry if own else None, task if own else None, fault)
        return self._domains.get(key)

    def domain_by_suite(self, *, graph: bool) -> str | None:
        """Return the suite's name where a domain is called so, else None."""
        source: Any = self.graph_tools_of if graph else self.tools_of
        if source is None:
            return None
        try:
            source(self.suite, self.document.path.parent)
        except DomainError:
            return None
        return self.suite


def mark_faults(marks: list[str]) -> list[FieldFault]:
    """Return what is wrong with pytest marks: each must be a Python name."""
    message = "expected the name of a pytest mark (letters, digits, _), found {!r}"
    return [
        FieldFault(("marks", i), message.format(mark))
        for i, mark in enumerate(marks)
        if not mark.isidentifier()
    ]


_MEANT_BY_PYTEST = ("::", "[", "]")


def id_fault(identifier: Any) -> str | None:
    """Return why this cannot be the id of a task, or None where it can."""
    if not isinstance(identifier, str):
        return "expected text"
    if not identifier:
        return "must not be empty"
    for mark in _MEANT_BY_PYTEST:
        if mark in identifier:
            return f"must not hold '{mark}', which has a meaning in pytest's test ids"
    if identifier != identifier.strip() or not identifier.isprintable():
        return "must not begin or end with a blank, or hold line breaks and control characters"
    return None


def joined_marks(file_marks: list[str], own: Any) -> Any:
    """Return the file's marks and a task's own; what is no list is left for the check."""
    if not isinstance(own, list):
        return own
    return [*file_marks, *(mark for mark in own if mark not in file_marks)]

"""What the checks of one file share: the file, its defaults, its domains, what was found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_taubench.errors import DomainError
from pytest_taubench.schema import OutputMatch, PassBar, RewardComponent
from pytest_taubench.task_files.document import Document, Entry
from pytest_taubench.task_files.fields import FieldFault, field_faults
from pytest_taubench.task_files.problems import Problem, field_text

ToolsOf = Callable[[str, Path], Mapping[str, Any]]
"""Gives the tools of a domain (a name, or a path relative to a folder); raises DomainError."""

KeysOf = Callable[[str, Path], Collection[str] | None]
"""Gives the keys that a user of a domain may have, or None where it keeps no users."""

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
        keys_of: Gives the keys that a domain's users may have, or None to leave them unchecked.
        suite: The file's suite, which is the domain where none is given and one has its name.
        defaults: The file-level fields that are valid.
        problems: What is wrong so far.
        notes: What a reader should know but is no error.
    """

    document: Document
    tools_of: ToolsOf | None
    graph_tools_of: GraphToolsOf | None
    suite: str
    keys_of: KeysOf | None = None
    defaults: FileDefaults = field(default_factory=FileDefaults)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _keys: dict[str, Collection[str] | None] = field(default_factory=dict)
    _domains: dict[tuple[str, bool], Collection[str] | None] = field(default_factory=dict)

    def complain(
        self, entry: Entry | None, task: str | None, fault: FieldFault, shown: str | None = None
    ) -> None:
        """Add a problem, with the line it stands on."""
        line = self.document.line(entry, fault.location)
        name = field_text(fault.location) if shown is None else shown
        nameless = None if entry is None or task is None else _nameless(entry)
        self.problems.append(
            Problem(self.document.path, line, task, name, fault.message, fault.nearest, nameless)
        )

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
        self.defaults.marks = [mark for mark in self.defaults.marks if not mark_faults([mark])]

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

    def domain_keys(self, domain: str) -> Collection[str] | None:
        """Return the keys that users of a domain may have, or None where they are unchecked."""
        if self.keys_of is None:
            return None
        if domain not in self._keys:
            self._keys[domain] = self.keys_of(domain, self.document.path.parent)
        return self._keys[domain]

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


def _nameless(entry: Entry) -> str | None:
    """Return how to call a task without a valid id of its own: by its place in the file."""
    own = own_id(entry)
    if is_number(own) or id_fault(own) is None:
        return None
    return f"task {int(entry.location[-1]) + 1} of the file" + (" (no id)" if own is None else "")


def own_id(entry: Entry) -> Any:
    """Return the id that an entry gives, as it stands there, or None; a sample's is in its graph."""
    graph = entry.data.get("graph")
    inner = graph.get("id") if isinstance(graph, dict) else None
    return entry.data.get("id", inner)


def is_number(value: Any) -> bool:
    """True for a number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_WITH_ARGUMENTS = ("parametrize", "usefixtures", "filterwarnings")
"""Marks of pytest that mean nothing without arguments, which a task file cannot give."""


def mark_faults(marks: list[str]) -> list[FieldFault]:
    """Return what is wrong with pytest marks: each must be a name that can stand alone."""
    shape = "expected the name of a pytest mark (letters, digits, _), found {!r}"
    alone = "the mark {!r} needs arguments, which a task file cannot give"
    return [
        FieldFault(("marks", i), (alone if mark in _WITH_ARGUMENTS else shape).format(mark))
        for i, mark in enumerate(marks)
        if mark in _WITH_ARGUMENTS or not mark.isidentifier()
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

"""The example conversations of the few-shot agent: read once, and of each task those of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_taubench.plugin.options.option import BadValueError

if TYPE_CHECKING:
    from pytest_taubench.agents.few_shot import Example
    from pytest_taubench.environment.domain import Domain
    from pytest_taubench.schema import Task

_NAMES = frozenset({"name", "first_name", "last_name"})


@dataclass(frozen=True)
class ExampleFile:
    """The example conversations of ``--tau-examples``.

    Attributes:
        path: The file, as given.
        examples: All of them.
        digest: A digest of what they say, which decides figures where the file's name does not.
    """

    path: str
    examples: tuple[Example, ...]
    digest: str
    _known: dict[tuple[Path, str], set[str]] = field(default_factory=dict, compare=False)

    def of_others(self, task: Task, load_domain: Callable[[], Domain]) -> Sequence[Example]:
        """Return the examples shown in a task's trials: none of its own user."""
        from pytest_taubench.agents.few_shot import examples_without, speaks_of

        texts = "\n".join(_texts(task.model_dump(mode="json")))
        others = [each for each in self.examples if not speaks_of(texts, each.user_id)]
        if task.user_id is None:  # then what the annotation touches says whose task it is
            domain = load_domain()
            others = [each for each in others if not self._owns(domain, each.user_id, texts)]
        return examples_without(others, task.user_id)

    def _owns(self, domain: Domain, user_id: str, texts: str) -> bool:
        """Return whether the texts name a user, or a record of theirs."""
        from pytest_taubench.agents.few_shot import speaks_of

        known = (domain.folder, user_id)
        if known not in self._known:
            self._known[known] = set(_records_of(domain, user_id))
        names = list(_names_of(domain, user_id))
        return any(speaks_of(texts, key) for key in self._known[known]) or (
            bool(names) and all(speaks_of(texts, name) for name in names)
        )


def example_file(text: str) -> ExampleFile:
    """Return the examples of a JSON, JSONL or YAML file."""
    import yaml

    from pytest_taubench.agents.few_shot import ExampleError, read_examples
    from pytest_taubench.llm.tape import digest

    try:
        examples = read_examples(_load(Path(text)))
    except (ExampleError, OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadValueError(f"few-shot examples: {error}") from None
    if not examples:
        raise BadValueError("expected a file with some example conversation")
    shown = [[example.user_id, example.text] for example in examples]
    return ExampleFile(text, tuple(examples), digest(shown))


def _load(path: Path) -> Any:
    from pytest_taubench.task_files.yaml_text import load

    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text) if path.suffix == ".json" else load(text)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in JSON-able data, the keys of its objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _records_of(domain: Domain, user_id: str) -> Iterator[str]:
    """Yield the keys of a user's records: those that name the user, and those the user's name."""
    tables = [domain.database.table(name) for name in domain.database.tables]
    own = {text for table in tables for text in _texts(table.get(user_id))}
    for table in tables:
        for key, record in table.items():
            if key == user_id or key in own or user_id in _texts(record):
                yield key


def _names_of(domain: Domain, user_id: str) -> Iterator[str]:
    """Yield the parts of a user's name, as far as their record has one."""
    for name in domain.database.tables:
        record = domain.database.table(name).get(user_id)
        for field_name, value in record.items() if isinstance(record, dict) else ():
            if field_name in _NAMES:
                named = value.values() if isinstance(value, dict) else [value]
                yield from (part for part in named if isinstance(part, str))

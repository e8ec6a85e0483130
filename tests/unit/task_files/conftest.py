"""Small upstream-like data of this project's own, under a domain made for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from upstream_like import write_json

from pytest_taubench.environment.domain import Domain, load_domain
from pytest_taubench.errors import DomainError
from pytest_taubench.task_files.upstream.files import GetDomain

TOOLS = '''
from pytest_taubench import Overlay, ToolError, tool


@tool(kind="write")
def lend(db: Overlay, book_id: str, member: str) -> dict[str, object]:
    """Lend a book.

    Args:
        book_id: The book.
        member: Who takes it.
    """
    if db.get("books", book_id) is None:
        raise ToolError(f"no book {book_id}")
    if db.get("books", book_id)["lent_to"]:
        raise ToolError(f"{book_id} is lent")
    book = db.edit("books", book_id)
    book["lent_to"] = member
    return book


@tool(kind="read")
def look_up(db: Overlay, book_id: str) -> dict[str, object]:
    """Look a book up.

    Args:
        book_id: The book.
    """
    book = db.get("books", book_id)
    if book is None:
        raise ToolError(f"no book {book_id}")
    return book


@tool(kind="generic", ends_episode=True)
def call_librarian(db: Overlay, summary: str) -> str:
    """Hand over to a person.

    Args:
        summary: What it is about.
    """
    return "A librarian takes over."
'''


@pytest.fixture(scope="session")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A domain called ``library``, with one table ``books``."""
    folder = tmp_path_factory.mktemp("domains") / "library"
    write_json(folder / "db" / "books.json", {"B0": {"title": "-", "fee": 0, "lent_to": None}})
    (folder / "policy.md").write_text("# Library\n\nLend each book once.\n")
    (folder / "tools.py").write_text(TOOLS)
    return folder


@pytest.fixture
def get_domain(library_folder: Path) -> GetDomain:
    """Gives the domain ``library`` and no other."""

    def get(name: str) -> Domain:
        if name != "library":
            raise DomainError(f"no domain '{name}'")
        return load_domain(str(library_folder))

    return get

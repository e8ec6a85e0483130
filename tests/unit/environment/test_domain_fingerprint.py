"""A domain's fingerprint changes with what trials run on, by the part that changed alone."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_taubench import Database, Domain, load_domain
from pytest_taubench.task_files.upstream.data import read_data

TOOLS = '''
from pytest_taubench import Overlay, tool
from .rules import LIMIT


@tool(kind="read")
def count_orders(db: Overlay) -> int:
    """Count the orders."""
    from . import words

    return min(LIMIT, len(db.table("orders"))) + len(words.WORDS)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A domain whose tools need three modules beside them, one in a package of its own."""
    domain = tmp_path / "here/shop"
    for name, text in {
        "policy.md": "Be kind.\nBe quick.\n",
        "tools.py": TOOLS,
        "rules.py": "from .deep.numbers import LIMIT\n",
        "deep/numbers.py": "LIMIT = 3\n",
        "words.py": "WORDS = ()\n",
        "generate.py": "print('makes the database')\n",
        "db/orders.json": '{"A1": {"total": 1},\n "A2": {"total": 2}}\n',
        "db/users.json": '{"u": {}}\n',
    }.items():
        path = domain / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return domain


def changed(before: Domain, after: Domain) -> set[str]:
    old, new = before.fingerprint.model_dump(), after.fingerprint.model_dump()
    return {part for part in old if old[part] != new[part]}


def append(name: str, text: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / name
        path.write_bytes((path.read_bytes() if path.exists() else b"") + text.encode())

    return edit


def compress(folder: Path) -> None:
    path = folder / "db/orders.json"
    path.with_name("orders.json.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def rename_table(folder: Path) -> None:
    (folder / "db/users.json").rename(folder / "db/zones.json")


def end_lines_as_windows_does(folder: Path) -> None:
    for name in ("policy.md", "tools.py", "db/orders.json"):
        path = folder / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(
    ("edit", "parts"),
    [
        (append("policy.md", "Be brief."), {"policy"}),
        (append("tools.py", "# now\n"), {"tools"}),
        (append("rules.py", "# now\n"), {"tools"}),
        (append("words.py", "# now\n"), {"tools"}),
        (append("deep/numbers.py", "# now\n"), {"tools"}),
        (append("db/users.json", " "), {"database"}),
        (append("db/more.json", "{}"), {"database"}),
        (rename_table, {"database"}),
        (append("generate.py", "# now\n"), set()),
        (append("departures.yaml", "[]"), set()),
        (append("orders.tau.yaml", "domain: .\ntasks: []\n"), set()),
        (compress, set()),
        (end_lines_as_windows_does, set()),
    ],
)
def test_what_changed_is_told_apart(
    folder: Path, edit: Callable[[Path], None], parts: set[str]
) -> None:
    before = load_domain(str(folder))
    assert all(before.fingerprint.model_dump(include={"policy", "tools", "database"}).values())
    edit(folder)
    assert changed(before, load_domain(str(folder))) == parts


def test_the_place_and_what_python_left_there_do_not_count(folder: Path, tmp_path: Path) -> None:
    before = load_domain(str(folder))
    copy = tmp_path / "elsewhere/deep/shop"
    shutil.copytree(folder, copy)
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__/tools.cpython-39.pyc").write_bytes(b"other")
    assert changed(before, load_domain(str(copy))) == set()


def test_a_database_made_in_memory_counts_by_its_records(folder: Path) -> None:
    domain = load_domain(str(folder))
    one, same, other = (
        domain.with_data(database=Database({"orders": {"A1": {"total": total}}}))
        for total in (1, 1, 2)
    )
    assert changed(one, same) == set()
    assert changed(one, other) == {"database"}
    assert changed(one, one.with_data(policy="Be rude.")) == {"policy"}


@pytest.mark.parametrize(
    ("name", "part"),
    [("orders.json", "database"), ("policy.md", "policy"), ("tasks_test.json", "")],
)
def test_upstream_data_count_though_the_tools_are_ours(
    folder: Path, tmp_path: Path, name: str, part: str
) -> None:
    data = tmp_path / "data/shop"
    data.mkdir(parents=True)
    for file in ("orders.json", "users.json"):
        shutil.copy(folder / "db" / file, data)
    shutil.copy(folder / "policy.md", data)
    (data / "tasks_test.json").write_text(json.dumps([{"instruction": "x", "actions": []}]))

    def read() -> Domain:
        (suite,) = read_data(data, lambda _: load_domain(str(folder)))
        assert suite.domain is not None
        return suite.domain

    before = read()
    assert changed(load_domain(str(folder)), before) == set()
    append(name, "\n")(data)
    assert changed(before, read()) == ({part} if part else set())

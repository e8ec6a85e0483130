"""The rules of the house: which room may know which, and where outside libraries are at home."""

import ast
from functools import cache
from itertools import pairwise
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pytest_taubench"
DOMAINS = ROOT / "domains"

# From the ground up: a room may import those that stand before it, and itself.
ROOMS = (
    "errors",
    "bundled",
    "randomness",
    "schema",
    "text",
    "trial_clock",
    "foreign_code",
    "object_reference",
    "environment",
    "llm",
    "agents",
    "users",
    "reward",
    "metrics",
    "taskbench",
    "trial",
    "task_files",
    "runs",
    "gates",
    "report",
    "lint",
    "plugin",
    "commands",
    "__main__",
)

# Neighbours that must not know one another although one stands above the other.
STRANGERS = {
    "users": {"agents"},
    "reward": {"agents", "users"},
    "metrics": {"environment", "llm", "agents", "users", "reward"},
    "taskbench": {"environment", "users", "reward"},
    "report": {"llm", "agents", "users", "reward", "trial", "task_files"},
    "gates": {"environment", "llm", "agents", "users", "reward", "trial", "task_files"},
}

# Which part of the package an outside library is at home in.
HOMES = {
    "pytest": "plugin/",
    "_pytest": "plugin/",
    "xdist": "plugin/",
    "openai": "llm/",
    "networkx": "taskbench/",
    "rouge_score": "taskbench/",
    "rich": "report/terminal.py",
}

# What an annotation is made of, which the agent's side must not see.
GOLD = {"Task", "Action", "Sample", "Script"}


@cache
def modules():
    """Return each module's path by its dotted name below the package, bundled data left out."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] != "bundled":
            found[".".join(place.with_suffix("").parts).removesuffix(".__init__")] = path
    return found


@cache
def imports_of(path):
    """Return (module, name, line) of every import, those inside functions and for types too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, "", node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # The modules of a domain folder have no package name to know one another by.
            assert node.level == 0 or DOMAINS in path.parents, f"{path}: relative import"
            found += [(node.module or "", alias.name, node.lineno) for alias in node.names]
    return found


def own_imports(path):
    """Yield the dotted name of each module of the package that a module imports."""
    for module, name, _ in imports_of(path):
        if module == "pytest_taubench" or module.startswith("pytest_taubench."):
            below = module.partition(".")[2]
            longer = f"{below}.{name}".lstrip(".")
            yield longer if longer in modules() else below


def room_of(module):
    return module.partition(".")[0]


def test_every_room_is_listed():
    rooms = {room_of(module) for module in modules()} - {"__init__"}

    assert rooms == set(ROOMS)


def test_imports_go_down_only():
    rank = {room: place for place, room in enumerate(ROOMS)}
    wrong = []
    for module, path in modules().items():
        room = room_of(module)
        for imported in own_imports(path):
            other = room_of(imported)
            if room == "__init__" or other in ("", room):
                continue
            if rank[other] > rank[room] or other in STRANGERS.get(room, ()):
                wrong.append(f"{module} imports {imported}")

    assert wrong == []


def test_no_modules_import_one_another_in_a_circle():
    graph = nx.DiGraph()
    for module, path in modules().items():
        if module != "__init__":  # the public API names everybody, and nobody inside asks it
            graph.add_edges_from((module, other) for other in own_imports(path) if other != module)
    circles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]

    assert circles == []


def test_each_outside_library_has_one_home():
    wrong = []
    for path in modules().values():
        place = path.relative_to(PACKAGE).as_posix()
        for module, _, line in imports_of(path):
            home = HOMES.get(module.partition(".")[0])
            if home is not None and not place.startswith(home):
                wrong.append(f"{place}:{line} imports {module}")

    assert wrong == []


def test_the_agents_side_cannot_see_gold():
    sides = ("agents", "llm", "environment")
    wrong = []
    for module, path in modules().items():
        if room_of(module) not in sides:
            continue
        for imported, name, line in imports_of(path):
            if imported.startswith("pytest_taubench.schema") and (
                name in GOLD or imported.endswith((".task", ".sample", ".script"))
            ):
                wrong.append(f"{module}:{line} imports {name}")

    assert wrong == []


def test_the_package_never_names_a_bundled_domain():
    names = {folder.name for folder in DOMAINS.iterdir() if folder.is_dir()}
    wrong = []
    for module, path in modules().items():
        if module.startswith("task_files.upstream"):  # other projects file data under these names
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in names:
                wrong.append(f"{module}:{node.lineno} names {node.value}")

    assert wrong == []


def test_a_domain_imports_only_the_public_api():
    wrong = [
        f"{path.parent.name}/{path.name}:{line} imports {module}"
        for path in sorted(DOMAINS.rglob("*.py"))
        for module, _, line in imports_of(path)
        if module.startswith("pytest_taubench.")
    ]

    assert wrong == []


def test_every_public_name_exists_and_is_listed_once():
    import pytest_taubench

    assert all(a < b for a, b in pairwise(pytest_taubench.__all__))
    assert all(getattr(pytest_taubench, name) is not None for name in pytest_taubench.__all__)

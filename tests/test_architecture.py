"""The import rules of the design, held by reading every import of the package."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "pytest_taubench"
DOMAINS = Path(__file__).parent.parent / "domains"

# What each room may import of the package. A room imports itself, `errors` and `schema` freely.
FOUNDATION = {
    "errors",
    "schema",
    "randomness",
    "bundled",
    "worker_thread",
    "trial_clock",
    "object_reference",
    "secrets",
    "surrogates",
}
ALLOWED = {
    "schema": set(),
    "errors": set(),
    "randomness": set(),
    "bundled": set(),
    "worker_thread": {"errors"},
    "trial_clock": {"errors"},
    "secrets": {"schema"},
    "surrogates": set(),
    "object_reference": {"errors", "randomness"},
    "environment": FOUNDATION,
    "llm": FOUNDATION,
    "metrics": FOUNDATION,
    "store": FOUNDATION | {"metrics"},
    "domain": FOUNDATION | {"environment"},
    "agents": FOUNDATION | {"environment", "llm", "domain"},
    "users": FOUNDATION | {"environment", "llm", "domain"},
    "reward": FOUNDATION | {"environment", "llm"},  # a judge model grades assertions
    "attribution": FOUNDATION | {"environment", "llm", "reward"},
    "episode": FOUNDATION | {"environment", "agents", "users", "domain"},
    "taskbench": FOUNDATION | {"llm", "agents"},
    "report": FOUNDATION | {"metrics", "environment"},
}

ONLY_IMPORTER = {
    "pytest": "plugin",
    "_pytest": "plugin",
    "xdist": "plugin",
    "openai": "llm",
    "networkx": "taskbench",
    "rouge_score": "taskbench",
    "rich": "report/terminal.py",
}


MODULES = [
    pytest.param(path, id=path.relative_to(PACKAGE).as_posix())
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] != "bundled"
]


def imports_of(path):
    """Yield the dotted name of every import, those inside functions and TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # The modules of a domain folder have no package name to know one another by.
            assert node.level == 0 or DOMAINS in path.parents, f"{path}: relative import"
            yield node.module or ""


def room_of(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("path", MODULES)
def test_imports_go_down_only(path):
    room = room_of(path)
    if room not in ALLOWED:
        return
    for name in imports_of(path):
        if name == "pytest_taubench" or name.startswith("pytest_taubench."):
            imported = name.split(".")[1] if "." in name else "__init__"
            assert imported in ALLOWED[room] | {room}, f"{room} imports {name}"


@pytest.mark.parametrize("path", MODULES)
def test_each_outside_library_has_one_home(path):
    place = path.relative_to(PACKAGE).as_posix()
    for name in imports_of(path):
        home = ONLY_IMPORTER.get(name.split(".")[0])
        assert home is None or place == home or place.startswith(home + "/"), f"imports {name}"


@pytest.mark.parametrize("path", MODULES)
def test_agents_cannot_see_gold(path):
    if room_of(path) != "agents":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pytest_taubench"):
            assert not node.module.endswith((".task", ".sample", ".script")), path
            assert not {"Task", "Action", "Sample", "Script"} & {a.name for a in node.names}, path


@pytest.mark.parametrize("path", MODULES)
def test_the_package_never_names_a_bundled_domain(path):
    names = {folder.name for folder in DOMAINS.iterdir() if folder.is_dir()}
    if room_of(path) in {"interop"}:  # reads data that other projects filed under these names
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value not in names, f"line {node.lineno} names the domain {node.value}"


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=f"{p.parent.name}/{p.stem}") for p in sorted(DOMAINS.rglob("*.py"))],
)
def test_a_domain_imports_only_the_public_api(path):
    for name in imports_of(path):
        assert not name.startswith("pytest_taubench."), f"imports {name}"


def test_every_public_name_exists_and_is_listed_once():
    import pytest_taubench

    assert sorted(set(pytest_taubench.__all__)) == pytest_taubench.__all__
    for name in pytest_taubench.__all__:
        assert getattr(pytest_taubench, name) is not None

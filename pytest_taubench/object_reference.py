"""Finds the Python object that an option names: ``module:attribute`` or ``file.py:attribute``."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_taubench.errors import TauBenchError
from pytest_taubench.randomness import stable_seed
from pytest_taubench.text.names import meant


class UnresolvedReferenceError(TauBenchError):
    """The named object cannot be found or imported; the message says what was tried."""


def resolve_reference(spec: str, rootdir: Path, defaults: Sequence[str]) -> Any:
    """Return the object that ``spec`` names.

    Args:
        spec: ``module``, ``module:attribute``, ``file.py`` or ``file.py:attribute``; files and
            modules are found from the root directory, as tests are.
        rootdir: pytest's root directory.
        defaults: Attributes tried in this order where the spec names none.

    Raises:
        UnresolvedReferenceError: With the nearest attribute where the module has no such one.
    """
    place, _, attribute = _split(spec)
    module = _load_file(rootdir / place) if place.endswith(".py") else _import(place, rootdir)
    names = [attribute] if attribute else list(defaults)
    for name in names:
        if hasattr(module, name):
            return getattr(module, name)
    raise UnresolvedReferenceError(_no_attribute(place, module, attribute, defaults))


def looks_like_reference(spec: str) -> bool:
    """Return True where the spec names a file or an attribute, and so no built-in."""
    return ":" in spec or spec.endswith(".py") or "." in spec


def _split(spec: str) -> tuple[str, str, str]:
    # A drive letter's colon is not the separator.
    head, separator, tail = spec.rpartition(":")
    return (head, separator, tail) if separator and tail.isidentifier() else (spec, "", "")


def _no_attribute(place: str, module: ModuleType, attribute: str, defaults: Sequence[str]) -> str:
    public = [name for name in vars(module) if not name.startswith("_")]
    if not attribute:
        tried = ", ".join(defaults)
        return f"{place} has none of {tried}; name the attribute: {place}:NAME"
    near = difflib.get_close_matches(attribute, public, 1)
    return f"{place} has no attribute {attribute!r}" + (
        f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(sorted(public)[:8])}"
    )


def _import(name: str, rootdir: Path) -> ModuleType:
    root = str(rootdir)
    added = root not in sys.path
    if added:
        sys.path.insert(0, root)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise UnresolvedReferenceError(
                f"there is no module {name!r}, looked for in {rootdir} and the Python path"
            ) from error
        raise UnresolvedReferenceError(f"importing {name} failed: {error}") from error
    except (Exception, SystemExit) as error:
        raise UnresolvedReferenceError(
            f"importing {name} failed: {type(error).__name__}: {error}"
        ) from error
    finally:
        if added:
            sys.path.remove(root)


def _load_file(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise UnresolvedReferenceError(f"there is no file {path}{_near_file(path)}")
    name = f"_taubench_{path.stem}_{stable_seed(path):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnresolvedReferenceError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs: dataclasses and pickling look their module up by name.
    sys.modules[name] = module
    added = str(path.parent)
    sys.path.append(added)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UnresolvedReferenceError(
            f"importing {path} failed: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.path.remove(added)
    return module


def _near_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent} either"
    return meant(path.name, [p.name for p in path.parent.glob("*.py")])

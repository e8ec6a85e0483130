"""Read-only JSON data: dicts and lists that refuse to be changed.

They stay real ``dict`` and ``list`` objects, so that ``json.dumps``, ``==`` and ``isinstance``
work as for any other; only what would change them raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

_SCALARS = (str, int, float, bool, type(None))
_SCALAR_SET = frozenset(_SCALARS)


def _refuse(self: Any, *_args: Any, **_kwargs: Any) -> NoReturn:
    raise TypeError(
        "this record is shared by all trials and read-only; "
        "ask for a private copy with db.edit(table, key) and change that"
    )


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed; ``copy.deepcopy`` gives a plain one."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {key: thaw(value) for key, value in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[Any]):
    """A list that cannot be changed; ``copy.deepcopy`` gives a plain one."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = _refuse
    remove = reverse = sort = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [thaw(value) for value in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenList, (list(self),))


def freeze(value: Any) -> Any:
    """Return a deeply frozen copy of JSON-able data.

    Raises:
        TypeError: The data holds something JSON has no word for.
    """
    kind = type(value)
    if kind is FrozenDict or kind is FrozenList or kind in _SCALAR_SET:
        return value
    if isinstance(value, Mapping):
        return FrozenDict({_key(key): freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return FrozenList([freeze(item) for item in value])
    return _scalar(value)


def thaw(value: Any) -> Any:
    """Return a plain, private and mutable deep copy of JSON-able data.

    Raises:
        TypeError: The data holds something JSON has no word for.
    """
    kind = type(value)
    if kind in _SCALAR_SET:
        return value
    if kind is FrozenDict:  # its keys were checked when it was made
        return {
            key: item if type(item) in _SCALAR_SET else thaw(item) for key, item in value.items()
        }
    if isinstance(value, Mapping):
        return {_key(key): thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in value]
    return _scalar(value)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is {_kind(key)}; JSON objects have text keys only")
    return key


def _scalar(value: Any) -> Any:
    if isinstance(value, _SCALARS):  # an enum of texts, a numpy float: keeps its JSON meaning
        return value
    raise TypeError(f"{value!r} is {_kind(value)}, which JSON cannot hold")


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"

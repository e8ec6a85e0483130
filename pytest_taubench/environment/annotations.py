"""A parameter's type on its way to pydantic, and the JSON Schema on its way to a model."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any

import typing_extensions


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that stands alone: references resolved, titles dropped.

    Args:
        schema: As pydantic makes it; its definitions are taken out of it.

    Raises:
        TypeError: The type contains itself.
    """
    definitions = schema.pop("$defs", {})
    plain: dict[str, Any] = _resolved(schema, definitions, ())
    return plain


def _resolved(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_resolved(item, definitions, inside) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        if name in inside:
            raise TypeError(f"the type {name} contains itself")
        target = _resolved(definitions[name], definitions, (*inside, name))
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return {**target, **rest}
    plain = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
            continue
        # What stands under these is data, not schema.
        kept = key in ("default", "const", "enum", "examples")
        plain[key] = value if kept else _resolved(value, definitions, inside)
    return plain


def for_pydantic(annotation: Any) -> Any:
    """Replace ``typing.TypedDict`` classes, which pydantic refuses before Python 3.12."""
    if typing_extensions.is_typeddict(annotation):
        return _typed_dict(annotation)
    arguments = typing.get_args(annotation)
    if not arguments or typing.get_origin(annotation) is typing.Literal:
        return annotation
    replaced = tuple(for_pydantic(each) for each in arguments)
    if replaced == arguments:
        return annotation
    if isinstance(annotation, types.UnionType):
        return typing.Union[replaced]  # noqa: UP007 - built from a tuple
    if typing.get_origin(annotation) is typing.Annotated:
        return typing.Annotated[(replaced[0], *annotation.__metadata__)]
    if hasattr(annotation, "copy_with"):
        return annotation.copy_with(replaced)
    return typing.get_origin(annotation)[replaced]


def _typed_dict(cls: Any) -> Any:
    fields: dict[str, Any] = {}
    for name, hint in typing.get_type_hints(cls, include_extras=True).items():
        required = name in cls.__required_keys__
        if typing.get_origin(hint) in (typing.Required, typing.NotRequired):
            # Under postponed annotations the class itself could not see the qualifier.
            required = typing.get_origin(hint) is typing.Required
            (hint,) = typing.get_args(hint)
        hint = for_pydantic(hint)
        wrapper: Any = typing_extensions.Required if required else typing_extensions.NotRequired
        fields[name] = wrapper[hint]
    make: Any = typing_extensions.TypedDict
    built = make(cls.__name__, fields)
    built.__doc__ = cls.__doc__
    config = getattr(cls, "__pydantic_config__", None)
    if config is not None:
        built.__pydantic_config__ = config
    return built

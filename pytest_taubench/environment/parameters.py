"""A tool's parameters: read from its signature, described as JSON Schema, checked by pydantic."""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typing_extensions
from pydantic import TypeAdapter, ValidationError

from pytest_taubench.errors import ToolError
from pytest_taubench.text.names import did_you_mean


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


@dataclass(frozen=True)
class ToolParameter:
    """One parameter of a tool.

    Attributes:
        name: Its name.
        annotation: Its type, as the author wrote it.
        required: False when it has a default.
        schema: Its JSON Schema, references resolved.
        adapter: What validates its values.
    """

    name: str
    annotation: Any
    required: bool
    schema: dict[str, Any]
    adapter: TypeAdapter[Any]

    def check(self, value: Any) -> Any:
        """Return the value as the tool's type.

        A text is never taken for a number or the other way round; ``3`` is a float and
        ``3.0`` an int. Keys that a nested object's type does not declare are passed over.

        Raises:
            ToolError: It is not of the type; the message says what was expected and got.
        """
        try:
            return self._validated(value)
        except ValidationError as error:
            repaired = _whole_floats_as_ints(value, error)
        try:
            return self._validated(repaired)
        except ValidationError as error:
            raise ToolError(_wording(self.name, error)) from None

    def _validated(self, value: Any) -> Any:
        # The JSON mode is the strict one that still takes an object for a model.
        return self.adapter.validate_json(json.dumps(value), strict=True)


def read_parameters(
    function: Callable[..., Any], descriptions: Mapping[str, str]
) -> dict[str, ToolParameter]:
    """Return a tool function's parameters after ``db``.

    Raises:
        TypeError: The signature cannot be a tool's: no ``db``, a parameter without a type, a
            type that has no JSON Schema.
    """
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise TypeError(f"a type cannot be resolved: {error}") from None
    accepted = list(inspect.signature(function).parameters.values())
    if not accepted or accepted[0].name != "db":
        raise TypeError("the first parameter must be db, the trial's database")
    return {
        each.name: _read_parameter(each, hints, descriptions.get(each.name, ""))
        for each in accepted[1:]
    }


def _read_parameter(
    parameter: inspect.Parameter, hints: Mapping[str, Any], description: str
) -> ToolParameter:
    name = parameter.name
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise TypeError(f"parameter {name!r}: a tool takes named parameters only")
    if name not in hints:
        raise TypeError(f"parameter {name!r} has no type")
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(for_pydantic(hints[name]))
        schema = plain_schema(adapter.json_schema())
    except Exception as error:  # pydantic raises many kinds for a type it does not know
        raise TypeError(f"parameter {name!r}: its type has no JSON Schema: {error}") from None
    if description:
        schema = {**schema, "description": description}
    required = parameter.default is parameter.empty
    if not required and parameter.default is not None:
        schema = {**schema, "default": parameter.default}
    return ToolParameter(name, hints[name], required, schema, adapter)


def check_arguments(
    tool: str, parameters: Mapping[str, ToolParameter], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the validated arguments.

    Raises:
        ToolError: An argument is unknown, missing or of the wrong type; the message names all
            of them, so that an agent can put the call right at once.
    """
    faults = [
        *(_unknown(name, parameters, arguments) for name in arguments if name not in parameters),
        *(
            f"missing argument {name!r}"
            for name, each in parameters.items()
            if each.required and name not in arguments
        ),
    ]
    checked: dict[str, Any] = {}
    for name, each in parameters.items():
        if name in arguments:
            try:
                checked[name] = each.check(arguments[name])
            except ToolError as error:
                faults.append(str(error))
    if faults:
        raise ToolError(f"invalid arguments for {tool}: {'; '.join(faults)}")
    return checked


def _unknown(
    name: str, parameters: Mapping[str, ToolParameter], arguments: Mapping[str, Any]
) -> str:
    # Only a parameter that was not given can be the one that was meant.
    free = [each for each in parameters if each not in arguments]
    hint = did_you_mean(name, free, f"the parameters are {', '.join(parameters) or 'none'}")
    return f"unknown argument {name!r} ({hint})"


def _whole_floats_as_ints(value: Any, error: ValidationError) -> Any:
    """Return a copy in which each float that stands for an int, where one is due, is one."""
    box = json.loads(json.dumps([value]))
    for fault in error.errors(include_url=False, include_context=False):
        if fault["type"] == "int_type":
            _repair(box, [0, *fault["loc"]])
    return box[0]


def _repair(box: Any, path: list[int | str]) -> None:
    *outer, last = path
    try:
        for step in outer:
            box = box[step]
        found = box[last]
    except (KeyError, IndexError, TypeError):
        return  # the location names a branch of a union, which the value does not have
    if isinstance(found, float) and found.is_integer():
        box[last] = int(found)


def _wording(name: str, error: ValidationError) -> str:
    found = error.errors(include_url=False)
    worded = [_word_one(name, fault) for fault in found[:3]]
    if len(found) > 3:
        worded.append(f"and {len(found) - 3} more")
    return "; ".join(worded)


def _word_one(name: str, fault: Any) -> str:
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"]]
    where = name + "".join(steps)
    if fault["type"] == "missing":
        return f"missing {where!r}"
    if fault["type"] == "json_invalid":  # broken Unicode, or nested beyond all reason
        return f"{where!r} is not valid JSON"
    said = fault["msg"]
    if said.startswith("Input should be "):
        said = f"must be {said.removeprefix('Input should be ')}"
    return f"{where!r} {said}, got {_got(fault['input'])}"


def _got(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > 60:
        text = f"{text[:57]}..."
    words = {
        str: "text",
        bool: "bool",
        int: "number",
        float: "number",
        list: "list",
        dict: "object",
    }
    return f"{text} ({words[type(value)]})" if type(value) in words else text

"""Creates components and options from plain values, and says which value is wrong and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_type_hints

from pydantic import ConfigDict, PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError

from hopweave.core.errors import SettingsError, suggest
from hopweave.core.redaction import public

Part = TypeVar("Part")

_LAX_TEXT = ConfigDict(coerce_numbers_to_str=True)

NO_NUMBER = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
}
"""What is said of a value that is not the number that it should be, by the type of pydantic's error."""


def build(part: type[Part], values: Mapping[str, Any], where: str) -> Part:
    """Creates a dataclass from plain values (strings are converted), or reports which key is wrong and how.

    Raises:
        SettingsError: see above.
    """
    known = check_names(part, values, where)
    hints = get_type_hints(part)
    converted = {}
    for key, value in values.items():
        try:
            converted[key] = _adapter(hints[key]).validate_python(value)
        except ValidationError as error:
            raise SettingsError(explained(error, f"{where}.{key}", known)) from None
    _check_nothing_is_missing(part, converted, where)
    try:
        return part(**converted)
    except TypeError as error:
        raise SettingsError(f"{where} cannot be created: {error}; set the option in the settings") from None


def check_names(part: type[Any], given: Iterable[str], where: str) -> list[str]:
    """Returns the names of a component's options, after checking that the given names are among them.

    Raises:
        SettingsError: with the first unknown name, and the closest known one.
    """
    known = [field.name for field in dataclasses.fields(part) if field.init]
    for key in given:
        if key not in known:
            raise SettingsError(f"{where} has no option {key!r}; {suggest(key, known)}")
    return known


def _check_nothing_is_missing(part: type[Any], given: Mapping[str, Any], where: str) -> None:
    for field in dataclasses.fields(part):
        has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        if field.init and not has_default and field.name not in given:
            hint = get_type_hints(part, include_extras=True)[field.name]
            meaning = "".join(f" ({note})" for note in getattr(hint, "__metadata__", ()) if isinstance(note, str))
            raise SettingsError(f"{where} needs {field.name}{meaning}; give it with --set {where}.{field.name}=VALUE")


def _adapter(hint: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(hint, config=_LAX_TEXT)
    except (PydanticSchemaGenerationError, PydanticUserError):  # a model, which has its own configuration
        return TypeAdapter(hint)


def explained(error: ValidationError, where: str, known: Iterable[str]) -> str:
    """The first validation error as text: its place, the problem and the given value, without secrets."""
    first = error.errors(include_url=False)[0]
    place = ".".join([where, *(str(part) for part in first["loc"])])
    if first["type"] == "extra_forbidden":
        return f"{place} is not a setting; {suggest(str(first['loc'][-1]), known)}"
    given = public(first.get("input"), str(first["loc"][-1]) if first["loc"] else place.rpartition(".")[2])
    problem = NO_NUMBER.get(first["type"], first["msg"].removeprefix("Value error, "))
    return f"{place}: {problem}, not {given!r}"

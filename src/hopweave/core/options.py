"""The bounds of options, written into their types, and how the parts of a method take their options from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from hopweave.core.errors import SettingsError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

P = TypeVar("P", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The lowest value that an option may have; it is unbounded above unless `most` is set."""

    least: float
    most: float = float("inf")


@dataclass(frozen=True, slots=True)
class Share:
    """An option above 0 and at most 1."""


Count = Annotated[int, AtLeast(1)]
"""An integer of at least 1."""

Whole = Annotated[int, AtLeast(0)]
"""An integer of at least 0."""

Temperature = Annotated[float, AtLeast(0)]
TopP = Annotated[float, Share()]


def check_options(options: DataclassInstance) -> None:
    """Checks the options of a part against the bounds and choices of their types; `None` means the default and is not checked.

    A `Bounded` part does so when it is created; a part that defines `__post_init__` itself calls this there.

    Raises:
        SettingsError: naming the part and the option.
    """
    for name, bound in _bounds(type(options)):
        value = getattr(options, name)
        if value is not None and (problem := _problem(bound, value)):
            raise SettingsError(f"{name_of_part(options)} {name} {problem}")


def name_of_part(options: object) -> str:
    """The name of a part in settings and messages: that of its file or, outside this package, of its class."""
    kind = type(options)
    return kind.__module__.rpartition(".")[2] if kind.__module__.startswith("hopweave.") else kind.__name__


class Bounded:
    """A part whose options are checked against the bounds and choices of their types when it is created.

    Raises:
        SettingsError: for an option that is out of its bounds, or not among its choices.
    """

    __slots__ = ()

    def __post_init__(self: DataclassInstance) -> None:
        check_options(self)


def _problem(bound: object, value: Any) -> str:
    """What is wrong with a value, as the end of a sentence; empty if nothing is."""
    match bound:
        case AtLeast(least, most) if not least <= value <= most:
            from_zero = "0 or more" if isinstance(value, int) else "a number from 0 up"
            said = f"from {least} to {most}" if most != float("inf") else f"at least {least}" if least else from_zero
            return f"must be {said}, not {value}"
        case Share() if not 0 < value <= 1:
            return f"must be above 0 and at most 1, not {value}"
        case tuple() if value not in bound:
            return f"cannot be {value!r}; choose one of: {', '.join(sorted(map(str, bound)))}"
    return ""


@cache
def _bounds(kind: type[DataclassInstance]) -> tuple[tuple[str, object], ...]:
    """The bounded options of a class: pairs of a name and a bound, or a tuple of choices, from its type."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((one.name, bound) for one in fields(kind) for bound in _bounds_in(hints[one.name]))


def _bounds_in(hint: Any) -> Iterator[object]:
    if get_origin(hint) is Literal:
        yield get_args(hint)
        return
    yield from (note for note in getattr(hint, "__metadata__", ()) if isinstance(note, AtLeast | Share))
    for inner in get_args(hint):
        yield from _bounds_in(inner)


def notes_of(hint: Any) -> str:
    """The notes for readers in the type of an option."""
    return " ".join(note for note in getattr(hint, "__metadata__", ()) if isinstance(note, str))


def is_plain(hint: Any) -> bool:
    """Whether the type of an option allows only numbers, truth values and given words.

    >>> is_plain(float | None), is_plain(Literal["words", "model"]), is_plain(str)
    (True, True, False)
    """
    origin = get_origin(hint)
    if origin is Annotated:
        return is_plain(get_args(hint)[0])
    if origin in (Union, UnionType):
        return all(map(is_plain, get_args(hint)))
    return origin is Literal or hint in (bool, int, float, NoneType)


def options_for(part: type[P], options: object) -> P:
    """A part of a method, with the values of the method's options of the same names; all others keep their defaults."""
    return part(**{one.name: getattr(options, one.name) for one in fields(part) if hasattr(options, one.name)})

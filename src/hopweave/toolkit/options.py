"""What methods ask of their options, and how the parts of a method take theirs from them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from hopweave.errors import SettingsError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

P = TypeVar("P", bound="DataclassInstance")


def at_least(method: str, options: object, least: float, *names: str) -> None:
    """Refuses options that are too low; `None` stands for a default.

    Raises:
        SettingsError: naming the option.
    """
    for name in names:
        value = getattr(options, name)
        if value is not None and not value >= least:
            bound = f"at least {least}" if least else "0 or more"
            raise SettingsError(f"{method} {name} must be {bound}, not {value}")


def check_top_p(method: str, top_p: float | None) -> None:
    """Refuses an invalid nucleus probability mass; `None` stands for a default.

    Raises:
        SettingsError: naming the option.
    """
    if top_p is not None and not 0 < top_p <= 1:
        raise SettingsError(f"{method} top_p must be above 0 and at most 1, not {top_p}")


def one_of(method: str, options: object, name: str, *choices: str) -> None:
    """Refuses an option that is not among the choices.

    Raises:
        SettingsError: naming the option.
    """
    value = getattr(options, name)
    if value not in choices:
        raise SettingsError(f"{method} {name} {value!r} cannot be; choose one of: {', '.join(sorted(choices))}")


def options_for(part: type[P], options: object) -> P:
    """The options of a part of a method, from the method's own of the same names; what the method lacks keeps its default."""
    return part(**{one.name: getattr(options, one.name) for one in fields(part) if hasattr(options, one.name)})

"""Options of the command line that several commands share, declared once as the fields of a dataclass."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints


def with_options(kind: type[Any], *without: str, **helps: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the fields of a dataclass as options, instead of its parameter of that type.

    Args:
        kind: the dataclass, whose fields are annotated as options.
        without: fields that are not options of this command; they have their defaults.
        helps: the help of options, if this command has different texts.
    """
    hints = get_type_hints(kind, include_extras=True)
    hints |= {name: _explained_by(text, *get_args(hints[name])) for name, text in helps.items()}
    options = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in dataclasses.fields(kind)
        if field.name not in without
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        [place] = [name for name, parameter in signature.parameters.items() if parameter.annotation is kind]

        @wraps(command)
        def run(**given: Any) -> None:
            chosen = kind(**{option.name: given.pop(option.name) for option in options})
            command(**{place: chosen}, **given)

        groups = [options if name == place else [own] for name, own in signature.parameters.items()]
        run.__signature__ = signature.replace(parameters=[one for group in groups for one in group])  # type: ignore[attr-defined]
        return run

    return decorate


def _explained_by(text: str, kind: Any, option: Any) -> Any:
    """The annotation of an option with another help."""
    other = copy.copy(option)
    other.help = text
    return Annotated[kind, other]

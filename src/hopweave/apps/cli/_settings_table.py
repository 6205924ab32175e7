"""All settings with their defaults and meanings, from the classes that hold them."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopweave.run.settings import TABLES, Settings
from hopweave.run.settings_files import read_profile

_NO_DEFAULT = "none"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it is listed.

    Attributes:
        key: with a dot, if it is in a table.
        default: as in a settings file; `none` if there is none.
        meaning: what it decides.
    """

    key: str
    default: str
    meaning: str


def all_settings() -> Iterator[Setting]:
    """Every setting, in the order of the class; the options of components are listed with those."""
    defaults, meanings = read_profile("default").values, meanings_of(Settings)
    for key, field in Settings.model_fields.items():
        if key in TABLES:
            yield from _of_table(key, TABLES[key])
        else:
            value = defaults.get(key, field.get_default(call_default_factory=True))
            yield Setting(key, _as_toml(value), meanings[key])


def _of_table(table: str, kind: type[Any]) -> Iterator[Setting]:
    meanings, made = meanings_of(kind), kind()
    fields = [one.name for one in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else kind.model_fields
    for name in fields:
        yield Setting(f"{table}.{name}", _as_toml(getattr(made, name)), meanings[name])


def meanings_of(kind: type[Any]) -> dict[str, str]:
    """What the documentation of a class says of each of its attributes, by name; names may share a text.

    >>> meanings_of(TABLES["budget"])["max_llm_calls"]
    'calls of the model, including stored replies.'
    """
    block = inspect.cleandoc(kind.__doc__ or "").partition("\nAttributes:\n")[2].partition("\n\n")[0]
    texts: list[str] = []
    for line in block.splitlines():
        if line.startswith("     "):  # the text of an attribute goes on
            texts[-1] += f" {line.strip()}"
        else:
            texts.append(line.strip())
    named = [text.partition(": ") for text in texts]
    return {name: meaning for names, _, meaning in named for name in names.split(", ")}


def _as_toml(value: Any) -> str:
    if value is None:
        return _NO_DEFAULT
    return str(value) if isinstance(value, Path) else json.dumps(value)

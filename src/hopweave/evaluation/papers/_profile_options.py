"""The options of records that differ from a paper's profile."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from hopweave.core.catalog import Role, load
from hopweave.core.errors import MissingExtra
from hopweave.core.types import Sampling
from hopweave.record import Setup
from hopweave.run.settings_files import read_profile

_PARTS: Mapping[str, tuple[Role, str]] = {
    "reader": ("readers", "reader"),
    "duplicate_detector": ("duplicate_detectors", "duplicate detector"),
}
WITHOUT_EFFECT = {"index", "device", "batch_size"}
"""Options of parts that only affect where something is stored or how fast it runs, not the result."""


def sets_method(profile: str, method: str) -> bool:
    """Whether a profile has options of a method."""
    return method in read_profile(profile).values.get("methods", {})


def other_options(setup: Setup, profile: str, method: str, *, passed_over: Collection[str], searches: bool) -> Iterator[str]:
    """The options of records that differ from those of a profile, as `name = value (there value)`.

    Options that the profile does not set are compared with the default. A retriever is compared where the profile sets
    options of the one that was used; a reader and a duplicate detector where the profile is for the method and names the
    ones that were used.

    Args:
        setup: of the records.
        profile: by its name.
        method: whose options in the profile to use; that of the records, or the one that it is a variant of.
        passed_over: options of the method that are not compared.
        searches: whether the method searches.
    """
    wanted = read_profile(profile).values
    there = {**_defaults("methods", method), **wanted.get("methods", {}).get(method, {})}
    for name, value in setup.options.items():
        if name in passed_over or (name not in there and name in _defaults("methods", setup.method)):
            continue  # the latter is an option that only the variant has
        if name not in there:
            yield f"{name} = {_said(value)} (an option that {method} no longer has)"
        elif not _is_same(value, there[name]):
            yield f"{name} = {_said(value)} (there {_said(there[name])})"
    if not searches:
        return
    retriever = str(setup.settings.get("retriever", ""))
    if retriever in wanted.get("retrievers", {}):
        yield from _of_part(setup, wanted, "retrievers", retriever)
    for key, (role, _) in _PARTS.items() if wanted.get("method") == method else ():
        if key in wanted and setup.settings.get(key) == wanted[key]:
            yield from _of_part(setup, wanted, role, wanted[key])


def sets_sampling(profile: str) -> bool:
    """Whether a profile says how replies are drawn."""
    return "sampling" in read_profile(profile).values


def other_sampling(setup: Setup, profile: str) -> Iterator[str]:
    """How replies were drawn otherwise than under a profile, unless an option of the method says how."""
    used, there = (values.get("sampling", {}) for values in (setup.settings, read_profile(profile).values))
    defaults = Sampling()
    for name, default in (("temperature", defaults.temperature), ("top_p", defaults.top_p)):
        one, other = used.get(name, default), there.get(name, default)
        if setup.options.get(name) is None and not _is_same(one, other):
            yield f"sampling.{name} = {_said(one)} (there {_said(other)})"


def other_parts(setup: Setup, profile: str, method: str) -> Iterator[str]:
    """The reader and the duplicate detector, if a profile for the method names others."""
    wanted = read_profile(profile).values
    for key, (_, name) in _PARTS.items() if wanted.get("method") == method else ():
        used = setup.settings.get(key)
        if used is not None and used != wanted.get(key, used):
            yield f"the {name} is {used}, there {wanted[key]}"


def _of_part(setup: Setup, wanted: Mapping[str, Any], role: Role, part: str) -> Iterator[str]:
    given, there = (values.get(role, {}).get(part, {}) for values in (setup.settings, wanted))
    defaults = _defaults(role, part)
    for name in dict.fromkeys([*there, *given]):
        used, other = (values.get(name, defaults.get(name)) for values in (given, there))
        if name not in WITHOUT_EFFECT and not _is_same(used, other):
            yield f"{role}.{part}.{name} = {_said(used)} (there {_said(other)})"


def _defaults(role: Role, name: str) -> dict[str, Any]:
    """The defaults of a part's options; none if its library is not installed."""
    found: dict[str, Any] = {}
    with suppress(MissingExtra):
        for one in dataclasses.fields(load(role, name)):
            if one.init and one.default is not dataclasses.MISSING:
                found[one.name] = one.default
            elif one.init and one.default_factory is not dataclasses.MISSING:
                found[one.name] = one.default_factory()
    return found


def _is_same(one: Any, other: Any) -> bool:
    return bool(one == other) or _said(one) == _said(other)


def _said(value: Any) -> str:
    """A value as written on the pages; JSON and TOML have no tuples or paths, which become lists and text."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

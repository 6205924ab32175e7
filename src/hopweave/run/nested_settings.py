"""Nested settings: merged key by key, and written as `a.b=value`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.core.errors import SettingsError
from hopweave.core.files import read_toml


def merged(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Nested settings with others merged over them, key by key; neither side is changed.

    >>> merged({"method": "cot", "budget": {"max_tokens": 1}}, {"method": "ircot", "budget": {"max_searches": 2}})
    {'method': 'ircot', 'budget': {'max_tokens': 1, 'max_searches': 2}}
    """
    both = dict(lower)
    for key, value in upper.items():
        below = both.get(key)
        both[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return both


def assignments(pairs: Sequence[str]) -> dict[str, Any]:
    """Parses `--set a.b=c` flags, the last one winning: dots nest, and a value is as in `value_of`.

    Raises:
        SettingsError: for a flag without an equals sign, or two of which one sets a value and the other a key of it.
    """
    flags: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise SettingsError(f"--set expects key=value, not {pair!r}; for example: --set methods.searchain.theta=1.5")
        keys, value = key.strip().split("."), value_of(text)
        if not _fits(flags, keys, value):
            raise SettingsError(f"--set {key.strip()} contradicts another --set, which it would undo; leave one of them out")
        flags = merged(flags, nested(keys, value))
    return flags


def _fits(values: Any, keys: Sequence[str], value: Any) -> bool:
    """Whether a value replaces no table, and no key of it replaces a value."""
    for key in keys:
        if not isinstance(values, Mapping):
            return False
        if key not in values:
            return True
        values = values[key]
    return isinstance(values, Mapping) == isinstance(value, Mapping)


def nested(keys: Sequence[str], value: Any) -> dict[str, Any]:
    """A value under its keys, from the outermost in.

    >>> nested(["budget", "max_tokens"], 1)
    {'budget': {'max_tokens': 1}}
    """
    for key in reversed(keys):
        value = {key: value}
    found: dict[str, Any] = value
    return found


def value_of(text: str) -> Any:
    """The TOML value of a text, or the text itself; it becomes a number only if it is that number's canonical spelling.

    >>> value_of("[1, 2]"), value_of("1.5"), value_of("1e-3"), value_of("rules.toml")
    ([1, 2], 1.5, '1e-3', 'rules.toml')
    """
    try:
        table = read_toml(f"value = {text}")
    except ValueError:
        return text
    value = table["value"]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_plain = repr(value) == text.strip() if is_number else isinstance(value, str | bool | list | dict)
    return value if is_plain and len(table) == 1 else text

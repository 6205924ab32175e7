"""List methods, models, other components, settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopweave.apps.cli._terminal import say, say_entries
from hopweave.core.catalog import ROLES, entries, entry, key_of, load
from hopweave.core.errors import SettingsError, suggest
from hopweave.core.part_files import allow

app = typer.Typer(add_completion=False)
_SETTINGS = "settings"


@app.command()
def list_parts(
    role: Annotated[str, typer.Argument(help="A role, such as methods or llms, or settings; default: all roles.")] = "",
    name: Annotated[str, typer.Argument(help="One component, or FILE.py:CLASS, to see its options; or a setting.")] = "",
) -> None:
    """List the available components, discovered from the files themselves; or, with `settings`, all settings."""
    if role == _SETTINGS:
        _show_settings(name)
        return
    if role and role not in ROLES:
        raise _no_role(role)
    if name:
        _show_options(role, name)
        return
    for each in ROLES if not role else (role,):
        found = entries(each)
        if not found:
            continue
        say(f"{each}:")
        say_entries(found.values())


def _no_role(given: str) -> SettingsError:
    """The error for a role that there is not, which may be the name of a component."""
    of = [role for role in ROLES if given in entries(role)]
    if of:
        commands = " or ".join(f"hopweave list {role} {given}" for role in of)
        return SettingsError(f"{given} is one of the {' and of the '.join(of)}: {commands}")
    return SettingsError(f"{given!r} is not a role; {suggest(given, [*ROLES, _SETTINGS])}")


def _show_settings(name: str) -> None:
    """Prints all settings with their defaults and meanings, or one of them or of their tables.

    Raises:
        SettingsError: for a name that is no setting.
    """
    from hopweave.apps.cli._settings_table import all_settings

    known = list(all_settings())
    shown = [one for one in known if not name or one.key == name or one.key.startswith(f"{name}.")]
    if not shown:
        raise SettingsError(f"{name!r} is not a setting; {suggest(name, [one.key for one in known])}")
    say("settings, for hopweave.toml, HOPWEAVE_KEY in the environment (two underscores for a dot), or --set KEY=VALUE:")
    for one in shown:
        say(f"  {one.key} (default {one.default}): {one.meaning}")


def _default_of(field: Any) -> str:
    import dataclasses

    if field.default_factory is not dataclasses.MISSING:
        return f"default {field.default_factory()!r}"
    if isinstance(field.default, Path):
        return f"default {field.default}"
    return "required" if field.default is dataclasses.MISSING else f"default {field.default!r}"


def _show_options(role: Any, name: str) -> None:
    import dataclasses
    import inspect
    from typing import get_type_hints

    from hopweave.core.options import notes_of

    allow(name)
    part = load(role, name)
    chosen = entry(role, name)
    say(f"{name}: {chosen.summary}")
    say()
    typer.echo(inspect.cleandoc(part.__doc__ or ""))
    if not (isinstance(part, type) and dataclasses.is_dataclass(part)):
        return
    hints = get_type_hints(part, include_extras=True)
    options = [field for field in dataclasses.fields(part) if field.init]
    if options:
        say()
        say(f"options, set as {role}.{key_of(role, name)}.OPTION:")
    for field in options:
        default = f"default {chosen.preset[field.name]!r}" if field.name in chosen.preset else _default_of(field)
        say(f"  {field.name} ({default}): {notes_of(hints[field.name])}")

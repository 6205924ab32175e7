"""List methods, models and other components."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopweave.apps.cli._terminal import say, say_entries

app = typer.Typer(add_completion=False)


@app.command()
def list_parts(
    role: Annotated[str, typer.Argument(help="A role, such as methods or llms; default: all.")] = "",
    name: Annotated[str, typer.Argument(help="One component, or FILE.py:CLASS, to see its options with their defaults.")] = "",
) -> None:
    """List the available components, discovered from the files themselves."""
    from hopweave.core.catalog import ROLES, entries
    from hopweave.core.errors import SettingsError, suggest

    if role and role not in ROLES:
        raise SettingsError(f"{role!r} is not a role; {suggest(role, ROLES)}")
    if name:
        _show_options(role, name)
        return
    for each in ROLES if not role else (role,):
        found = entries(each)
        if not found:
            continue
        say(f"{each}:")
        say_entries(found.values())


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

    from hopweave.core.catalog import entry, key_of, load
    from hopweave.core.options import notes_of
    from hopweave.core.part_files import allow

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

"""Writes the reference pages while the site is built: commands from their help, components from their fields.

The pages are not stored, so they cannot be out of date. Pages on adding a component (`add_a_*.md`) enter the navigation
automatically.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import hopweave
from hopweave.core.catalog import ROLES, Role, entries, load
from hopweave.core.errors import MissingExtra
from hopweave.core.options import notes_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_PACKAGE = Path(hopweave.__file__).parent
PROJECT = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
"""Pages in the root of the repository that are also part of the site."""

_TO_ADD = "Add a component"
_TYPES, _PROTOCOLS = "hopweave.core.types", "hopweave.core.protocols"
_KINDS = {
    "llms": "Language models",
    "retrievers": "Retrievers",
    "readers": "Readers",
    "duplicate_detectors": "Duplicate detectors",
    "methods": "Methods",
    "datasets": "Datasets",
    "metrics": "Metrics",
    "analyses": "Analyses",
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills the navigation section on adding components. Called by MkDocs."""
    for section in config.nav or ():
        if isinstance(section, dict) and _TO_ADD in section:
            section[_TO_ADD] = pages_on_adding(Path(config.docs_dir))
    return config


def pages_on_adding(folder: Path) -> list[str]:
    """The pages on adding a component, methods first."""
    return sorted((path.name for path in folder.glob("add_a_*.md")), key=lambda name: (name != "add_a_method.md", name))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages. Called by MkDocs."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for name in PROJECT:
        text = (Path(config.docs_dir).parent / name).read_text(encoding="utf-8")
        files.append(File.generated(config, f"project/{name.lower()}", content=text.replace("](docs/", "](../")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Leads links to pages in the root of the repository to where they are on the site. Called by MkDocs."""
    return led_to_the_site(markdown, page.file.src_uri)


def led_to_the_site(markdown: str, page: str) -> str:
    """A page with its links to pages in the root of the repository as they are on the site.

    Args:
        markdown: of the page.
        page: its path below docs.
    """
    up = "../" * page.count("/")
    for name in PROJECT:
        markdown = markdown.replace(f"]({up}../{name}", f"]({up}project/{name.lower()}")
    return markdown


def pages() -> dict[str, str]:
    """Every page of the reference, by name."""
    made = {"cli": command_line(), "api": public_names()}
    made["types"] = f"# Types\n\n{_documented(_TYPES, whole=True)}"
    made["protocols"] = f"# Protocols\n\n{_documented(_PROTOCOLS, whole=True)}"
    return made | {role: parts(role) for role in ROLES}


def command_line() -> str:
    """The page of all commands with their arguments and options."""
    from hopweave.apps.cli import app

    about = "Every command with its arguments and options, as `hopweave COMMAND --help` prints them."
    return "\n\n".join(["# Command line", about, *_commands(app)]) + "\n"


def public_names() -> str:
    """The page of the public names of `import hopweave`."""
    home = {name: f"hopweave.{place}" for name, place in hopweave._HOME.items()}
    rest = "Data types are described under [types](types.md), roles under [protocols](protocols.md)."
    lines = ["# `import hopweave`", f"The public names of the package. {rest}"]
    lines.append("\n".join(f"- [`{name}`][{home[name]}.{name}]" for name in hopweave.__all__))
    lines += [_documented(f"{home[name]}.{name}") for name in hopweave.__all__ if home[name] not in (_TYPES, _PROTOCOLS)]
    return "\n\n".join(lines) + "\n"


def parts(role: Role) -> str:
    """The page of the components of a role, with the options of each."""
    sections = [
        f"# {_KINDS[role]}",
        f"What `hopweave list {role}` lists, with the documentation of each file. {_how_set(role)}",
    ]
    for entry in entries(role).values():
        sections += [f"## {entry.name}", _sentence(entry.summary)]
        if entry.extra:
            sections.append(f"Needs `hopweave[{entry.extra}]`.")
        try:
            part = load(role, entry.name)
        except MissingExtra:
            sections.append(f"`hopweave list {role} {entry.name}` lists its options where the extra is installed.")
            continue
        if not entry.preset:
            sections += _notes(part)
        sections += _options(part, entry.preset)
    return "\n\n".join(sections) + "\n"


def _how_set(role: Role) -> str:
    if role == "datasets":
        return "An option is set in a plan, under `[datasets.LABEL]`, or with `hopweave corpus NAME --set OPTION=VALUE`."
    if role == "metrics":
        return "An option is set with `hopweave score RUN --set metrics.NAME.OPTION=VALUE`."
    if role == "analyses":
        return "An option is set with `hopweave analyse RUN --set NAME.OPTION=VALUE`."
    return f"An option is set with `--set {role}.NAME.OPTION=VALUE`, or in [the settings](../start/settings.md)."


def _notes(part: Any) -> Iterator[str]:
    """The rest of a component's module docstring after the first line: sources, decisions, costs, example rows."""
    module = import_module(part.__module__)
    for paragraph in inspect.cleandoc(module.__doc__ or "").split("\n\n")[1:]:
        if paragraph.startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```"
        else:
            yield paragraph if paragraph.startswith("    ") else _escaped(paragraph)


def _options(part: Any, preset: Any) -> Iterator[str]:
    if not (isinstance(part, type) and dataclasses.is_dataclass(part)):
        return
    hints = get_type_hints(part, include_extras=True)
    fields = [field for field in dataclasses.fields(part) if field.init]
    about = inspect.cleandoc(part.__doc__ or "").partition("\n\nAttributes:")[0]
    yield about
    if fields:
        rows = ["| option | default | what it does |", "|---|---|---|"]
        rows += [
            f"| `{field.name}` | {_default(field, preset)} | {_cell(_escaped(notes_of(hints[field.name])))} |"
            for field in fields
        ]
        yield "\n".join(rows)


def _default(field: dataclasses.Field[Any], preset: Any) -> str:
    if field.name in preset:
        return _code(repr(preset[field.name]))
    if field.default_factory is not dataclasses.MISSING:
        return _code(repr(field.default_factory()))
    if field.default is dataclasses.MISSING:
        return "required"
    if isinstance(field.default, Path):
        return _code(str(field.default.relative_to(_PACKAGE) if field.default.is_relative_to(_PACKAGE) else field.default))
    return _code(repr(field.default))


def _commands(app: Any) -> Iterator[str]:
    import typer

    group = typer.main.get_command(app)
    root = typer.Context(group, info_name="hopweave", **group.context_settings)
    yield _options_of(group, root)
    for name in group.list_commands(root):  # type: ignore[attr-defined]
        command = typer.main.get_command(import_module(f"hopweave.apps.cli.{name}").app)
        yield from _command(command, typer.Context(command, info_name=name, parent=root))


def _command(command: Any, context: Any) -> Iterator[str]:
    import typer

    inner = getattr(command, "commands", {})
    yield f"{'#' * (1 + context.command_path.count(' '))} {context.command_path}"
    yield _about(command)
    yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield _options_of(command, context)
    for name, each in inner.items():
        yield from _command(each, typer.Context(each, info_name=name, parent=context))


def _about(command: Any) -> str:
    return _escaped(inspect.cleandoc(command.help or "").partition("\f")[0])


def _options_of(command: Any, context: Any) -> str:
    records = [param.get_help_record(context) for param in command.get_params(context)]
    rows = [f"| {_code(name)} | {_cell(_escaped(text))} |" for name, text in filter(None, records)]
    return "\n".join(["| option | what it does |", "|---|---|", *rows]) if rows else ""


def _documented(path: str, *, whole: bool = False) -> str:
    options = "    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n" if whole else ""
    return f"::: {path}\n{options}"


def _sentence(text: str) -> str:
    return _escaped(text) + ("" if text.endswith(".") else ".")


def _code(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").replace("*", "&#42;").replace("_", "&#95;")
    return f"<code>{escaped}</code>"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _escaped(text: str) -> str:
    """The text with everything escaped except code between backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else _plain(piece) for piece in pieces)


def _plain(text: str) -> str:
    return re.sub(r"([\\*_\[\]])", r"\\\1", text).replace("<", "&lt;")

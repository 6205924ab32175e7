"""Check what works here, and what to install."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._options import Assignments, Config, settings_of
from hopweave.apps.cli._terminal import say
from hopweave.core.catalog import ROLES, Role, asks_the_model, check_extra, entries, entry, key_of, load, missing_from
from hopweave.core.errors import DataError, HopweaveError, MissingExtra, SettingsError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)

_EXTRAS = {  # what no component of the catalog needs
    "documents": "PDF, old Office and Outlook files",
    "pandoc": "AsciiDoc, Org, LaTeX and other markup",
    "ocr": "text in pictures and scans",
    "server": "hopweave serve",
    "mcp": "hopweave mcp",
    "watch": "hopweave watch",
}


@app.command()
def doctor(
    llm: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Ask this language model a small question, and say what it can do.", show_default=False
        ),
    ] = "",
    set_: Assignments = None,
    config: Config = None,
) -> None:
    """Check components, embedded model, folders and settings; the exit status is 1 if the current settings cannot work.

    With --llm, ask that language model a small question and make a few more tiny calls: does it think, keep to a JSON schema,
    call tools, report log-probabilities, continue a reply? The exit status is 1 if it does not answer.
    """
    if llm:
        _examine(settings_of(set_, config, llm=llm))
        return
    is_well = True
    for is_fine, is_needed, line in _findings(set_, config):
        sign = "ok     " if is_fine else "missing" if is_needed else "-      "
        say(f"{sign}  {line}")
        is_well = is_well and (is_fine or not is_needed)
    if not is_well:
        raise typer.Exit(1)


def _examine(settings: Settings) -> None:
    """Prints what the language model of the settings can do, and the settings that suit it.

    Raises:
        typer.Exit: if it does not answer.
    """
    import asyncio

    from hopweave.apps.cli._settings_summary import model_in_words
    from hopweave.run.trust import guarded

    say(model_in_words(settings))
    found = asyncio.run(_examined(settings))
    if found is None:
        raise typer.Exit(1)
    key, options = key_of("llms", settings.llm), _shown_options(settings) | found
    say()
    say("settings that suit it, for hopweave.toml:")
    say()
    for line in _toml_lines(settings.llm, key, options):
        say(line)
    if guarded({"llms": {key: options}}):
        say()
        say("# in a folder where you work, a file with such settings is refused until you run: hopweave trust FOLDER")


async def _examined(settings: Settings) -> dict[str, Any] | None:
    """The settings that follow from what was found, which is printed; `None` if the model does not answer."""
    from hopweave.apps.cli._model_check import ModelCheck

    key = key_of("llms", settings.llm)
    try:
        llm = settings.part("llms", settings.llm)
    except HopweaveError as error:
        say(f"missing  does not answer: {error}")
        return None
    check = ModelCheck(
        llm, f"llms.{key}", lambda **more: settings.with_changes({"llms": {key: more}}).part("llms", settings.llm)
    )
    try:
        reply, first = await check.first()
        say(f"{'ok     ' if first.is_able else 'missing'}  {first.line}")
        if not first.is_able:
            return None
        found = await check.rest(reply)
    except HopweaveError as error:
        say(f"missing  does not answer: {error}")
        return None
    finally:
        await llm.close()
    for one in found:
        say(f"{'ok     ' if one.is_able else '-      '}  {one.line}")
    return {name: value for one in found for name, value in one.settings.items()}


def _shown_options(settings: Settings) -> dict[str, Any]:
    """The options that were given, without secrets."""
    from hopweave.core.redaction import public

    given = settings.llms.get(key_of("llms", settings.llm), {})
    return {name: public(value, name) for name, value in given.items()}


def _toml_lines(llm: str, key: str, options: Mapping[str, Any]) -> Iterator[str]:
    import json
    from pathlib import Path

    yield f"llm = {json.dumps(llm)}"
    yield ""
    yield f"[llms.{key}]"
    for name, value in options.items():
        if isinstance(value, str | Path | bool | int | float):
            yield f"{name} = {json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)}"
        else:
            yield f"# and {name}, as you have it now"


def _findings(pairs: list[str] | None, config: Path | None) -> Iterator[tuple[bool, bool, str]]:
    """Yields whether a thing works, whether the settings need it, and a line about it."""
    import platform
    import sys

    yield sys.version_info >= (3, 11), True, f"Python {platform.python_version()} (3.11 or newer)"
    try:
        settings = settings_of(pairs, config)
    except HopweaveError as error:
        yield False, True, f"settings: {error}"
        return
    yield True, True, f"settings: profile {settings.profile}, method {settings.method}, llm {settings.llm}"
    yield from _parts(settings)
    yield from _built(settings)
    yield from _model(settings.llms.get("llama_cpp", {}).get("model"), is_needed=settings.llm == "llama_cpp")
    yield from _word_vectors()
    yield from _corpus(settings)
    yield from _store(settings)


def _parts(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.run.opening import engine_of

    chosen = _chosen(settings)
    needed = set(chosen.items())
    for role, name in chosen.items():
        try:
            if entry(role, name).is_foreign:
                load(role, name)
            if role == "retrievers":
                if asks_the_model(
                    name
                ):  # named before it is looked at, so that one that cannot be imported is needed all the same
                    needed.add((role, settings.part("retrievers", name).engine))
                needed.add((role, engine_of(settings)))
        except SettingsError as error:
            yield False, True, str(error)
        except Exception:  # noqa: BLE001, S110 - import failures are reported below
            pass
    for role in ROLES:
        yield from _role(role, needed)
    for extra, what in _EXTRAS.items():
        missing = missing_from(extra)
        yield not missing, False, f"{what}: {MissingExtra(', '.join(missing), extra)}" if missing else what


def _chosen(settings: Settings) -> dict[Role, str]:
    return {
        "methods": settings.method,
        "llms": settings.llm,
        "retrievers": settings.retriever,
        "readers": settings.reader,
        "duplicate_detectors": settings.duplicate_detector,
    }


def _built(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    """Creates the chosen components, but for the retriever, and yields what is wrong with their options; nothing is asked."""
    from hopweave.apps.cli._settings_summary import model_in_words

    for role, name in _chosen(settings).items():
        if role == "retrievers" or _why_not(role, name):  # see _retriever, and what is told of each role
            continue
        if problem := _why_not_built(settings, role, name):
            yield False, True, f"{role} {name}: {problem}"
        elif role == "llms":
            yield True, True, f"llm {model_in_words(settings)}: not asked; see: hopweave doctor --llm {name}"


def _why_not_built(settings: Settings, role: Role, name: str) -> str:
    """Why a component cannot be created with its options, or a model has no address or key; empty if nothing is wrong."""
    import asyncio

    try:
        part = settings.part(role, name)
        if role == "llms":
            asyncio.run(_set_up(part, name))
    except HopweaveError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - as in _why_not
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return ""


async def _set_up(llm: Any, name: str) -> None:
    """Sets up the client of an endpoint, which sends nothing. Any other model is left closed: opening it takes long."""
    from hopweave.core.protocols import Opens, is_part

    try:
        is_light = not entry("llms", name).is_foreign and not llm.abilities.loads_weights
        if is_light and is_part(llm, Opens):
            await llm.open()
    finally:
        await llm.close()


def _role(role: Role, needed: Container[tuple[str, str]]) -> Iterator[tuple[bool, bool, str]]:
    """How many components of a role work, and a line for those that do not, together if the reason is the same."""
    names = entries(role)
    failed: dict[tuple[bool, str], list[str]] = {}
    for name in names:
        if why := _why_not(role, name):
            failed.setdefault(((role, name) in needed, why), []).append(name)
    num_working = len(names) - sum(map(len, failed.values()))
    yield True, False, f"{role}: {num_working} of {len(names)} work"
    for (is_needed, why), those in failed.items():
        yield False, is_needed, f"{role} {', '.join(those)}: {why}"


def _why_not(role: Role, name: str) -> str:
    """Why a component does not work; empty if it does."""
    try:
        load(role, name)
        check_extra(role, name)
    except HopweaveError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a broken library may raise anything, and reporting it is the purpose here
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return ""


def _model(name: str | None, *, is_needed: bool) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.models.weights import DEFAULT_MODEL, is_present, model_path

    name = name or DEFAULT_MODEL
    try:
        is_here, path = is_present(name), model_path(name)
    except HopweaveError as error:
        yield False, is_needed, f"embedded model {name}: {error}"
        return
    fetch = "hopweave models fetch" if name == DEFAULT_MODEL else f"hopweave models fetch {name}"
    yield is_here, is_needed, f"embedded model {name}: {path if is_here else f'fetch it with: {fetch}'}"


def _word_vectors() -> Iterator[tuple[bool, bool, str]]:
    from hopweave.models.weights import WORD_VECTORS, model_path
    from hopweave.text.word_vectors import word_vectors

    is_here = bool(word_vectors())
    where = model_path(WORD_VECTORS) if is_here else f"fetch them with: hopweave models fetch {WORD_VECTORS}"
    yield is_here, False, f"word vectors: {where}"


def _corpus(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.run.opening import STARTER, index_folder
    from hopweave.run.settings import server_of

    try:
        if server := server_of(settings.corpus):  # its address may hold a password
            yield True, True, f"corpus: on a server of {server}, which was not asked"
            return
        place = "comes with the package" if settings.corpus == STARTER else str(index_folder(settings))
    except HopweaveError as error:
        yield False, True, f"corpus: {error}"
    else:
        yield True, True, f"corpus {settings.corpus}" + (f": {place}" if place != settings.corpus else "")
        yield from _retriever(settings)


def _retriever(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    """What keeps the chosen retriever from searching the corpus; nothing is built and no model is loaded to find out."""
    import os
    from contextlib import suppress
    from pathlib import Path

    from hopweave.run.opening import STARTER, engine_of, open_retriever

    try:
        engine = engine_of(settings)
    except Exception:  # noqa: BLE001 - told with the components
        return
    if _why_not("retrievers", settings.retriever) or _why_not("retrievers", engine):
        return
    try:
        if settings.corpus == STARTER:  # its index is built when it is first searched, so only the options can be looked at
            with suppress(DataError):
                settings.part("retrievers", engine, index=Path(os.devnull) / "index").close()
        else:
            open_retriever(settings)[1].close()
    except HopweaveError as error:
        yield False, True, f"retrievers {engine}: {error}"


def _store(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    from pathlib import Path

    from hopweave.run.store.stores import open_store

    path = settings.store.path
    if isinstance(path, Path):
        yield from _folders(path.parent)
        return
    try:
        store = open_store(path, settings.store.mode)
        yield True, True, f"store: {len(store):,} replies at {store.path}"
        store.close()
    except HopweaveError as error:
        yield False, True, f"store: {error}"


def _folders(store: object) -> Iterator[tuple[bool, bool, str]]:
    import os
    import shutil
    from pathlib import Path

    folder = Path(str(store))
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    is_usable = existing.is_dir() and os.access(existing, os.W_OK)
    yield (
        is_usable,
        True,
        f"cache folder {folder}: {free / 1e9:.1f} GB free"
        if is_usable
        else f"cache folder {folder}: no folder can be made there",
    )

"""Opens the components that settings name, or takes those passed in as objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypedDict, Unpack

from platformdirs import user_cache_path
from pydantic_core import PydanticSerializationError, to_json

from hopweave.core.building import build
from hopweave.core.catalog import Role, asks_the_model, check_extra, entries, key_of, lacking, load, name_of
from hopweave.core.cores import num_usable_cores
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import read_json, read_whole, sha256_of
from hopweave.core.indexing import DescribesIndex, IndexedRetriever, IndexSummary, traits_of
from hopweave.core.part_files import part_file
from hopweave.core.protocols import DuplicateDetector, LanguageModel, Method, ModelReader, ModelRetriever, Reader, Retriever
from hopweave.core.redaction import public, secrets_of
from hopweave.core.types import Passage
from hopweave.core.visibility import OPTION, PUBLIC, cannot_filter
from hopweave.ingest.lookup import PassageLookup
from hopweave.retrieval.index.index_folder import MANIFEST, is_index
from hopweave.retrieval.workers.search_workers import SearchWorkers
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.nested_settings import merged
from hopweave.run.settings import Settings, check_tables, read_settings, server_of
from hopweave.run.store.stores import open_store
from hopweave.run.trust import SELECTED

AnyRetriever = Retriever | ModelRetriever
AnyReader = Reader | ModelReader

STARTER = "starter"
_OF_FOLDERS = "bm25"
"""The engine for index folders that profiles name; for a corpus on a server, the server's own engine replaces it."""
_UNDERNEATH = (_OF_FOLDERS, "weave")
"""Those that they name for a retriever that asks the model; likewise."""
_BUILDS = "bm25"
"""The engine that builds an index folder unless another is chosen."""
INDEX_LAYOUT = 4
"""Part of the name of the starter's index: increased when the content of an index changes, so that an old one is not used."""


class Choices(TypedDict, total=False):
    """What `Weaver`, `aask` and `ask` take as arguments, by name or as objects. `None` is the same as nothing.

    An object is used as it is: options that settings hold under its name do not affect it, and it stays open when a `Weaver`
    closes, since its owner must close it.

    Attributes:
        method: how to answer: a name, the path of a file (`./mine.py:Picky`), or an object; likewise for those that follow.
        llm: the language model.
        retriever: finds passages. One that does not ask the model brings its own passages, so there is no corpus.
        reader: extracts answers from passages.
        duplicate_detector: decides whether a query was asked before.
        corpus: an index folder, the address of a server, or `starter`.
        budget: the limits of each question.
    """

    method: Method | str | None
    llm: LanguageModel | str | None
    retriever: AnyRetriever | str | None
    reader: AnyReader | str | None
    duplicate_detector: DuplicateDetector | str | None
    corpus: str | Path | None
    budget: Budget | Mapping[str, Any] | None


class AskingChoices(Choices, total=False):
    """What `aask` and `ask` take: the choices, and the other keys of `Settings`, where each is described."""

    profile: str
    access: Sequence[str]
    where: Mapping[str, Any]
    require_support: bool
    check: Literal["free", "more"]
    calibration: str
    min_confidence: float
    whole_corpus: Literal["listing", "method"]
    search_workers: int | Literal["auto"]
    sampling: Mapping[str, Any]
    retries: Mapping[str, Any]
    store: Mapping[str, Any]
    methods: Mapping[str, Mapping[str, Any]]
    llms: Mapping[str, Mapping[str, Any]]
    retrievers: Mapping[str, Mapping[str, Any]]
    readers: Mapping[str, Mapping[str, Any]]
    duplicate_detectors: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a caller chose in addition to the settings, taken apart.

    Attributes:
        flags: components given by name, and values, as settings keys.
        objects: components given as objects, by the settings key that they replace.
        budget: limits that replace all those in the settings.
    """

    flags: Mapping[str, Any]
    objects: Mapping[str, Any]
    budget: Budget | None = None

    @classmethod
    def of(cls, **choices: Unpack[Choices]) -> Chosen:
        """Separates names from objects.

        Args:
            choices: see `Choices`. A budget that is given as a mapping overrides the settings' limits one by one.

        Raises:
            SettingsError: for an object that does not play its role, a corpus given with a retriever that brings its own, or
                a budget that is no mapping.
            TypeError: for any other key.
        """
        if unknown := sorted(choices.keys() - Choices.__annotations__.keys()):
            raise TypeError(f"unexpected argument {unknown[0]!r}; a key of the settings goes into the mapping `settings`")
        given: dict[str, Any] = {key: value for key, value in choices.items() if value is not None}
        corpus, budget = given.pop("corpus", None), given.pop("budget", None)
        objects = {key: part for key, part in given.items() if not isinstance(part, str)}
        for key, part in objects.items():
            check_object(SELECTED[key], part)
        if corpus is not None and "retriever" in objects and not isinstance(objects["retriever"], ModelRetriever):
            raise SettingsError(
                f"a retriever brings its own passages, so the corpus {corpus} would not be searched; leave it out"
            )
        named = {key: part for key, part in given.items() if isinstance(part, str)}
        if corpus is not None:
            named["corpus"] = str(corpus)
        if isinstance(budget, Budget):
            return cls(named, objects, budget)
        if budget is not None and not isinstance(budget, Mapping):
            raise SettingsError(f"budget must be a mapping or a Budget, not {budget!r}")
        return cls(named | ({"budget": dict(budget)} if budget is not None else {}), objects)

    def over(self, settings: Settings | Mapping[str, Any] | None) -> Settings:
        """The settings with the given values applied, and with the names of the given objects.

        Args:
            settings: complete, or keys and values that override files and the environment.

        Raises:
            SettingsError: for an invalid key or value, or filters that would not apply to a retriever given as an object.
        """
        if settings is not None and not isinstance(settings, Settings | Mapping):
            raise SettingsError(f"settings must be a mapping, not {settings!r}; for a corpus: Weaver(corpus=...)")
        if isinstance(settings, Settings):
            own = settings.with_changes(self.flags) if self.flags else settings
        else:
            check_tables(settings or {})
            own = read_settings(merged(settings or {}, self.flags))
        ready: dict[str, Any] = {key: name_of(SELECTED[key], part) for key, part in self.objects.items()}
        if "retriever" in ready and not isinstance(self.objects["retriever"], ModelRetriever):
            ready["corpus"] = ""
            if own.visible != PUBLIC:
                raise SettingsError(
                    f"a retriever brings its own passages, which access and where do not filter; leave them out, and create "
                    f"the {ready['retriever']} with {OPTION}=Visible(...)"
                )
        if self.budget is not None:
            ready["budget"] = self.budget.limits()
        return own.model_copy(update=ready) if ready else own


def check_object(role: Role, part: object) -> None:
    """Checks that an object can play its role.

    Raises:
        SettingsError: if it is a class, or lacks something, with what it lacks, or has an identity that is no text.
    """
    if isinstance(part, type):
        raise SettingsError(f"{part.__name__} is a class; give an object of it: {part.__name__}(...)")
    if problem := lacking(role, part):
        raise SettingsError(f"{type(part).__name__} {problem}")
    check_identity(part)


def check_identity(part: object) -> None:
    """Checks that what names a component in records is a text, if it has one.

    Raises:
        SettingsError: if it is something else.
    """
    identity = getattr(part, "identity", "")
    if not isinstance(identity, str):
        raise SettingsError(f"the identity of {type(part).__name__} must be a text that names it, not {identity!r}")


def options_of(part: object) -> dict[str, Any]:
    """The options of a component as stored in a record: its fields, if it is a dataclass.

    Secrets are left out; a value that JSON cannot represent is replaced by the name of its class.
    """
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return {}
    try:
        values = dataclasses.asdict(part)
    except TypeError:  # it contains something that cannot be copied, such as a lock
        values = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return {key: _kept(key, value) for key, value in values.items()}


def _kept(key: str, value: Any) -> Any:
    try:
        to_json(value)
    except (PydanticSerializationError, ValueError):
        return f"({type(value).__name__})"
    return public(value, key) if secrets_of(value, key) else value


def open_components(settings: Settings, ready: Mapping[str, Any] | None = None, *, with_corpus: bool = True) -> Components:
    """Opens the model, the engines and the store that settings name.

    Args:
        settings: the choice of components, with their options.
        ready: objects to use instead, by settings key; closing the components leaves them open.
        with_corpus: whether to open the retriever; for `Components.over` it is not needed.

    Raises:
        SettingsError: for an unknown component or option, or an invalid value; for a retriever that searches no such corpus.
        DataError: if the index or the store cannot be opened.
        MissingExtra: if a library that one of them needs is not installed.
    """
    ready = ready or {}

    def part(key: str) -> Any:
        return ready[key] if key in ready else settings.part(SELECTED[key], getattr(settings, key))

    for key in ("reader", "duplicate_detector"):  # both are first used after calls of the model, which may have been paid for
        if key not in ready:
            check_extra(SELECTED[key], getattr(settings, key))
    retriever, engine = None, None
    if "retriever" in ready:
        retriever, engine = _opened_retriever(settings, ready["retriever"])
    elif with_corpus:
        retriever, engine = open_retriever(settings)
    return Components(
        part("llm"),
        retriever=retriever,
        engine=engine,
        reader=part("reader"),
        duplicate_detector=part("duplicate_detector"),
        borrowed=tuple(ready.values()),
        store=open_store(settings.store.path, settings.store.mode),
        sampling=settings.make_sampling(),
        retries=settings.make_retries(),
        workers=search_workers(settings),
    )


def search_workers(settings: Settings) -> SearchWorkers | None:
    """The processes that may search for this one, none of which is started yet; `None` if there is to be none."""
    named, num_cores = settings.search_workers, num_usable_cores()
    num = named if isinstance(named, int) else num_cores * (num_cores > 1)
    return SearchWorkers(num) if num else None


def open_model(settings: Settings, reader: AnyReader | None = None) -> Components:
    """Opens the model and the store that settings name, for work that needs no corpus.

    Args:
        settings: the choice of model and store, with their options.
        reader: an opened reader, if one is needed.

    Raises:
        SettingsError: for an unknown model or option, or an invalid value.
        DataError: if the store cannot be opened.
        MissingExtra: if a library that the model or the store needs is not installed.
    """
    return Components(
        settings.part("llms", settings.llm),
        reader=reader,
        store=open_store(settings.store.path, settings.store.mode),
        sampling=settings.make_sampling(),
        retries=settings.make_retries(),
    )


def open_retriever(settings: Settings) -> tuple[Any, Any]:
    """Opens the retriever over the settings' corpus, and the engine that it searches with (often the retriever itself).

    Raises:
        SettingsError: as in `engine_of`; also for filters that the engine does not know, or an invalid option.
        DataError: as in `index_folder`, or for an index that cannot be read.
        MissingExtra: if a library that one of them needs is not installed.
    """
    engine = _open_engine(settings, engine_of(settings))
    return (settings.part("retrievers", settings.retriever) if asks_the_model(settings.retriever) else engine), engine


def _opened_retriever(settings: Settings, retriever: AnyRetriever) -> tuple[Any, Any]:
    """A retriever passed in as an object, with its engine."""
    if not isinstance(retriever, ModelRetriever):
        return retriever, retriever
    return retriever, _open_engine(settings, _plain_engine(retriever.engine, type(retriever).__name__))


def engine_of(settings: Settings) -> str:
    """The name of the retriever that searches the index: the chosen one or, if that one asks the model, its engine.

    Raises:
        SettingsError: if the engine asks the model, too.
    """
    if not asks_the_model(settings.retriever):
        return _engine_there(settings, settings.retriever, (_OF_FOLDERS,))
    key = key_of("retrievers", settings.retriever)
    chosen = _plain_engine(settings.part("retrievers", settings.retriever).engine, f"retrievers.{key}")
    return _engine_there(settings, chosen, _UNDERNEATH)


def open_server(address: str, profile: str = "") -> Any:
    """The engine at an address, with the options of the user's settings, laid over those of a profile if one is named.

    Raises:
        SettingsError: as in `read_settings`, or for an address or an option that is invalid.
        MissingExtra: if a library that the engine needs is not installed.
    """
    return _own_settings(profile).part("retrievers", server_of(address), address=address)


def _own_settings(profile: str) -> Settings:
    return read_settings({"profile": profile} if profile else None)


def _engine_there(settings: Settings, chosen: str, replaced: Sequence[str]) -> str:
    """The engine of a corpus on a server, which replaces some of those for index folders; else the chosen one."""
    server = server_of(settings.corpus)
    if server and chosen not in (*replaced, server):
        raise SettingsError(
            f"{chosen} searches an index folder, and the corpus is on a server of {server}; "
            f"leave out --retriever to search it with {server}, or name a folder with --corpus"
        )
    return server or chosen


def _plain_engine(engine: str, of: str) -> str:
    if asks_the_model(engine):
        raise SettingsError(f"{of}.engine = {engine!r} asks the language model itself; name one that does not, such as 'bm25'")
    return engine


def _open_engine(settings: Settings, name: str) -> Any:
    part = load("retrievers", name)
    options = {option.name for option in dataclasses.fields(part)} if dataclasses.is_dataclass(part) else set()
    if OPTION not in options and settings.visible != PUBLIC:
        raise cannot_filter(name)
    if server_of(settings.corpus):
        return settings.part("retrievers", name, address=settings.corpus, visible=settings.visible)
    is_given = "index" in settings.retrievers.get(key_of("retrievers", name), {})
    more = {"index": index_folder(settings, name)} if "index" in options and not is_given else {}
    # A retriever that combines other engines opens them itself, with their options.
    return settings.part("retrievers", name, engine_options=settings.retrievers, visible=settings.visible, **more)


def open_passages(settings: Settings) -> PassageLookup:
    """Opens the settings' corpus to look passages up by id, as far as `access` and `where` show them.

    Raises:
        DataError: if there is no such corpus, or it cannot be read.
        SettingsError: for a corpus that is not one of hopweave's.
        MissingExtra: if a library that the engine needs is not installed.
    """
    name = looks_up(settings)
    opened: PassageLookup = _open_engine(settings.model_copy(update={"retriever": name}), name)
    return opened


def looks_up(settings: Settings) -> str:
    """The engine that has the passages of the settings' corpus by id: the one that built it, whichever retriever is chosen."""
    return server_of(settings.corpus) or (_BUILDS if settings.corpus == STARTER else _engine_in(Path(settings.corpus)))


def _engine_in(folder: Path) -> str:
    """The engine that an index folder names; if it names none, the default one, which then reports what is wrong with it."""
    try:
        name = read_json(read_whole(folder / MANIFEST))["engine"]
    except (OSError, ValueError, LookupError, TypeError):
        return _BUILDS
    return name if name in entries("retrievers") else _BUILDS


@dataclass(frozen=True, slots=True)
class FolderWriter:
    """Builds, updates and checks the index in a folder, with the options of the current settings.

    Attributes:
        folder: the index.
        engine: the class whose index it is.
        options: further arguments for `build` and `update`: the options of the index, and the cluster that encodes.
    """

    folder: Path
    engine: IndexedRetriever
    options: Mapping[str, Any]

    @property
    def has_language(self) -> bool:
        """See `IndexWriter.has_language`."""
        return isinstance(self.engine, DescribesIndex) and self.engine.INDEX.has_language

    def build(self, passages: Iterable[Passage], **more: Any) -> IndexSummary:
        """See `IndexedRetriever.build`."""
        return self.engine.build(self.folder, passages, **self.options, **more)

    def update(self, **more: Any) -> IndexSummary:
        """See `IndexedRetriever.update`."""
        return self.engine.update(self.folder, **self.options, **more)

    def check(self) -> IndexSummary:
        """See `IndexedRetriever.check`."""
        return self.engine.check(self.folder)


def index_writer(folder: Path, engine: str, cluster: Any = None, profile: str = "") -> FolderWriter:
    """Creates the writer of an index folder, with the options of the current settings.

    Args:
        folder: the index.
        engine: the name of the engine whose index it is.
        cluster: a client of a Dask cluster, whose workers do the engine's encoding.
        profile: the profile whose settings apply, if one is named.

    Raises:
        SettingsError: for an engine that does not build an index, invalid options, or a profile if the index depends on no
            settings.
        MissingExtra: if a library that the engine needs is not installed.
    """
    part: Any = load("retrievers", engine)
    traits = traits_of(engine)
    if not isinstance(part, IndexedRetriever):
        raise SettingsError(f"{engine} does not build an index; build one with --engine {traits.of or _BUILDS}")
    if traits.options is None:
        if profile:
            raise SettingsError(f"an index of {engine} depends on no profile; leave out --profile, or name an --engine")
        return FolderWriter(folder, part, {})
    given = _own_settings(profile).retrievers.get(key_of("retrievers", engine), {})
    known = {option.name for option in dataclasses.fields(traits.options)}
    options = build(traits.options, {name: value for name, value in given.items() if name in known}, f"retrievers.{engine}")
    return FolderWriter(folder, part, {"options": options} | ({"cluster": cluster} if cluster is not None else {}))


def index_folder(settings: Settings, engine: str = "") -> Path:
    """The index of the settings' corpus; that of the starter corpus is built in the user's cache when first needed.

    Args:
        settings: the settings, which name the corpus.
        engine: the engine that searches it; defaults to that of the settings.

    Raises:
        DataError: if the corpus is not an index, with the command that builds one.
        SettingsError: for the starter corpus and an engine in the user's own file, whose code may change at any time.
        MissingExtra: for the starter corpus, if a library that its engine needs is not installed.
    """
    if settings.corpus == STARTER:
        name = engine or engine_of(settings)
        return _starter_index(traits_of(name).of or name)
    folder = Path(settings.corpus)
    if not folder.exists():
        raise DataError(f"there is no index at {folder}; make one with: hopweave index PATH... --to {folder}")
    if not is_index(folder):
        raise DataError(f"{folder} is not an index; make one with: hopweave index {folder} --to {folder.name}-index")
    return folder


def _starter_index(retriever: str) -> Path:
    if part_file(retriever) is not None:
        raise SettingsError(f"there is no index of the starter corpus for {retriever}; name an index with --corpus")
    passages = Path(__file__).parents[1] / "starter" / "passages.jsonl"
    digest = sha256_of(passages)[:12]
    folder = user_cache_path("hopweave") / "indexes" / f"starter-{version('hopweave')}-{digest}-{retriever}-{INDEX_LAYOUT}"
    if is_index(folder):
        return folder

    from hopweave.ingest.read import read_corpus

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as scratch:
            made = Path(scratch) / "index"
            index_writer(made, retriever).build(read_corpus([passages]))
            with suppress(OSError):  # another process that built it at the same time was first
                made.rename(folder)
    except OSError as error:
        raise DataError(f"cannot make the starter index in {folder.parent}: {error.strerror}; name a --corpus") from None
    return folder

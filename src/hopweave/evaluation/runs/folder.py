"""A run on disk: the plan, the examples with their gold, and the records, appended one line each.

    RUN/plan.json                      datasets, methods and settings of the run
    RUN/examples/DATASET.jsonl         the questions that were drawn, with gold and traits, in order
    RUN/records/DATASET/METHOD.jsonl   one record per line, in the order of completion; its proof is METHOD.proof
    RUN/store.sqlite                   every reply of the model, unless the settings name another store
    RUN/manifest.json                  hashes of everything that the run depends on, and of its results
    RUN/.lock                          held by the process that works on the run; contains its id

Records are only ever appended. A failed question may be asked again on demand; only its last record counts then, and `records`
returns no other. A last line truncated by a kill is cut off when the run is opened again; a plan that differs from the one on
disk is refused, and the error names the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import SerializerFunctionWrapHandler, TypeAdapter, ValidationError, WrapSerializer

from hopweave.core.catalog import load
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import file_name, read_json, read_whole, refuse_links_out, write_whole
from hopweave.core.json_text import one_line_of_json
from hopweave.core.part_files import part_file
from hopweave.core.types import Example
from hopweave.evaluation.integrity import checksums, manifest
from hopweave.evaluation.runs.shard import Shard
from hopweave.evaluation.runs.writing import write_file
from hopweave.record import Record
from hopweave.run.settings import Settings
from hopweave.run.trust import PLAN, SELECTED, Found, trust_own

SCHEMA = "hopweave.run/1"

SEEDS_APART = 100_000
MAX_SEED = 20_000
"""Keeps every seed that is sent within 31 bits, the most that some endpoints accept."""

_ID_BEGINS = '"question":{"id":'
_BLOCK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """A dataset of a run.

    Attributes:
        name: of the file in `hopweave/evaluation/datasets`, or the path of your own file with its class.
        options: of the dataset, its `path` among them.
        corpus: the index that is searched for its questions; empty uses the one in the settings.
        limit: how many questions are drawn; `None` draws all.
        seed: of the draw; `None` takes the first ones in the dataset's own order.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    corpus: str = ""
    limit: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """A method of a run.

    Attributes:
        name: of the file in `hopweave/answering/methods`, or the path of your own file with its class.
        options: of the method.
        seed: of the plan, under which replies are sampled; `None` uses the one in the settings.
        repeats: for one of several seeds of a method, the label of that method; empty otherwise.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    repeats: str = ""

    @property
    def sampling_seed(self) -> int | None:
        """The seed that is sent with the first sample of a call.

        The n-th sample of a call is drawn under this seed plus n. The seeds of a plan are spaced so far apart that
        they share no sample; otherwise seeds 0 and 1 would share all but one, and their spread would look small.
        """
        return None if self.seed is None else self.seed * SEEDS_APART


@dataclass(frozen=True, slots=True)
class Plan:
    """The datasets to answer, the methods to answer them with, and the settings.

    Attributes:
        datasets: by their label in tables.
        methods: likewise.
        settings: keys and values that override the user's own settings; without secrets.
        files: the SHA-256 of each of the user's files that holds a part, by path. So a changed file is refused before it is
            imported, and trusting the plan means trusting these files as they were.
        shard: `NUMBER/COUNT` of a run that answers a part of the questions; empty for all of them.
    """

    datasets: Mapping[str, DatasetPlan]
    methods: Mapping[str, MethodPlan]
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    shard: str = ""

    @property
    def parts(self) -> dict[str, dict[str, Any]]:
        """The options of its datasets and methods, by role and name."""
        parts: dict[str, dict[str, Any]] = {"datasets": {}, "methods": {}}
        for role, plans in (("datasets", self.datasets), ("methods", self.methods)):
            for one in plans.values():
                parts[role][one.name] = {**parts[role].get(one.name, {}), **one.options}
        return parts

    @property
    def cells_by_method(self) -> dict[str, tuple[str, ...]]:
        """The compared methods, each with the labels of its cells: several where it runs under several seeds."""
        found: dict[str, tuple[str, ...]] = {}
        for label, method in self.methods.items():
            name = method.repeats or label
            found[name] = (*found.get(name, ()), label)
        return found

    def to_json(self) -> str:
        """The plan as readable JSON."""
        plain = {"schema": SCHEMA, **asdict(self)}
        if not self.shard:
            del plain["shard"]
        return json.dumps(plain, indent=2, ensure_ascii=False, default=str) + "\n"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk; `create` makes one, `open` opens an existing one.

    Attributes:
        path: of the folder.
        plan: what is to be done.
        content: `plan.json` as it was read, by which `hopweave.run.trust` identifies it.
    """

    path: Path
    plan: Plan
    content: bytes = field(default=b"", repr=False, compare=False)

    @classmethod
    def create(cls, path: Path, plan: Plan, *, is_trusted: bool = True) -> RunFolder:
        """Makes the folder, or opens the existing one if it was made from the same plan.

        Args:
            path: of the folder.
            plan: what is to be done.
            is_trusted: whether the plan is the user's own or one that the user trusts.

        Raises:
            SettingsError: if it was made from another plan, with the differences.
            DataError: if it cannot be written, or is not a run.
        """
        place = path / PLAN
        if place.exists():
            there = cls.open(path)
            # Without a manifest to check files against, only equal paths are known to be the same files.
            is_held = (path / manifest.NAME).exists()
            compared = plan_differences if is_held else differences_in_full
            differences = compared(there.plan, plan)
            if differences:
                raise SettingsError(
                    f"the run in {path} was made with other settings: {'; '.join(differences)}; use another folder, or the "
                    "original settings"
                )
            return there
        cls.check_is_free(path)
        refuse_links_out(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            write_whole(place, plan.to_json())
        except OSError as error:
            raise DataError(f"cannot write to {path}: {error.strerror}; use another folder") from None
        made = cls(path, plan, plan.to_json().encode())
        if is_trusted:
            trust_own(made.found)
        return made

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Opens a run.

        Raises:
            DataError: if there is none, its plan cannot be read, or a label in it or a link points outside the folder.
            SettingsError: if its plan names a shard that cannot be.
        """
        place = path / PLAN
        try:
            if not place.is_file():  # opening a pipe would block
                raise FileNotFoundError
            refuse_links_out(path)
            content = read_whole(place)
            data = read_json(content)
            if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
                raise DataError(f"{place} is not of schema {SCHEMA!r}; make the run again with this version")
            plan = _plan_adapter().validate_python(data)
        except OSError:
            raise DataError(f"there is no run in {path}; make one with: hopweave evaluate --out {path}") from None
        except ValueError as error:
            raise DataError(f"{place} is not the plan of a run: {str(error).splitlines()[0]}; restore it") from None
        for label in (*plan.datasets, *plan.methods):
            file_name(label, str(place))
        if plan.shard:
            Shard.of(plan.shard)
        return cls(path, plan, content)

    @property
    def found(self) -> Found:
        """The plan as a file on disk, which the user may have to trust."""
        return Found(self.path / PLAN, self.content, self.plan.settings, self.plan.parts)

    @classmethod
    def check_is_free(cls, path: Path) -> None:
        """Checks that a folder holds a run or nothing, so that one can be made in it.

        Raises:
            DataError: if it holds anything else, or cannot be read.
        """
        try:
            # What a killed start may leave behind does not mean that the folder holds something else.
            is_free = cls.is_at(path) or not path.is_dir() or all(other.name.startswith(".") for other in path.iterdir())
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror}; use another folder") from None
        if not is_free:
            raise DataError(f"{path} is not a run and not empty; use another folder")

    @staticmethod
    def is_at(path: Path) -> bool:
        """Whether a folder contains a run."""
        return (path / PLAN).exists()

    def corpus_of(self, dataset: str) -> str:
        """The corpus that is searched for a dataset's questions, as the plan names it."""
        return self.plan.datasets[dataset].corpus or str(self.plan.settings.get("corpus", ""))

    @property
    def store_path(self) -> Path:
        """Where this run keeps replies, unless the settings say otherwise."""
        return self.path / "store.sqlite"

    def examples_path(self, dataset: str) -> Path:
        """The file of the examples of a dataset.

        Raises:
            DataError: for a name that is not a valid file name.
        """
        return self.path / "examples" / f"{file_name(dataset, 'the plan')}.jsonl"

    def keep_examples(self, dataset: str, examples: Sequence[Example]) -> None:
        """Writes the examples of a dataset, once.

        Raises:
            DataError: if there are already different ones, an id is duplicated, or they cannot be written.
        """
        seen: set[str] = set()
        for example in examples:
            if example.question.id in seen:
                raise DataError(f"dataset {dataset!r} has two questions with the id {example.question.id!r}; correct the file")
            seen.add(example.question.id)
        text = lines_of(examples)
        place = self.examples_path(dataset)
        if place.exists():
            # An earlier version wrote fewer fields, so compare the values, not the text.
            written = text.encode().splitlines(keepends=True)
            if list(checksums.lines_in(place)) != written and self.examples(dataset) != _examples_in(written, place):
                raise DataError(f"the examples of {dataset!r} are not those that the run started with; use another folder")
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        write_file(place, text)

    def has_examples(self, dataset: str) -> bool:
        """Whether the examples of a dataset were written.

        Raises:
            DataError: as in `examples_path`.
        """
        return self.examples_path(dataset).exists()

    def examples(self, dataset: str) -> list[Example]:
        """The examples of a dataset, in order.

        Raises:
            DataError: if there are none yet, or a line cannot be read.
        """
        place = self.examples_path(dataset)
        if not place.exists():
            raise DataError(f"{place} is missing; run `hopweave evaluate` again to make it")
        return _examples_in(checksums.lines_in(place), place)

    def records_path(self, dataset: str, method: str) -> Path:
        """The file of the records of a method on a dataset.

        Raises:
            DataError: for a name that is not a valid file name.
        """
        return self.path / "records" / file_name(dataset, "the plan") / f"{file_name(method, 'the plan')}.jsonl"

    def records(self, dataset: str, method: str) -> Iterator[Record]:
        """The records of a method on a dataset that count: the last one of each question, in the order they were made.

        Raises:
            DataError: for a line that is not a record or was altered, with its file and number.
        """
        place = self.records_path(dataset, method)
        yield from self._read(place, self._last_lines(place) if place.exists() else set())

    def history(self, dataset: str, method: str) -> Iterator[Record]:
        """All records of a method on a dataset, including superseded ones. Same errors as `records`."""
        yield from self._read(self.records_path(dataset, method), None)

    def repair(self, dataset: str, method: str) -> int:
        """Cuts off a last line truncated when the run was killed; returns the number of bytes cut.

        Raises:
            DataError: as in `records_path`, or if the proof beside it was altered.
        """
        place = self.records_path(dataset, method)
        if not place.exists():
            return 0
        with place.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            whole = position = size
            while position > 0:
                position = max(0, position - _BLOCK_BYTES)
                file.seek(position)
                newline = file.read(_BLOCK_BYTES).rfind(b"\n")
                whole = position + newline + 1 if newline >= 0 else position
                if newline >= 0:
                    break
            if whole < size:
                file.truncate(whole)
        checksums.repair(place)
        return size - whole

    def add(self, dataset: str, method: str, *records: Record) -> None:
        """Adds records; they are on disk when this returns. Errors as in `add_lines`."""
        self.add_lines(dataset, method, [record.to_json().encode() + b"\n" for record in records])

    def add_lines(self, dataset: str, method: str, lines: Sequence[bytes]) -> None:
        """Adds records as lines, each with its newline; they are on disk when this returns.

        Raises:
            DataError: if they cannot be written. A partial write is undone.
        """
        place = self.records_path(dataset, method)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            checksums.add(place, lines)
            with place.open("ab", buffering=0) as file:
                size, rest = file.seek(0, os.SEEK_END), memoryview(b"".join(lines))
                try:
                    while rest:
                        rest = rest[file.write(rest) :]
                except OSError:
                    file.truncate(size)
                    raise
                os.fsync(file.fileno())
        except OSError as error:
            raise DataError(f"cannot write to {place}: {error.strerror}; free some space and run the command again") from None

    def _read(self, place: Path, numbers: set[int] | None) -> Iterator[Record]:
        for number, line in enumerate(checksums.lines_in(place), start=1):
            if numbers is not None and number not in numbers:
                continue
            try:
                yield Record.from_json(line.decode())
            except (DataError, UnicodeDecodeError) as error:
                said = "it is not UTF-8; restore the file" if isinstance(error, UnicodeDecodeError) else str(error)
                raise DataError(f"{place}, line {number}: {said}") from None

    def _last_lines(self, place: Path) -> set[int]:
        last: dict[str, int] = {}
        for number, line in enumerate(checksums.lines_in(place), start=1):
            last[id_in(line) or f"line {number}"] = number
        return set(last.values())


def id_in(line: bytes) -> str | None:
    """The id of the question in a record's line, without parsing the rest; `None` if it cannot be read."""
    try:
        text = line.decode()
        start = text.find(_ID_BEGINS)
        if start >= 0:
            return str(json.JSONDecoder().raw_decode(text, start + len(_ID_BEGINS))[0])
        return str(read_json(text)["question"]["id"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def lines_of(examples: Iterable[Example]) -> str:
    """Examples as a run keeps them."""
    return "".join(f"{one_line_of_json(_example_adapter(), example)}\n" for example in examples)


def _examples_in(lines: Iterable[bytes], place: Path) -> list[Example]:
    """The examples of a file. Same errors as `RunFolder.examples`."""
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(_example_adapter().validate_json(line))
        except ValidationError as error:
            raise DataError(f"{place}, line {number} is not an example: {error.errors()[0]['msg']}; restore it") from None
    return found


def plan_differences(old: Plan, new: Plan) -> list[str]:
    """The differences between two plans, a line each, ignoring paths of files and indexes: those are compared by content.

    Raises:
        SettingsError, MissingExtra: as in `core.catalog.load`, for a dataset of the new plan.
    """
    before, now = _files_of(old), _files_of(new)
    if before != now:  # everything below may import them
        return _differences({"files": before}, {"files": now})
    return _differences(_without_places(old, new), _without_places(new, new))


def differences_in_full(old: Plan, new: Plan) -> list[str]:
    """The differences between two plans, a line each. Nothing that they name is imported."""
    return _differences(_plain(old), _plain(new))


def _plain(plan: Plan) -> dict[str, Any]:
    """A plan as JSON. Settings that were added to hopweave after it was written have their defaults."""
    plain: dict[str, Any] = json.loads(plan.to_json())
    fields = Settings.model_fields.items()
    defaults = {key: one.default for key, one in fields if not one.is_required() and one.default_factory is None}
    plain["settings"] = {**defaults, **plain["settings"]}
    return plain


def _without_places(plan: Plan, wanted: Plan) -> dict[str, Any]:
    """A plan as JSON, without values that only say where something is stored.

    Args:
        plan: which may be from a stranger, so nothing that it names is imported.
        wanted: the plan that the user asks for, which decides what is imported.
    """
    found = _plain(plan)
    found["settings"].pop("corpus", None)
    for options in found["settings"].get("retrievers", {}).values():
        options.pop("index", None)
    for key in SELECTED.keys() & found["settings"].keys():
        found["settings"][key] = _without_folder(found["settings"][key])
    for table in (*found["datasets"].values(), *found["methods"].values()):
        table["name"] = _without_folder(table["name"])
    for label, table in found["datasets"].items():
        del table["corpus"]
        options = _path_options(wanted.datasets[label].name) if label in wanted.datasets else frozenset()
        for option in options & table["options"].keys():
            del table["options"][option]
    del found["files"]
    return found


def _files_of(plan: Plan) -> list[str]:
    return sorted(f"{Path(path).name} with SHA-256 {sha256}" for path, sha256 in plan.files.items())


def _without_folder(name: Any) -> Any:
    """The name of a part; for one in a file, without the folder."""
    file = part_file(name)
    return name if file is None else f"{file.path.name}:{file.class_name}"


def _path_options(dataset: str) -> frozenset[str]:
    """The options of a dataset that name files."""
    hints = get_type_hints(load("datasets", dataset))
    return frozenset(name for name, hint in hints.items() if Path in (hint, *get_args(hint)))


def _differences(old: Any, new: Any, where: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys: Iterable[str] = dict.fromkeys([*old, *new])
        missing = object()
        return [
            line
            for key in keys
            for line in _differences(old.get(key, missing), new.get(key, missing), f"{where}.{key}".lstrip("."))
        ]
    if old == new:
        return []
    return [f"{where} was {_shown(old)}, is now {_shown(new)}"]


def _shown(value: Any) -> str:
    return "absent" if type(value) is object else json.dumps(value, ensure_ascii=False)


@cache
def _plan_adapter() -> TypeAdapter[Plan]:
    return TypeAdapter(Plan)


def _kept(example: Example, as_json: SerializerFunctionWrapHandler) -> Any:
    """An example as it is stored. Without gold sentences it has the same form as before that field existed."""
    kept = as_json(example)
    if not example.gold.sentences:
        del kept["gold"]["sentences"]
    return kept


@cache
def _example_adapter() -> TypeAdapter[Example]:
    return TypeAdapter(Annotated[Example, WrapSerializer(_kept)])

"""Turns texts into vectors: with a model in a folder (ONNX), a hub model, or an endpoint.

The way to compute vectors is part of a model: the words before a query and a passage, how the vectors of its tokens are
combined (pooling), and whether the result has length 1. `_KNOWN` has this by the names of models; a folder may contain more
(`1_Pooling/config.json`, as in sentence-transformers); options override both.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hopweave.core.catalog import load, require
from hopweave.core.characters import encodable
from hopweave.core.errors import DataError, ModelError, SearchError, SettingsError
from hopweave.core.files import open_regular, read_json, read_lines, read_whole, sha256_of
from hopweave.core.options import Bounded, Count
from hopweave.core.retries import Retries, outcome_of
from hopweave.core.sentence_encoder import embeddings

Kind = Literal["query", "passage"]
Pooling = Literal["mean", "cls", "last"]
Vectors = NDArray[np.float32]

_MAX_ATTEMPTS = Retries(4)


class Encoder(Protocol):
    """Turns texts into vectors whose inner products are their similarities."""

    @property
    def identity(self) -> str:
        """Names the model and whatever else changes its vectors, in one line."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """A vector for each text, the rows of an array of shape (texts, dimension).

        Raises:
            SearchError: if it fails.
        """


class Recipe(NamedTuple):
    """How the vectors of a model are computed."""

    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    normalized: bool = True


_BGE = "Represent this sentence for searching relevant passages: "
_BGE_ZH = "为这个句子生成表示以用于检索相关文章："
_KNOWN: tuple[tuple[str, Recipe], ...] = (
    (r"contriever", Recipe(normalized=False)),
    (r"e5-.*-instruct", Recipe("mean", "Instruct: Given a question, retrieve passages that answer it\nQuery: ")),
    (r"(^|[-_/])e5-", Recipe("mean", "query: ", "passage: ")),
    (r"bge-m3", Recipe("cls")),
    (r"bge-.*-zh", Recipe("cls", _BGE_ZH)),
    (r"bge-", Recipe("cls", _BGE)),
    (r"gte-.*-v1\.5", Recipe("cls")),
    (r"gte-(small|base|large)", Recipe()),
    (r"nomic-embed-text", Recipe("mean", "search_query: ", "search_document: ")),
    (r"snowflake-arctic-embed", Recipe("cls", _BGE)),
    (r"mini-?lm|mpnet", Recipe()),
)
"""Recipes by pattern of the name, of which the first match applies: see the page of each model on https://huggingface.co/."""


@dataclass(kw_only=True)
class EncoderOptions(Bounded):
    """Which model encodes, and how. By default, options are as the model was trained."""

    model: Annotated[str, "the model: a folder with an ONNX model, a hub model or its folder, or a model at base_url"] = ""
    base_url: Annotated[str, "an OpenAI-compatible endpoint that encodes, up to and including /v1; empty: encode here"] = ""
    api_key_env: Annotated[str, "name of the environment variable with the endpoint's key"] = "OPENAI_API_KEY"
    query_prefix: Annotated[str | None, "words before each query; as the model was trained, if absent"] = None
    passage_prefix: Annotated[str | None, "words before each passage; as the model was trained, if absent"] = None
    pooling: Annotated[
        Literal["mean", "cls", "last"] | None, "how token vectors of an ONNX model are combined; as it was trained, if absent"
    ] = None
    normalized: Annotated[bool | None, "whether vectors have length 1; as the model was trained, if absent"] = None
    max_tokens: Annotated[Count, "longest text of an ONNX model, in tokens; the rest is cut off"] = 256
    batch_size: Annotated[Count, "texts that are encoded together"] = 32
    device: Annotated[str | None, "where a hub model runs, such as cpu or cuda; chosen automatically if absent"] = None
    vectors: Annotated[
        Path | None,
        "precomputed vectors of passages: a .npy of shape (passages, dimension), and a .txt next to it with their ids",
    ] = None
    query_vectors: Annotated[Path | None, "the same for queries; the .txt next to it has one query per line"] = None

    def recipe(self, known: Recipe) -> Recipe:
        """The recipe of a model, overridden by the options."""
        given = {name: getattr(self, name) for name in Recipe._fields}
        return known._replace(**{name: value for name, value in given.items() if value is not None})


def recipe_of(model: str) -> Recipe | None:
    """The known recipe of a model, by its name; `None` if there is none."""
    name = model.rstrip("/").lower()
    return next((recipe for pattern, recipe in _KNOWN if re.search(pattern, name)), None)


def encoder_of(options: EncoderOptions) -> Encoder:
    """The encoder that options name. Nothing is loaded before the first text.

    Raises:
        SettingsError: if they name none, or a folder without a model.
        MissingExtra: for an ONNX model without its library.
        DataError: for vectors of queries that cannot be read.
    """
    if options.query_vectors is not None and not options.model:
        return GivenQueries(options.query_vectors)
    if not options.model:
        raise SettingsError(
            "dense needs a model that encodes; name a folder with an ONNX model, or one of the hub, in the settings or with "
            "HOPWEAVE_RETRIEVERS__DENSE__MODEL=MODEL"
        )
    if options.base_url:
        return EndpointEncoder(options)
    if onnx_file(Path(options.model)) is not None:
        return OnnxEncoder(options)
    return HubEncoder(options)


def onnx_file(folder: Path) -> Path | None:
    """The ONNX model in a folder, or in its subfolder `onnx`, as on the hub; `None` if there is none."""
    places = (folder / "model.onnx", folder / "onnx" / "model.onnx")
    return next((place for place in places if place.is_file()), None) or next(iter(sorted(folder.glob("*.onnx"))), None)


@dataclass
class OnnxModel:
    """A model in a folder, run by onnxruntime: `model.onnx` and `tokenizer.json`.

    Args:
        folder: the folder that contains them.
        max_tokens: longer texts are cut off.
    """

    folder: Path
    max_tokens: int

    @cached_property
    def sha256(self) -> str:
        """The first 16 digits of the hashes of the model and its tokenizer.

        Raises:
            SettingsError: for a folder without one of them.
        """
        return "+".join(sha256_of(path)[:16] for path in (self._model_file, self._tokenizer_file))

    def run(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The first output of the model for texts or pairs, and a mask that is 0 for padding tokens and 1 for all others.

        Raises:
            SettingsError: for a folder without a model that can be loaded.
            MissingExtra: without the libraries of the extra `dense`.
        """
        tokens = self._cutting_tokenizer.encode_batch(list(texts))
        ids, mask, types = (
            np.array([getattr(one, name) for one in tokens], dtype=np.int64) for name in ("ids", "attention_mask", "type_ids")
        )
        return self.run_tokens(ids, mask, types), mask

    def run_tokens(self, ids: NDArray[np.int64], mask: NDArray[np.int64], types: NDArray[np.int64]) -> NDArray[Any]:
        """The first output of the model for tokens; each argument has the shape (texts, tokens).

        Args:
            ids: the ids of the tokens.
            mask: 1 for tokens that others attend to.
            types: the types of the tokens.

        Raises:
            SettingsError, MissingExtra: as in `run`.
        """
        session = self._session
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        wanted = {one.name for one in session.get_inputs()}
        [output, *_] = session.run(None, {name: value for name, value in given.items() if name in wanted})
        found: NDArray[Any] = output
        return found

    def tokenizer(self) -> Any:
        """A new instance of the model's tokenizer, configured as in its file.

        Raises:
            SettingsError: if there is none in the folder, or it cannot be loaded.
            MissingExtra: without the library of the extra `dense`.
        """
        library, tokenizer_file = require("tokenizers", "dense"), self._tokenizer_file
        with self._loading():
            return library.Tokenizer.from_file(str(tokenizer_file))

    @property
    def _model_file(self) -> Path:
        found = onnx_file(self.folder)
        if found is None:
            raise SettingsError(f"there is no .onnx file in {self.folder}; name the folder of an ONNX model")
        return found

    @property
    def _tokenizer_file(self) -> Path:
        path = self.folder / "tokenizer.json"
        if not path.is_file():
            raise SettingsError(f"there is no tokenizer.json in {self.folder}; put that of the model there")
        return path

    @cached_property
    def _session(self) -> Any:
        library = require("onnxruntime", "dense")
        model_file = self._model_file
        options = library.SessionOptions()
        options.log_severity_level = 3  # hides warnings that a user can do nothing about
        with self._loading():
            return library.InferenceSession(str(model_file), options, providers=library.get_available_providers())

    @cached_property
    def _cutting_tokenizer(self) -> Any:
        tokenizer = self.tokenizer()
        padding = tokenizer.padding or {}
        tokenizer.enable_truncation(self.max_tokens)
        tokenizer.enable_padding(pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]"))
        return tokenizer

    @contextmanager
    def _loading(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # the libraries raise their own classes
            reason = str(error).split("\n", 1)[0].rstrip(".")
            raise SettingsError(f"cannot load the ONNX model in {self.folder}: {reason}; check its files") from error


class OnnxEncoder:
    """Encodes with an ONNX model in a folder.

    Raises:
        SettingsError: for a folder whose pooling cannot be read.
    """

    def __init__(self, options: EncoderOptions) -> None:
        folder = Path(options.model)
        self._model = OnnxModel(folder, options.max_tokens)
        self._batch_size = options.batch_size
        self._recipe = options.recipe(_recipe_in(folder) or recipe_of(folder.resolve().name) or Recipe())

    @property
    def identity(self) -> str:
        """See `Encoder`. The name of the folder is not part of it."""
        return f"onnx({self._model.sha256}, max_tokens={self._model.max_tokens}, {_shown(self._recipe)})"

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """See `Encoder`. Passages of about the same length are encoded together, so that little padding is computed.

        Queries are encoded one by one: in 8 bits, a vector depends on what else is in its batch.

        Raises:
            SettingsError, MissingExtra: as in `OnnxModel.run`.
        """
        prefix = _prefix(self._recipe, kind)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        size = self._batch_size if kind == "passage" else 1
        rows: dict[int, Vectors] = {}
        for first in range(0, len(order), size):
            batch = order[first : first + size]
            output, mask = self._model.run([prefix + encodable(texts[at]) for at in batch])
            vectors = output if output.ndim == 2 else pooled(output, mask, self._recipe.pooling)
            rows.update(zip(batch, vectors.astype(np.float32), strict=True))
        return _finished([rows[at] for at in range(len(texts))], normalized=self._recipe.normalized)


class HubEncoder:
    """Encodes with a model of sentence-transformers or the hub, or its folder, in this process.

    Pooling and normalisation are those named in the model's own files; the default is the mean.

    Raises:
        SettingsError: for options with a pooling, which is for ONNX models.
    """

    def __init__(self, options: EncoderOptions) -> None:
        if options.pooling is not None:
            raise SettingsError("pooling is for ONNX models; a hub model determines its own pooling: leave it out")
        self._options = options
        self._recipe = options.recipe(recipe_of(options.model) or Recipe())
        self._normalized = self._recipe.normalized if recipe_of(options.model) else bool(options.normalized)

    @property
    def identity(self) -> str:
        """See `Encoder`."""
        prefixes = f"query_prefix={self._recipe.query_prefix!r}, passage_prefix={self._recipe.passage_prefix!r}"
        return f"hub({self._options.model}, normalized={self._normalized}, {prefixes})"

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """See `Encoder`.

        Raises:
            MissingExtra: without the library of the extra `hf`.
        """
        if not texts:
            return _finished([], normalized=False)
        prefixed = [_prefix(self._recipe, kind) + encodable(text) for text in texts]
        found = embeddings(prefixed, self._options.model, self._options.device, normalized=self._normalized)
        return np.asarray(found, dtype=np.float32)


class EndpointEncoder:
    """Encodes at an OpenAI-compatible endpoint: `POST /embeddings`. Requests are retried if that can help.

    Raises:
        SettingsError: for an invalid address.
    """

    def __init__(self, options: EncoderOptions) -> None:
        self._options = options
        self._recipe = options.recipe(recipe_of(options.model) or Recipe(normalized=False))
        self._endpoint = endpoint_of(options.model, options.base_url, options.api_key_env, "retrievers.dense")

    @property
    def identity(self) -> str:
        """See `Encoder`. The address is not part of it: a model may move."""
        return f"endpoint({self._options.model}, {_shown(self._recipe)})"

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """See `Encoder`."""
        prefixed = [_prefix(self._recipe, kind) + encodable(text) for text in texts]
        size = self._options.batch_size
        bodies = [
            {"model": self._options.model, "input": prefixed[first : first + size], "encoding_format": "float"}
            for first in range(0, len(prefixed), size)
        ]
        came_back = posted(self._endpoint, "/embeddings", bodies)
        rows = [
            row
            for body, data in zip(bodies, came_back, strict=True)
            for row in _rows_in(data, len(body["input"]), self._options)
        ]
        if len({len(row) for row in rows}) > 1:
            raise SearchError(f"the endpoint sent vectors of different lengths for {self._options.model}; use another model")
        return _finished(rows, normalized=self._recipe.normalized)


class GivenQueries:
    """Precomputed vectors of queries; no other query can be searched for.

    Raises:
        DataError: as in `given_vectors`.
    """

    def __init__(self, path: Path) -> None:
        self._vectors = given_vectors(path)

    @property
    def identity(self) -> str:
        """See `Encoder`."""
        return "given"

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """See `Encoder`.

        Raises:
            SearchError: for a query without a vector.
        """
        missing = next((text for text in texts if " ".join(text.split()) not in self._vectors), None)
        if missing is not None or kind == "passage":
            raise SearchError(f"there is no vector of {missing!r} among those given; encode it, or name a model")
        return _finished([self._vectors[" ".join(text.split())] for text in texts], normalized=False)


def given_vectors(path: Path) -> dict[str, Vectors]:
    """Precomputed vectors by id or query, which are in the .txt next to the .npy, one per line; memory-mapped.

    Raises:
        DataError: if either file cannot be read, or they do not match.
    """
    names = path.with_suffix(".txt")
    try:
        open_regular(path).close()  # the library would wait for a FIFO
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        lines = [" ".join(line.decode().split()) for line in read_lines(names)]
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the vectors {path} with {names.name} beside it: {error}; check both files") from None
    if vectors.ndim != 2 or len(vectors) != len(lines):
        raise DataError(f"{path} holds {vectors.shape} numbers and {names.name} {len(lines)} lines; give a row for each line")
    return dict(zip(lines, vectors, strict=True))


def pooled(tokens: NDArray[Any], mask: NDArray[Any], pooling: Pooling) -> NDArray[Any]:
    """One vector for each text from those of its tokens.

    Args:
        tokens: shape (texts, tokens, dimension).
        mask: shape (texts, tokens), 0 for padding, else 1.
        pooling: the mean of them, the first, or the last that is not padding.
    """
    if pooling == "cls":
        first: NDArray[Any] = tokens[:, 0]
        return first
    if pooling == "last":
        last = mask.shape[1] - 1 - np.argmax(mask[:, ::-1], axis=1)
        of_last: NDArray[Any] = tokens[np.arange(len(tokens)), last]
        return of_last
    weights = mask[:, :, None].astype(np.float32)
    mean: NDArray[Any] = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return mean


def endpoint_of(model: str, base_url: str, api_key_env: str, settings_name: str) -> Any:
    """An OpenAI-compatible endpoint, with all protections of its key; see `models.llms.openai_compatible`.

    Raises:
        SettingsError: for an invalid address.
    """
    endpoint = load("llms", "openai_compatible")(model=model, base_url=base_url, api_key_env=api_key_env)
    endpoint.settings_name = settings_name
    return endpoint


def posted(endpoint: Any, path: str, bodies: Sequence[dict[str, Any]]) -> list[Any]:
    """The responses of an endpoint to some bodies; four requests at a time, each retried if that can help.

    Raises:
        SearchError: once retries are exhausted.
    """

    async def all_posted() -> list[Any]:
        turns = asyncio.Semaphore(4)

        async def one(body: dict[str, Any]) -> Any:
            async with turns:
                return await outcome_of(lambda: endpoint.post(path, body), _MAX_ATTEMPTS)

        try:
            return await asyncio.gather(*map(one, bodies))
        finally:
            await endpoint.close()

    outcomes = asyncio.run(all_posted())
    for outcome in outcomes:
        if isinstance(outcome, ModelError):
            raise SearchError(str(outcome), retryable=outcome.retryable) from outcome
    return outcomes


def _rows_in(data: Any, num: int, options: EncoderOptions) -> list[Vectors]:
    """The vectors of a response, in the order of its texts: the rows are numbered, or all have the number 0."""
    try:
        rows = sorted(data["data"], key=lambda row: int(row["index"]))
        vectors = [np.asarray(row["embedding"], dtype=np.float32) for row in rows]
        numbers = [int(row["index"]) for row in rows]
        if numbers not in ([*range(num)], [0] * num) or len({vector.shape for vector in vectors}) != 1:
            raise ValueError("rows")
        if vectors[0].ndim != 1 or not vectors[0].size:
            raise ValueError("numbers")
    except (KeyError, TypeError, ValueError, OverflowError):
        shown = json.dumps(data)[:120]
        raise SearchError(f"the endpoint sent no vectors of {num} texts for {options.model}: {shown}") from None
    return vectors


def _finished(rows: Sequence[Vectors], *, normalized: bool) -> Vectors:
    vectors = np.array(rows, dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise SearchError("the encoder returned vectors that are no numbers; check the model")
    if normalized and len(vectors):
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors


def _recipe_in(folder: Path) -> Recipe | None:
    """The recipe in a folder's files of sentence-transformers; prefixes by its name."""
    path = folder / "1_Pooling" / "config.json"
    if not path.is_file():
        return None
    try:
        says = read_json(read_whole(path))
        modules = read_json(read_whole(folder / "modules.json")) if (folder / "modules.json").is_file() else []
        chosen: Pooling = (
            "cls" if says.get("pooling_mode_cls_token") else "last" if says.get("pooling_mode_lasttoken") else "mean"
        )
        normalized = any(str(module["type"]).endswith("Normalize") for module in modules)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise SettingsError(f"cannot read the pooling of {folder}; correct {path}, or set pooling and normalized") from None
    return (recipe_of(folder.resolve().name) or Recipe())._replace(pooling=chosen, normalized=normalized)


def _prefix(recipe: Recipe, kind: Kind) -> str:
    return recipe.query_prefix if kind == "query" else recipe.passage_prefix


def _shown(recipe: Recipe) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in recipe._asdict().items())

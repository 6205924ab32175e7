"""Turns texts into a vector for each token: with a ColBERT checkpoint, an ONNX model in a folder, or precomputed vectors.

As ColBERTv2 was published (Santhanam et al., NAACL 2022; https://github.com/stanford-futuredata/ColBERT): a marker follows the
first token of each text, another one for queries than for passages; a query is filled with [MASK] to 32 tokens, which get
vectors and are not attended to; a projection makes vectors of 128 numbers, each of length 1; those of punctuation in passages
are left out. A checkpoint contains these numbers itself (`artifact.metadata`); options override it.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hopweave.core.catalog import require
from hopweave.core.characters import encodable
from hopweave.core.errors import DataError, HopweaveError, SearchError, SettingsError
from hopweave.core.files import open_regular, read_json, read_lines, read_whole
from hopweave.core.options import Bounded, Count, Whole
from hopweave.retrieval.encoders.encoders import Kind, OnnxModel, Vectors, onnx_file

Run = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[Any]]
"""From token ids and an attention mask, both of shape (texts, tokens), to vectors of shape (texts, tokens, dimension)."""

_METADATA = "artifact.metadata"
_NAMES = {
    "query_marker": "query_token_id", "passage_marker": "doc_token_id", "query_tokens": "query_maxlen",
    "max_tokens": "doc_maxlen", "skip_punctuation": "mask_punctuation", "attend_to_masks": "attend_to_mask_tokens",
}  # fmt: skip
"""The names of a recipe's fields in `artifact.metadata`."""

_SMALL_FILES = ("*.json", "*.txt", _METADATA)
_MASKS = ("[MASK]", "<mask>")
_MIN_TOKENS = 3


class TokenEncoder(Protocol):
    """Turns texts into vectors of their tokens, whose inner products are their similarities."""

    @property
    def identity(self) -> str:
        """Names the model and whatever else changes its vectors, in one line."""

    def encode(self, texts: Sequence[str], kind: Kind) -> list[Vectors]:
        """For each text the vectors of its tokens, an array of shape (tokens, dimension) with at least one row.

        Raises:
            SearchError: if it fails.
        """


class TokenRecipe(NamedTuple):
    """How a model encodes queries and passages.

    Attributes:
        query_marker: the token after the first one of a query; empty for none.
        passage_marker: the same for passages.
        query_tokens: length to which queries are filled with [MASK], or cut; 0 leaves them unchanged.
        max_tokens: longest text, in tokens; the rest is cut off.
        skip_punctuation: leave out the vectors of punctuation in passages.
        attend_to_masks: let the other tokens of a query attend to its [MASK]s.
    """

    query_marker: str = ""
    passage_marker: str = ""
    query_tokens: int = 0
    max_tokens: int = 256
    skip_punctuation: bool = True
    attend_to_masks: bool = False


COLBERT = TokenRecipe("[unused0]", "[unused1]", 32, 220)
"""The default recipe of a ColBERT checkpoint."""


@dataclass(kw_only=True)
class TokenEncoderOptions(Bounded):
    """Which model encodes, and how. By default, options are as the model was trained."""

    model: Annotated[str, "the model: a ColBERT checkpoint of the hub or its folder, or a folder with an ONNX model"] = ""
    query_marker: Annotated[str | None, "the token that marks a query, such as [unused0]; empty: none"] = None
    passage_marker: Annotated[str | None, "the token that marks a passage, such as [unused1]; empty: none"] = None
    query_tokens: Annotated[Whole | None, "tokens to which a query is filled with [MASK]; 0: queries as they are"] = None
    max_tokens: Annotated[Count | None, "longest passage, in tokens; the rest is cut off"] = None
    skip_punctuation: Annotated[bool | None, "leave out the vectors of punctuation in passages"] = None
    batch_size: Annotated[Count, "passages that are encoded together"] = 32
    device: Annotated[str | None, "where a hub model runs, such as cpu or cuda; chosen automatically if absent"] = None
    vectors: Annotated[
        Path | None,
        "precomputed vectors of passages: a .npy of shape (tokens, dimension), and a .txt next to it of lines NUMBER, tab, ID",
    ] = None
    query_vectors: Annotated[Path | None, "the same for queries; the .txt next to it has the query in place of the id"] = None

    def recipe(self, known: TokenRecipe) -> TokenRecipe:
        """The recipe of a model, overridden by the options.

        Raises:
            SettingsError: if a query or a passage would have fewer than 3 tokens.
        """
        recipe = known._replace(**self.given)
        if recipe.max_tokens < _MIN_TOKENS or 0 < recipe.query_tokens < _MIN_TOKENS:
            raise SettingsError(f"a text needs at least {_MIN_TOKENS} tokens, marks included; raise max_tokens or query_tokens")
        return recipe

    @property
    def given(self) -> dict[str, Any]:
        """The fields of the recipe that the options override."""
        values = {name: getattr(self, name, None) for name in TokenRecipe._fields}
        return {name: value for name, value in values.items() if value is not None}


def token_encoder_of(options: TokenEncoderOptions) -> TokenEncoder:
    """The encoder that options name. Nothing is loaded before the first text.

    Raises:
        SettingsError: if they name none, or a folder without a model.
        DataError: for vectors of queries that cannot be read.
    """
    if options.query_vectors is not None and not options.model:
        return GivenQueryTokens(options.query_vectors)
    if not options.model:
        raise SettingsError(
            "late_interaction needs a model that encodes tokens; name a ColBERT checkpoint, or a folder with an ONNX model, in "
            "the settings or with HOPWEAVE_RETRIEVERS__LATE_INTERACTION__MODEL=MODEL"
        )
    if onnx_file(Path(options.model)) is not None:
        return ModelTokens(_OnnxTokens(options), options.batch_size)
    return ModelTokens(_HubTokens(options), options.batch_size)


class _Model(Protocol):
    """A model for tokens."""

    @property
    def identity(self) -> str: ...

    def load(self) -> tuple[Any, TokenRecipe, Run]:
        """Its tokenizer, from the library tokenizers; its recipe; and the function that computes its vectors."""


class ModelTokens:
    """Encodes with a model in this process.

    Args:
        model: the model; it is loaded with the first text.
        batch_size: passages that are encoded together. Queries are encoded one by one, so that no vector depends on another
            query.
    """

    def __init__(self, model: _Model, batch_size: int) -> None:
        self._model = model
        self._batch_size = batch_size

    @property
    def identity(self) -> str:
        """See `TokenEncoder`."""
        return self._model.identity

    def encode(self, texts: Sequence[str], kind: Kind) -> list[Vectors]:
        """See `TokenEncoder`. Passages of about the same length are encoded together, so that little padding is computed.

        Raises:
            SettingsError: for a model that cannot be loaded, or gives no vector for each token.
            MissingExtra: without the library that runs it.
        """
        tokens, run = self._loaded
        ids = [tokens.of(text, kind) for text in texts]
        order = sorted(range(len(texts)), key=lambda at: len(ids[at]))
        size = self._batch_size if kind == "passage" else 1
        rows: dict[int, Vectors] = {}
        for first in range(0, len(order), size):
            batch = order[first : first + size]
            given, mask = tokens.padded([ids[at] for at in batch])
            output = run(given, mask)
            if output.shape[:2] != given.shape or output.ndim != 3:
                raise SettingsError(f"{self.identity} gives no vector for each token; name a model that does")
            for at, vectors in zip(batch, output, strict=True):
                kept = vectors[: len(ids[at])][tokens.has_vector(ids[at], kind)]
                rows[at] = _of_length_1(kept.astype(np.float32))
        return [rows[at] for at in range(len(texts))]

    @cached_property
    def _loaded(self) -> tuple[_Tokens, Run]:
        tokenizer, recipe, run = self._model.load()
        return _Tokens(tokenizer, recipe, self.identity), run


class _Tokens:
    """The tokens of queries and passages."""

    def __init__(self, tokenizer: Any, recipe: TokenRecipe, name: str) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._recipe = recipe
        self._name = name
        around = tokenizer.encode("").ids
        if len(around) != 2:
            raise SettingsError(f"the tokenizer of {name} puts no token before and after a text; name another model")
        self._first, self._last = around
        self._markers: Mapping[Kind, list[int]] = {
            "query": self._marker(recipe.query_marker),
            "passage": self._marker(recipe.passage_marker),
        }
        self._mask = next((at for one in _MASKS if (at := tokenizer.token_to_id(one)) is not None), None)
        if recipe.query_tokens and self._mask is None:
            raise SettingsError(f"the tokenizer of {name} has no [MASK]; set query_tokens = 0, or name another model")
        self._skipped = set(self._ids_of_punctuation()) if recipe.skip_punctuation else set()

    def of(self, text: str, kind: Kind) -> list[int]:
        """The ids of a text's tokens."""
        longest = self._recipe.query_tokens if kind == "query" and self._recipe.query_tokens else self._recipe.max_tokens
        before = [self._first, *self._markers[kind]]
        inner = self._tokenizer.encode(encodable(text), add_special_tokens=False).ids
        ids = [*before, *inner[: longest - len(before) - 1], self._last]
        fill = longest - len(ids) if kind == "query" and self._recipe.query_tokens else 0
        return ids + [self._mask] * fill if self._mask is not None else ids

    def padded(self, rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of the same length, and their attention mask."""
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        attended = np.zeros_like(ids)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            attended[at, : len(row)] = 1
        if not self._recipe.attend_to_masks and self._recipe.query_tokens:
            attended[ids == self._mask] = 0
        return ids, attended

    def has_vector(self, ids: Sequence[int], kind: Kind) -> NDArray[np.bool_]:
        """Which tokens of a text get vectors."""
        return np.array([kind == "query" or one not in self._skipped for one in ids])

    def _marker(self, marker: str) -> list[int]:
        if not marker:
            return []
        found = self._tokenizer.token_to_id(marker)
        if found is None:
            raise SettingsError(f"the tokenizer of {self._name} has no token {marker!r}; set query_marker and passage_marker")
        return [found]

    def _ids_of_punctuation(self) -> Iterator[int]:
        for symbol in string.punctuation:
            yield from self._tokenizer.encode(symbol, add_special_tokens=False).ids[:1]
            if (known := self._tokenizer.token_to_id(symbol)) is not None:
                yield known


class _OnnxTokens:
    """An ONNX model in a folder, whose first output has a vector for each token.

    It is a ColBERT checkpoint if there is an `artifact.metadata` next to it, or if the folder's name says so; else a plain
    encoder.
    """

    def __init__(self, options: TokenEncoderOptions) -> None:
        folder = Path(options.model)
        plain = COLBERT if "colbert" in folder.resolve().name.lower() else TokenRecipe()
        self._recipe = options.recipe(_recipe_in(folder, plain))
        self._model = OnnxModel(folder, self._recipe.max_tokens)

    @property
    def identity(self) -> str:
        """The name of the folder is not part of it."""
        shown = ", ".join(f"{name}={value!r}" for name, value in self._recipe._asdict().items())
        return f"onnx tokens({self._model.sha256}, {shown})"

    def load(self) -> tuple[Any, TokenRecipe, Run]:
        """See `_Model`."""
        return self._model.tokenizer(), self._recipe, self._run

    def _run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[Any]:
        return self._model.run_tokens(ids, mask, np.zeros_like(ids))


class _HubTokens:
    """A ColBERT checkpoint of the hub, or its folder: an encoder, and the projection `linear.weight` among its weights."""

    def __init__(self, options: TokenEncoderOptions) -> None:
        self._options = options

    @property
    def identity(self) -> str:
        """The checkpoint, and the options that override its own recipe."""
        return "hub tokens(" + ", ".join([self._options.model, *(f"{k}={v!r}" for k, v in self._options.given.items())]) + ")"

    def load(self) -> tuple[Any, TokenRecipe, Run]:
        """See `_Model`.

        Raises:
            MissingExtra: without the libraries of the extra `hf`.
            SettingsError: if it cannot be loaded, or is not such a checkpoint.
        """
        transformers, torch = require("transformers", "hf"), require("torch", "hf")
        name, device = self._options.model, self._options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        with self._loading():
            folder = self._folder()
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder).backend_tokenizer
            linear = _projection(folder)
            if linear is None:
                raise SettingsError(f"{name} has no projection (linear.weight); name a ColBERT checkpoint, or an ONNX model")
            encoder, report = transformers.AutoModel.from_pretrained(folder, output_loading_info=True)
        missing = [key for key in report["missing_keys"] if "pooler" not in key]
        if missing or linear.shape[1] != encoder.config.hidden_size:
            raise SettingsError(f"the weights of {name} do not fit its config.json; fetch it again, or name another checkpoint")
        encoder, linear = encoder.to(device).eval(), linear.to(device, torch.float32)

        def run(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[Any]:
            with torch.inference_mode():
                given = {"input_ids": torch.from_numpy(ids).to(device), "attention_mask": torch.from_numpy(mask).to(device)}
                vectors = encoder(**given).last_hidden_state.float() @ linear.T
            found: NDArray[Any] = vectors.cpu().numpy()
            return found

        return tokenizer, self._options.recipe(_recipe_in(folder, COLBERT)), run

    def _folder(self) -> Path:
        """The folder with the files, which are downloaded if necessary."""
        if Path(self._options.model).is_dir():
            return Path(self._options.model)
        fetch = require("huggingface_hub", "hf").snapshot_download
        folder = Path(fetch(self._options.model, allow_patterns=[*_SMALL_FILES, "model.safetensors"]))
        if not (folder / "model.safetensors").is_file():
            fetch(self._options.model, allow_patterns=["pytorch_model.bin"])
        return folder

    @contextmanager
    def _loading(self) -> Iterator[None]:
        try:
            yield
        except HopweaveError:
            raise
        except Exception as error:  # the libraries raise their own classes
            reason = str(error).strip().split("\n", 1)[0] or type(error).__name__
            raise SettingsError(
                f"cannot load {self._options.model!r}: {reason}; name a folder with its files, or a checkpoint on a hub that "
                "can be reached"
            ) from error


def _projection(folder: Path) -> Any:
    """The weights of a checkpoint's projection, of shape (dimension, hidden); `None` if it has none."""
    if (folder / "model.safetensors").is_file():
        with require("safetensors", "hf").safe_open(folder / "model.safetensors", "pt") as weights:
            return weights.get_tensor("linear.weight") if "linear.weight" in weights.keys() else None  # noqa: SIM118
    weights = require("torch", "hf").load(folder / "pytorch_model.bin", map_location="cpu", weights_only=True)
    return weights.get("linear.weight")


def _recipe_in(folder: Path, plain: TokenRecipe) -> TokenRecipe:
    """The recipe in a folder's `artifact.metadata`; `plain` if there is none."""
    path = folder / _METADATA
    if not path.is_file():
        return plain
    try:
        says = read_json(read_whole(path))
        given = {name: says[theirs] for name, theirs in _NAMES.items() if theirs in says}
        wrong = [name for name, value in given.items() if type(value) is not type(getattr(COLBERT, name))]
    except (OSError, ValueError, TypeError, KeyError):
        wrong = [_METADATA]
    if wrong:
        raise SettingsError(f"cannot read how {folder} takes texts ({', '.join(wrong)}); correct or remove {path}")
    return COLBERT._replace(**given)


class GivenQueryTokens:
    """Precomputed vectors of queries; no other query can be searched for.

    Raises:
        DataError: as in `given_tokens`.
    """

    def __init__(self, path: Path) -> None:
        self._vectors = given_tokens(path)

    @property
    def identity(self) -> str:
        """See `TokenEncoder`."""
        return "given"

    def encode(self, texts: Sequence[str], kind: Kind) -> list[Vectors]:
        """See `TokenEncoder`.

        Raises:
            SearchError: for a query without vectors.
        """
        missing = next((text for text in texts if " ".join(text.split()) not in self._vectors), None)
        if missing is not None or kind == "passage":
            raise SearchError(f"there are no vectors of {missing!r} among those given; encode it, or name a model")
        return [np.asarray(self._vectors[" ".join(text.split())], dtype=np.float32) for text in texts]


def given_tokens(path: Path) -> dict[str, Vectors]:
    """Precomputed vectors by id or query; memory-mapped.

    Next to the `.npy` of shape (tokens, dimension) is a `.txt` with a line for each text, in the same order: the number of its
    vectors, a tab, and its id or the query.

    Raises:
        DataError: if either file cannot be read, or they do not match.
    """
    names = path.with_suffix(".txt")
    try:
        open_regular(path).close()  # the library would wait for a FIFO
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        lines = [line.decode().removesuffix("\n").split("\t", 1) for line in read_lines(names)]
        ends = np.cumsum([int(number) for number, _ in lines], dtype=np.int64)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the vectors {path} with {names.name} beside it: {error}; check both files") from None
    starts = np.concatenate([[0], ends[:-1]])
    if vectors.ndim != 2 or (starts >= ends).any() or len(vectors) != (ends[-1] if len(ends) else 0):
        raise DataError(
            f"{path} has the shape {vectors.shape}, and the numbers in {names.name} do not add up to it; give each text the "
            "number of its vectors, at least 1"
        )
    return {" ".join(name.split()): vectors[start:end] for (_, name), start, end in zip(lines, starts, ends, strict=True)}


def _of_length_1(vectors: Vectors) -> Vectors:
    if not np.isfinite(vectors).all():
        raise SearchError("the encoder returned vectors that are no numbers; check the model")
    scaled: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return scaled

"""The DPR reader that SearChain uses: a span of the passage, and a logit of how well the passage answers"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from hopweave.core.catalog import require
from hopweave.core.options import check_options
from hopweave.core.types import Passage, Reading
from hopweave.models.readers._spans import (
    FEWEST_TOKENS,
    BatchSize,
    BestSpan,
    MaxSpanTokens,
    Place,
    Stride,
    Token,
    Window,
    best_span,
    check_stride,
    device_of,
    loaded,
    max_query_tokens,
    reading_of,
    revised,
    run_batches,
    slices,
    text_start,
    with_title_before,
    word_places,
)

NEEDS_EXTRA = "hf"

_TITLE, _TEXT = "Title: ", " Text:"


@dataclass(frozen=True, slots=True)
class DPR:
    """The reader of Karpukhin et al. (2020), as used by SearChain (section 3.3).

    With H the last hidden states, the start and end logits are H w_s and H w_e, and f = H_[CLS] w_f is the raw relevance
    logit, for which the paper chose the threshold 1.5. The span is the best within the title or text by start plus end logit.
    A passage too long for one window is read in several overlapping ones; the best span is used, with the f of its window.

    The input is `[CLS] query [SEP] title [SEP] passage`, as the model was trained. SearChain's authors put the passage in the
    title's slot (`passage_slot = "title"`): `[CLS] query [SEP] Title: title Text: passage [SEP]`, the format of the rows of
    their corpus.

    Raises:
        SettingsError: for an option out of its bounds.
    """

    model: Annotated[str, "a DPR reader on the hub, or a folder"] = "facebook/dpr-reader-multiset-base"
    revision: Annotated[str | None, "hub branch, tag or commit; the newest by default"] = None
    passage_slot: Annotated[Literal["text", "title"], "text as the model was trained; title as in SearChain's code"] = "text"
    max_span_tokens: MaxSpanTokens = 10
    max_tokens: Annotated[int, FEWEST_TOKENS, "maximum window length, in tokens; limited by the model's positions"] = 512
    stride: Stride = 128
    batch_size: BatchSize = 16
    device: Annotated[str | None, "device such as cpu or cuda; chosen automatically by default"] = None
    theta: Annotated[float, "the threshold of f for this model; the paper's value"] = 1.5
    _loaded: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_options(self)
        check_stride(self)

    @property
    def identity(self) -> str:
        """The model and the options that affect its readings."""
        return (
            f"dpr({revised(self.model, self.revision)}, passage_slot={self.passage_slot}, "
            f"max_span_tokens={self.max_span_tokens}, max_tokens={self.max_tokens}, stride={self.stride})"
        )

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        """See `core.protocols.Reader`.

        Raises:
            SettingsError: if the model cannot be loaded.
            MissingExtra: without `transformers` and `torch`.
        """
        model, tokenizer = self._model()
        windows = [
            window
            for number, (query, passage) in enumerate(pairs)
            for window in self._windows(tokenizer, number, query, passage, self._room(model))
        ]
        outputs = run_batches(model, windows, batch_size=self.batch_size, pad_id=tokenizer.pad_token_id)
        found: list[list[tuple[BestSpan | None, float]]] = [[] for _ in pairs]
        for window, (start_logits, end_logits, relevance) in zip(windows, outputs, strict=True):
            best = best_span(start_logits, end_logits, window.places, self.max_span_tokens, window.text_start)
            found[window.pair].append((best, float(relevance)))
        return [_best_reading(of_one, passage) for of_one, (_, passage) in zip(found, pairs, strict=True)]

    def _windows(self, tokenizer: Any, number: int, query: str, passage: Passage, room: int) -> Iterator[Window]:
        limit = max_query_tokens(room)
        cls, sep = tokenizer.cls_token_id, tokenizer.sep_token_id
        asked = [token.id for token in _tokens(tokenizer, query)[:limit]]
        start = text_start(passage.title)
        whole = with_title_before(passage.title, passage.text)
        body = [_moved(token, start) for token in _tokens(tokenizer, passage.text)]
        places = word_places(body, whole)
        title = self._title(tokenizer, passage.title)
        titled = word_places(title, whole)[:limit]
        closed = [sep] if self.passage_slot == "text" else []
        after = [] if self.passage_slot == "text" else [sep]
        before = [cls, *asked, sep, *(token.id for token in title[:limit]), *closed]
        standing: list[Place | None] = [*[None] * (len(asked) + 2), *titled, *[None] * len(closed)]
        for part in slices(len(body), room - len(before) - len(after), min(self.stride, room // 4)):
            yield Window(
                number,
                [*before, *(token.id for token in body[part]), *after],
                [*standing, *places[part], *[None] * len(after)],
                start,
            )

    def _title(self, tokenizer: Any, title: str) -> list[Token]:
        """The title's tokens by position; in the title's slot they are surrounded by words that have no position."""
        if self.passage_slot == "text" or not title:
            return _tokens(tokenizer, title)
        first, last = len(_TITLE), len(_TITLE) + len(title)
        return [
            _moved(token, -first) if first <= token.start and token.end <= last else Token(token.id, None, 0, 0)
            for token in _tokens(tokenizer, f"{_TITLE}{title}{_TEXT}")
        ]

    def _room(self, model: Any) -> int:
        return min(self.max_tokens, int(model.config.max_position_embeddings))

    def _model(self) -> tuple[Any, Any]:
        if "model" not in self._loaded:
            library, torch = require("transformers", "hf"), require("torch", "hf")

            def load(**place: Any) -> tuple[Any, Any]:
                model = library.DPRReader.from_pretrained(**place, dtype=torch.float32)
                return model.to(device_of(self.device)).eval(), library.DPRReaderTokenizerFast.from_pretrained(**place)

            self._loaded["model"], self._loaded["tokenizer"] = loaded("the DPR reader", self.model, self.revision, load)
        return self._loaded["model"], self._loaded["tokenizer"]


def _tokens(tokenizer: Any, text: str) -> list[Token]:
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    return [
        Token(token, word, *offset)
        for token, word, offset in zip(encoded["input_ids"], encoded.word_ids(), encoded["offset_mapping"], strict=True)
    ]


def _moved(token: Token, by: int) -> Token:
    return token._replace(start=token.start + by, end=token.end + by)


def _best_reading(found: Sequence[tuple[BestSpan | None, float]], passage: Passage) -> Reading:
    with_span = [(best, relevance) for best, relevance in found if best is not None]
    if not with_span:  # a passage without words
        return reading_of(None, passage, max(relevance for _, relevance in found))
    best, relevance = max(with_span, key=lambda pair: pair[0].score)
    return reading_of(best.span, passage, relevance)

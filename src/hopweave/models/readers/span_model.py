"""Any extractive question-answering model on the hub, such as those trained on SQuAD 2: a span, and its score"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from hopweave.core.catalog import require
from hopweave.core.errors import SettingsError
from hopweave.core.options import check_options
from hopweave.core.types import Passage, Reading
from hopweave.models.readers._spans import (
    FEWEST_TOKENS,
    BatchSize,
    BestSpan,
    MaxSpanTokens,
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
    shortened,
    text_start,
    with_title_before,
    word_places,
)

NEEDS_EXTRA = "hf"

_MAX_SANE_LENGTH = 1_000_000
_NOTHING_TO_READ = -100.0


@dataclass(frozen=True, slots=True)
class SpanModel:
    """Reads with any model of `AutoModelForQuestionAnswering`.

    The span is the best within the title or the text by start plus end logit, over all windows of a long passage. With
    `null_score`, f is that sum minus the lowest score that a window gives to "no answer" (start and end at its first token), as
    in the official SQuAD 2 rule: above 0, the span beats no answer. Otherwise f is the sum itself, for models that were not
    trained on unanswerable questions. A passage without words gives f = -100.

    Raises:
        SettingsError: for an option out of its bounds.
    """

    model: Annotated[str, "an extractive question-answering model on the hub, or a folder"] = "deepset/roberta-base-squad2"
    revision: Annotated[str | None, "hub branch, tag or commit; the newest by default"] = None
    null_score: Annotated[bool, "whether f is the span's score minus that of no answer"] = True
    with_title: Annotated[bool, "whether the title is put before the text; a span may come from it"] = True
    max_span_tokens: MaxSpanTokens = 10
    max_tokens: Annotated[int, FEWEST_TOKENS, "maximum window length, in tokens; limited by the model"] = 512
    stride: Stride = 128
    batch_size: BatchSize = 16
    device: Annotated[str | None, "device such as cpu or cuda; chosen automatically by default"] = None
    theta: Annotated[float, "the threshold of f for this model; at 0 a span is as likely as no answer"] = 0.0
    _loaded: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_options(self)
        check_stride(self)

    @property
    def identity(self) -> str:
        """The model and the options that affect its readings."""
        return (
            f"span_model({revised(self.model, self.revision)}, null_score={self.null_score}, with_title={self.with_title}, "
            f"max_span_tokens={self.max_span_tokens}, max_tokens={self.max_tokens}, stride={self.stride})"
        )

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        """See `core.protocols.Reader`.

        Raises:
            SettingsError: if the model cannot be loaded, or its tokenizer does not report token positions.
            MissingExtra: without `transformers` and `torch`.
        """
        model, tokenizer = self._model()
        windows = [
            window
            for number, (query, passage) in enumerate(pairs)
            for window in self._windows(tokenizer, number, query, passage, _room(model, tokenizer, self.max_tokens))
        ]
        outputs = run_batches(model, windows, batch_size=self.batch_size, pad_id=tokenizer.pad_token_id or 0)
        found: list[list[tuple[BestSpan | None, float]]] = [[] for _ in pairs]
        for window, (start_logits, end_logits) in zip(windows, outputs, strict=True):
            null_at = _null_position(window.ids, tokenizer.cls_token_id)
            best = best_span(start_logits, end_logits, window.places, self.max_span_tokens, window.text_start)
            found[window.pair].append((best, float(start_logits[null_at] + end_logits[null_at])))
        return [self._reading(of_one, passage) for of_one, (_, passage) in zip(found, pairs, strict=True)]

    def _reading(self, found: Sequence[tuple[BestSpan | None, float]], passage: Passage) -> Reading:
        spans = [best for best, _ in found if best is not None]
        if not spans:
            return reading_of(None, passage, _NOTHING_TO_READ)
        best = max(spans, key=lambda span: span.score)
        null = min(score for _, score in found) if self.null_score else 0.0
        return reading_of(best.span, passage, best.score - null)

    def _windows(self, tokenizer: Any, number: int, query: str, passage: Passage, room: int) -> Iterator[Window]:
        limit = max_query_tokens(room)
        title = shortened(tokenizer, passage.title, limit) if self.with_title else ""
        before = with_title_before(title, "")
        encoded = tokenizer(
            shortened(tokenizer, query, limit),
            before + passage.text,
            truncation="only_second",
            max_length=room,
            stride=min(self.stride, room // 4),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        start = text_start(passage.title)
        parts = [_passage_tokens(encoded, row, len(before), start) for row in range(len(encoded["input_ids"]))]
        whole = with_title_before(passage.title, passage.text)
        # A word that is cut off at the edge of one window is complete in the next.
        places = iter(word_places([token or _OUTSIDE for part in parts for token in part], whole))
        types = encoded.get("token_type_ids")
        for row, part in enumerate(parts):
            standing = [place if token is not None else None for token, place in zip(part, places, strict=False)]
            yield Window(number, encoded["input_ids"][row], standing, start, types[row] if types is not None else None)

    def _model(self) -> tuple[Any, Any]:
        if "model" not in self._loaded:
            library, torch = require("transformers", "hf"), require("torch", "hf")

            def load(**place: Any) -> tuple[Any, Any]:
                model = library.AutoModelForQuestionAnswering.from_pretrained(**place, dtype=torch.float32)
                return model.to(device_of(self.device)).eval(), library.AutoTokenizer.from_pretrained(**place)

            model, tokenizer = loaded("the span model", self.model, self.revision, load)
            if not tokenizer.is_fast:
                raise SettingsError(f"the tokenizer of {self.model!r} does not report token positions; choose another model")
            self._loaded["tokenizer"], self._loaded["model"] = tokenizer, model
        return self._loaded["model"], self._loaded["tokenizer"]


_OUTSIDE = Token(0, None, 0, 0)


def _passage_tokens(encoded: Any, row: int, shown: int, start: int) -> list[Token | None]:
    """The tokens of the title and the text in a window; `None` for those of the query and special tokens.

    Args:
        encoded: the windows.
        row: the window's row.
        shown: where the text starts in what the model is shown, whose title may be shortened.
        start: where it starts after the whole title.
    """
    sides, words = encoded.sequence_ids(row), encoded.word_ids(row)
    found = zip(encoded["input_ids"][row], sides, words, encoded["offset_mapping"][row], strict=True)
    return [
        (
            Token(token, word, max(first, shown) - shown + start, last - shown + start)
            if last > shown
            else Token(token, word, first, last)
        )
        if side == 1 and last > first
        else None
        for token, side, word, (first, last) in found
    ]


def _null_position(ids: Sequence[int], cls_id: int | None) -> int:
    return list(ids).index(cls_id) if cls_id is not None and cls_id in ids else 0


def _room(model: Any, tokenizer: Any, max_tokens: int) -> int:
    """The maximum window length that options, tokenizer and model allow."""
    if tokenizer.model_max_length < _MAX_SANE_LENGTH:
        return min(max_tokens, int(tokenizer.model_max_length))
    positions = getattr(model.config, "max_position_embeddings", None)
    # RoBERTa and related models reserve two positions.
    return min(max_tokens, int(positions) - 2) if positions else max_tokens

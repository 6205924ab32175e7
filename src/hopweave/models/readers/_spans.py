"""Shared by span readers: windows over long passages, batches of windows, the best span, and its position in the passage.

Positions and spans refer to the title and the text together (`with_title_before`), so that the title is read like the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

from hopweave.citations.citing import locate
from hopweave.core.catalog import require
from hopweave.core.errors import SettingsError
from hopweave.core.options import AtLeast, Count, name_of_part
from hopweave.core.types import Passage, Reading, Span

Place = tuple[int, int]
"""The position of a word in the title and text, in code points: first, and one past its last."""

_QUERY_SHARE = 4


class Token(NamedTuple):
    """A token of the title or the text: its id, the number of its word, and its position."""

    id: int
    word: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Window:
    """One input of the model.

    Attributes:
        pair: the index of its query and passage.
        ids: its tokens.
        places: for each token the position of its whole word; `None` outside the title and the text.
        text_start: where the text starts after the title; no span crosses this boundary.
        types: the token types, if the model uses them.
    """

    pair: int
    ids: Sequence[int]
    places: Sequence[Place | None]
    text_start: int = 0
    types: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class BestSpan:
    """The most likely span of a window.

    Attributes:
        span: in code points of the title and text.
        score: start logit plus end logit.
    """

    span: Span
    score: float


MaxSpanTokens = Annotated[Count, "maximum span length, in tokens"]
Stride = Annotated[int, "tokens shared by consecutive windows of a long passage"]
BatchSize = Annotated[Count, "windows per batch"]
FEWEST_TOKENS = AtLeast(64)
"""The bound of the length of a window: less leaves no room for a passage beside the query and the title."""


class Lengths(Protocol):
    """The options of a reader that limit lengths."""

    @property
    def max_span_tokens(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def stride(self) -> int: ...


def check_stride(options: Lengths) -> None:
    """Refuses a stride that does not go with the other lengths.

    Raises:
        SettingsError: naming the option.
    """
    if not options.max_span_tokens <= options.stride <= options.max_tokens // 4:
        raise SettingsError(
            f"{name_of_part(options)} stride must be from max_span_tokens = {options.max_span_tokens}, so that no span falls "
            f"between two windows, to a quarter of max_tokens = {options.max_tokens}; not {options.stride}"
        )


def revised(model: str, revision: str | None) -> str:
    """How an identity names a model."""
    return f"{model}@{revision}" if revision else model


def device_of(device: str | None) -> str:
    """The device to run on: the given one, else a GPU if there is one."""
    if device is not None:
        return device
    return "cuda" if require("torch", "hf").cuda.is_available() else "cpu"


def loaded(what: str, model: str, revision: str | None, load: Callable[..., Any]) -> Any:
    """The result of `load`, from disk if the model was downloaded before, else from the hub.

    Args:
        what: for the message.
        model: a folder, or a hub name.
        revision: hub revision; the newest by default.
        load: called with the common arguments of `from_pretrained`.

    Raises:
        SettingsError: if the files are missing or of the wrong kind, in one line.
    """
    place = {"pretrained_model_name_or_path": model, "revision": revision or "main"}
    try:
        try:
            return load(**place, local_files_only=True)
        except (OSError, ValueError):
            if Path(model).exists():
                raise
            # If the hub cannot be reached, this reports it after the retries for a single file.
            require("transformers", "hf").AutoConfig.from_pretrained(**place)
            return load(**place)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SettingsError(
            f"cannot load {what} {model!r}: {reason}; name a folder with its files, or a model on a hub that can be reached"
        ) from error


def word_places(tokens: Sequence[Token], text: str) -> list[Place | None]:
    """The position of each token's whole word, without surrounding white space; `None` if nothing is left."""
    words: dict[int, Place] = {}
    for token in tokens:
        if token.word is not None and token.end > token.start:
            start, end = words.get(token.word, (token.start, token.end))
            words[token.word] = (min(start, token.start), max(end, token.end))
    return [_stripped(words.get(token.word, (token.start, token.end)), text) for token in tokens]  # type: ignore[arg-type]


def _stripped(place: Place, text: str) -> Place | None:
    start, end = place
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def slices(length: int, room: int, stride: int) -> Iterator[slice]:
    """Slices of at most `room` tokens that cover `length` tokens, each repeating the last `stride` tokens of the one before."""
    start = 0
    while True:
        yield slice(start, min(start + room, length))
        if start + room >= length:
            return
        start += room - stride


def shortened(tokenizer: Any, text: str, max_tokens: int) -> str:
    """The text truncated to `max_tokens` tokens."""
    offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    return text if len(offsets) <= max_tokens else text[: offsets[max_tokens - 1][1]]


def max_query_tokens(max_tokens: int) -> int:
    """How much of a window a query may take, and likewise a title: the rest is left for the passage."""
    return max_tokens // _QUERY_SHARE


def run_batches(model: Any, windows: Sequence[Window], *, batch_size: int, pad_id: int) -> list[Sequence[Any]]:
    """The model's outputs for each window, in order, on the CPU; per-token outputs without padding.

    Windows of similar length share a batch. Padding is on the right and masked.
    """
    torch = require("torch", "hf")
    order = sorted(range(len(windows)), key=lambda position: len(windows[position].ids))
    outputs: list[Sequence[Any]] = [()] * len(windows)
    with torch.inference_mode():
        for first in range(0, len(order), batch_size):
            positions = order[first : first + batch_size]
            inputs = _padded([windows[position] for position in positions], pad_id, model.device)
            for position, row in zip(positions, _rows(model(**inputs)), strict=True):
                length = len(windows[position].ids)
                outputs[position] = [value[:length] if value.ndim else value for value in row]
    return outputs


def _padded(windows: Sequence[Window], pad_id: int, device: Any) -> dict[str, Any]:
    torch = require("torch", "hf")
    longest = max(len(window.ids) for window in windows)

    def filled(rows: Iterable[Sequence[int]], filler: int) -> Any:
        return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows], device=device)

    inputs = {
        "input_ids": filled((window.ids for window in windows), pad_id),
        "attention_mask": filled(([1] * len(window.ids) for window in windows), 0),
    }
    if windows[0].types is not None:
        inputs["token_type_ids"] = filled((window.types or () for window in windows), 0)
    return inputs


def _rows(output: Any) -> Iterator[list[Any]]:
    """For each window: the start logits, the end logits, and the relevance logit if the model has one."""
    names = [name for name in ("start_logits", "end_logits", "relevance_logits") if getattr(output, name, None) is not None]
    columns = [getattr(output, name).float().cpu() for name in names]
    yield from (list(row) for row in zip(*columns, strict=True))


def best_span(
    start_logits: Any, end_logits: Any, places: Sequence[Place | None], max_span_tokens: int, text_start: int = 0
) -> BestSpan | None:
    """The span with the highest sum of start and end logits, within the title or within the text, in order and not too long.

    The length is counted in tokens; the span itself consists of whole words, as in DPR's own code. `None` if the window has
    nothing of the passage. SearChain (section 3.3) maximises both logits independently, so its end may precede its start.
    """
    torch = require("torch", "hf")
    inside = [(index, place) for index, place in enumerate(places) if place is not None]
    if not inside:
        return None
    at = torch.tensor([index for index, _ in inside])
    scores = start_logits[at][:, None] + end_logits[at][None, :]
    lengths = at[None, :] - at[:, None]
    is_text = torch.tensor([place[0] >= text_start for _, place in inside])
    is_both = is_text[:, None] != is_text[None, :]
    scores = scores.masked_fill((lengths < 0) | (lengths >= max_span_tokens) | is_both, -torch.inf)
    first, last = divmod(int(scores.argmax()), len(inside))
    (start, first_end), (_, last_end) = inside[first][1], inside[last][1]
    return BestSpan(Span(start, max(first_end, last_end)), float(scores[first, last]))


def with_title_before(title: str, text: str) -> str:
    """What positions and spans refer to: the title on a line before the text, or only the text."""
    return f"{title}\n{text}" if title else text


def text_start(title: str) -> int:
    """Where the text starts in `with_title_before`."""
    return len(title) + 1 if title else 0


def reading_of(span: Span | None, passage: Passage, confidence: float) -> Reading:
    """The reading for a span of the title or text; words of the title are quoted from the text if they occur there."""
    if span is None:
        return Reading("", None, confidence)
    start = text_start(passage.title)
    if span.start >= start:
        found: Span | None = Span(span.start - start, span.end - start)
    else:
        found = locate(passage.title[span.start : span.end], passage.text)
    if found is None:
        return Reading(passage.title[span.start : span.end], None, confidence, in_title=True)
    return Reading(passage.text[found.start : found.end], found, confidence)

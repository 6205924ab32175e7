"""Generation with a loaded `transformers` model: prompts, batches, token sampling, and replies. Blocking.

The computation is done by the model's own `generate`. The next token is chosen here, for each call of a batch with its own
sampling, so that calls with different temperatures, seeds, limits and stop strings share a batch. The model's own generation
settings (a repetition penalty, a top-k) are ignored: replies are sampled only as `Sampling` says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopweave.core.catalog import require
from hopweave.core.errors import ModelError
from hopweave.core.types import Message, Reply, Sampling, TokenLogprob, Usage
from hopweave.models.llms._plan import prefill_of
from hopweave.models.llms._reply_text import ReplyText, Words
from hopweave.models.llms._servers import Level
from hopweave.models.llms._thinking_budget import MAX_THINKING_TOKENS, template_words, thinking_budget
from hopweave.models.weights.known import Thinking

_OPENING, _CLOSING = "<think>", "</think>\n\n"
_JOINER = "\u2060"
_UNFINISHED = "\ufffd"
_TOKENS_OF_CONTEXT = 8


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to generate.

    Attributes:
        name: for messages.
        model: the model with its weights, on its device.
        tokenizer: the model's tokenizer.
        context_tokens: maximum length of prompt and reply together; `None` for unlimited positions, as in T5.
        eos_ids: tokens that end a reply.
        is_chat: whether conversations use the tokenizer's chat template.
        thinking: whether the model thinks before it replies.
        level: how much it is to think.
        max_thinking_tokens: the most tokens that it may think with, on top of those of its reply.
    """

    name: str
    model: Any
    tokenizer: Any
    context_tokens: int | None
    eos_ids: frozenset[int]
    is_chat: bool
    thinking: Thinking = "no"
    level: Level = "auto"
    max_thinking_tokens: int = MAX_THINKING_TOKENS

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether it is an encoder-decoder model, such as T5."""
        return bool(self.model.config.is_encoder_decoder)


@dataclass(slots=True, eq=False)
class Call:
    """A pending call.

    Attributes:
        on_text: called with each piece, from the generating thread.
        is_cancelled: set by a caller that no longer waits; generation ends with the next token.
    """

    messages: Sequence[Message]
    sampling: Sampling
    on_text: Callable[[str], None] | None = None
    is_cancelled: bool = False


@dataclass(slots=True)
class Row:
    """A call's place in a batch, and what has been generated for it.

    Attributes:
        prompt: the prompt's tokens.
        prefill: tokens at the start of the reply, if the decoder has its own sequence.
        before: tokens that precede the new ones in decoding, so that a space after a prefill is kept.
        max_new: the maximum number of new tokens.
        max_thoughts: how many of them may be thoughts; `None` if the model does not think.
        begins_inside: whether the prompt opens the thoughts, so that the reply begins inside them.
        num_thoughts: the number of tokens up to the end of the thoughts.
    """

    loaded: Loaded
    call: Call
    prompt: list[int]
    prefill: list[int]
    before: list[int]
    max_new: int
    max_thoughts: int | None = None
    begins_inside: bool = False
    ids: list[int] = field(default_factory=list)
    logprobs: list[TokenLogprob] = field(default_factory=list)
    finish_reason: str = ""
    num_thoughts: int = 0
    _text: ReplyText = field(init=False)
    _num_seen: int = 0
    _closing: list[int] | None = None
    _draws: Any = None

    def __post_init__(self) -> None:
        sampling = self.call.sampling
        is_all_text = sampling.thinking == "in_text"
        self._text = ReplyText("", sampling.stop, begins_inside=self.begins_inside, is_all_text=is_all_text)
        if self.begins_inside and self.max_thoughts == 0:
            self._closing = _closing_ids(self.loaded)

    @property
    def is_done(self) -> bool:
        """Whether generation has finished."""
        return bool(self.finish_reason) or self.call.is_cancelled

    def take(self, logits: Any) -> int:
        """Chooses the next token and appends it."""
        token = self._closing.pop(0) if self._closing else self._chosen(logits)
        self.ids.append(token)
        if self.call.sampling.top_logprobs:
            self.logprobs.append(_logprob(self.loaded.tokenizer, logits, token, self.call.sampling.top_logprobs))
        if token in self.loaded.eos_ids:
            self.finish_reason = "stop"
        elif len(self.ids) >= self.max_new:
            self.finish_reason = "length"
        if self.call.sampling.stop or self.call.on_text is not None or self.max_thoughts is not None or self.is_done:
            self._look(self.text())
        if self.max_thoughts is not None and not self.is_done:
            self._limit(self.max_thoughts)
        return token

    def text(self, length: int | None = None) -> str:
        """The text of the new tokens, or of the first `length`."""
        decode = _decoder(self.loaded.tokenizer)
        start = len(decode(self.before)) if self.before else 0
        return decode([*self.before, *self.ids[:length]])[start:]

    def reply(self) -> Reply:
        """The reply, once it is done.

        Raises:
            ModelError: if there is none, since all of it was thoughts.
        """
        words = self._text.words
        shown, thoughts = words.shown, words.thoughts
        if thoughts and not shown:
            raise _nothing_but_thoughts(self.loaded, len(self.ids), is_cut_off=self.finish_reason == "length")
        return Reply(
            text=shown,
            finish_reason=self.finish_reason or "stop",
            usage=Usage(
                len(self.prompt) + len(self.prefill), len(self.ids), thinking_tokens=self.num_thoughts if thoughts else 0
            ),
            logprobs=tuple(self._logprobs_of(words)),
            thoughts=thoughts,
        )

    def _logprobs_of(self, words: Words) -> list[TokenLogprob]:
        """Those of the tokens of the reply."""
        if not self.logprobs or not (words.thoughts or words.is_cut):
            return self.logprobs
        start = max(0, self.text().rfind(words.text)) if words.thoughts else 0
        starts = ((entry, len(self.text(place))) for place, entry in enumerate(self.logprobs) if place >= self.num_thoughts)
        return [entry for entry, begin in starts if start <= begin < start + len(words.shown)]

    def _look(self, text: str) -> None:
        """Shows as much of the text so far as is certain, and finds its end."""
        if text.endswith(_UNFINISHED) and not self.is_done:  # a character whose last bytes are still missing
            return
        self._show(self._text.push(text[self._num_seen :]))
        self._num_seen = len(text)
        if self._text.is_cut:
            self.finish_reason = "stop"
        elif self.is_done:
            self._show(self._text.rest(is_cut_off=self.finish_reason == "length"))

    def _limit(self, max_thoughts: int) -> None:
        """Closes thoughts that reach their limit, and ends a reply that reaches its own."""
        if self._text.is_inside:
            self.num_thoughts = len(self.ids)
            if self._closing is None and self.num_thoughts >= max_thoughts:
                self._closing = _closing_ids(self.loaded)
        elif (self.num_thoughts or not self.begins_inside) and self._num_of_reply >= self.call.sampling.max_tokens:
            self.finish_reason = "length"
            self._look(self.text())

    @property
    def _num_of_reply(self) -> int:
        return len(self.ids) - self.num_thoughts

    def _show(self, piece: str) -> None:
        if piece and self.call.on_text is not None and not self.call.is_cancelled:
            self.call.on_text(piece)

    def _chosen(self, logits: Any) -> int:
        sampling = self.call.sampling
        if sampling.temperature <= 0:
            return int(logits.argmax())
        torch = require("torch", "hf")
        if self._draws is None:
            self._draws = torch.Generator()
            _ = self._draws.seed() if sampling.seed is None else self._draws.manual_seed(sampling.seed)
        likely, tokens = torch.softmax(logits / sampling.temperature, dim=-1).sort(descending=True, stable=True)
        # A token is kept if those before it do not cover the whole nucleus yet.
        likely[likely.cumsum(-1) - likely >= sampling.top_p] = 0.0
        return int(tokens[int(torch.multinomial(likely, 1, generator=self._draws))])


def row_of(loaded: Loaded, call: Call) -> Row:
    """A row for a call.

    Raises:
        ModelError: if the prompt leaves no room for a reply.
    """
    level: Level = "off" if call.sampling.thinking == "off" else loaded.level
    text, turns = _asked(loaded, call.messages, level)
    prompt, prefill = _encoded(loaded, text, prefill_of(turns))
    if loaded.is_encoder_decoder:
        before, taken = prefill, len(prefill) + 1
    else:
        before, taken = prompt[-_TOKENS_OF_CONTEXT:] if prefill_of(turns) else [], len(prompt)
    longest = max(len(prompt), taken)
    limit = math.inf if loaded.context_tokens is None else loaded.context_tokens
    if longest >= limit:
        raise ModelError(
            f"the prompt is too long for {loaded.name}: {longest:,} tokens, and prompt and reply together can have "
            f"{limit:,}; ask for fewer or shorter passages, or use a model with a longer context"
        )
    left, max_new = limit - taken, call.sampling.max_tokens
    if loaded.thinking == "no" or prefill_of(turns):
        return Row(loaded, call, prompt, prefill, before, int(min(max_new, left)))
    # Thoughts come on top of the reply, and take no room from it.
    room = max(0, min(thinking_budget(loaded.thinking, level, loaded.max_thinking_tokens), left - max_new))
    max_all = int(min(max_new + room + len(_closing_ids(loaded)), left))
    begins_inside = text.rstrip().endswith(_OPENING)
    return Row(loaded, call, prompt, prefill, before, max_all, int(room), begins_inside=begins_inside)


def _asked(loaded: Loaded, messages: Sequence[Message], level: Level) -> tuple[str, Sequence[Message]]:
    """The text of the prompt, and the turns that it is made of; a decoder with its own sequence gets the last one apart."""
    turns = [replace(message, text=_without_special(loaded.tokenizer, message.text)) for message in messages]
    if turns and turns[-1].role == "assistant" and not turns[-1].text:
        turns.pop()
    is_apart = loaded.is_encoder_decoder and prefill_of(turns)
    return _rendered(turns[:-1] if is_apart else turns, loaded, level), turns


def _encoded(loaded: Loaded, text: str, prefill: str) -> tuple[list[int], list[int]]:
    """The prompt, and the beginning of the reply if the decoder has its own sequence (otherwise the prompt includes it)."""
    tokenizer = loaded.tokenizer
    ids = tokenizer(text, add_special_tokens=not loaded.is_chat, verbose=False)["input_ids"]
    if loaded.is_encoder_decoder:
        return ids, tokenizer(prefill, add_special_tokens=False)["input_ids"] if prefill else []
    if not loaded.is_chat and ids and ids[-1] in loaded.eos_ids:  # added by the tokenizer; the reply is not over
        ids = ids[:-1]
    return ids or [_first_id(tokenizer)], []


def _rendered(turns: Sequence[Message], loaded: Loaded, level: Level) -> str:
    if not loaded.is_chat:
        return "\n\n".join(turn.text for turn in turns)
    no_template = require("jinja2", "hf").TemplateError
    chat = [{"role": turn.role, "content": turn.text} for turn in turns]
    is_prefilled = bool(prefill_of(turns))
    try:
        text: str = loaded.tokenizer.apply_chat_template(
            chat,
            tokenize=False,
            add_generation_prompt=not is_prefilled,
            continue_final_message=is_prefilled,
            **template_words(loaded.thinking, level),
        )
    except (no_template, ValueError) as error:
        raise ModelError(f"the chat template of {loaded.name} does not take this conversation: {error}") from error
    return text


def _closing_ids(loaded: Loaded) -> list[int]:
    """The tokens that end thoughts; none for models with channels, whose thoughts end in other ways."""
    return [] if loaded.thinking == "effort" else list(loaded.tokenizer(_CLOSING, add_special_tokens=False)["input_ids"])


def _nothing_but_thoughts(loaded: Loaded, num_tokens: int, *, is_cut_off: bool) -> ModelError:
    name = "llms.transformers_local"
    if not is_cut_off:
        return ModelError(f'{loaded.name} ended its reply within its thoughts; set {name}.thinking = "off"')
    return ModelError(
        f"{loaded.name} did not come to a reply: all {num_tokens:,} tokens went into thoughts; raise "
        f'{name}.max_thinking_tokens (now {loaded.max_thinking_tokens}), or set {name}.thinking = "low" or "off"'
    )


def _without_special(tokenizer: Any, text: str) -> str:
    """The text with the model's control tokens turned into plain text, so that a passage cannot end its turn."""
    added = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    for token in sorted(added.union(tokenizer.all_special_tokens)):
        if token in text:
            text = text.replace(token, token[:1] + _JOINER + token[1:])
    return text


def _first_id(tokenizer: Any) -> int:
    known = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id, 0)
    return next(token for token in known if token is not None)


def generate(rows: Sequence[Row]) -> None:
    """Generates for all rows at once, until the last is done. Their prefills must have equal length.

    Raises:
        ModelError: if the model fails.
    """
    loaded = rows[0].loaded
    library, torch = require("transformers", "hf"), require("torch", "hf")

    class Chooser(library.LogitsProcessor):  # type: ignore[misc, name-defined]
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            for place, logits in enumerate(scores.float().cpu()):
                if not rows[place].is_done:
                    token = rows[place].take(logits)
                    scores[place] = -torch.inf
                    scores[place, token] = 0.0
            return scores

    class AllDone(library.StoppingCriteria):  # type: ignore[misc, name-defined]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            return torch.tensor([row.is_done for row in rows], device=input_ids.device)

    settings = library.GenerationConfig(
        max_new_tokens=max(row.max_new for row in rows), do_sample=False, num_beams=1, pad_token_id=_pad_id(loaded)
    )
    try:
        with torch.inference_mode():
            loaded.model.generate(
                **_inputs(rows),
                generation_config=settings,
                logits_processor=[Chooser()],
                stopping_criteria=[AllDone()],
            )
    except (RuntimeError, ValueError, IndexError) as error:
        raise ModelError(f"{loaded.name} failed: {str(error).strip().splitlines()[0]}") from error


def _inputs(rows: Sequence[Row]) -> dict[str, Any]:
    """Padded on the left for decoder-only models, on the right for encoder-decoder models."""
    torch = require("torch", "hf")
    loaded = rows[0].loaded
    longest = max(len(row.prompt) for row in rows)
    ids, mask = [], []
    for row in rows:
        filler = [_pad_id(loaded)] * (longest - len(row.prompt))
        hidden, seen = [0] * len(filler), [1] * len(row.prompt)
        ids.append([*row.prompt, *filler] if loaded.is_encoder_decoder else [*filler, *row.prompt])
        mask.append([*seen, *hidden] if loaded.is_encoder_decoder else [*hidden, *seen])
    device = loaded.model.device
    inputs = {"input_ids": torch.tensor(ids, device=device), "attention_mask": torch.tensor(mask, device=device)}
    if loaded.is_encoder_decoder:
        start = loaded.model.generation_config.decoder_start_token_id
        inputs["decoder_input_ids"] = torch.tensor([[start, *row.prefill] for row in rows], device=device)
    return inputs


def _pad_id(loaded: Loaded) -> int:
    pad = loaded.tokenizer.pad_token_id
    return int(pad) if pad is not None else min(loaded.eos_ids, default=0)


def _decoder(tokenizer: Any) -> Callable[[Sequence[int]], str]:
    def decode(ids: Sequence[int]) -> str:
        return str(tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    return decode


def _logprob(tokenizer: Any, logits: Any, token: int, num_alternatives: int) -> TokenLogprob:
    """The chosen token's log-probability before temperature and nucleus, with the most likely alternatives, itself included."""
    torch = require("torch", "hf")
    values = torch.log_softmax(logits, dim=-1)
    top, ids = values.topk(min(num_alternatives, len(values)))
    listed = {int(one): float(value) for one, value in zip(ids, top, strict=True)} | {token: float(values[token])}
    ordered = sorted(listed.items(), key=lambda pair: -pair[1])
    return TokenLogprob(
        _piece(tokenizer, token), float(values[token]), tuple((_piece(tokenizer, one), value) for one, value in ordered)
    )


def _piece(tokenizer: Any, token: int) -> str:
    """A token as it appears within a text, including its leading space."""
    word = tokenizer.convert_ids_to_tokens(token)
    text = str(tokenizer.decode([token], clean_up_tokenization_spaces=False))
    return f" {text}" if word is not None and word.startswith("▁") and not text.startswith(" ") else text

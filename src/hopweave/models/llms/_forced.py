"""Scoring of a given text with a loaded `transformers` model: one forward pass over prompt and text. Blocking."""

from __future__ import annotations

from typing import Any

from hopweave.core.catalog import require
from hopweave.core.errors import ModelError
from hopweave.core.types import Reply, TokenLogprob, Usage
from hopweave.models.llms._generation import Loaded


def score(loaded: Loaded, prompt: str, text: str) -> Reply:
    """The log-probability of each token of a text that follows a prompt; see `TextScorer.score_text`.

    For encoder-decoder models such as T5, the text is what the decoder would have to write.

    Raises:
        ModelError: if both together are too long for the model, or it fails.
    """
    torch = require("torch", "hf")
    ids, start = _split(loaded, prompt, text)
    if loaded.context_tokens is not None and len(ids) > loaded.context_tokens:
        raise ModelError(
            f"the text is too long for {loaded.name}: {len(ids):,} tokens with the prompt, and it takes "
            f"{loaded.context_tokens:,}; give it less"
        )
    try:
        with torch.inference_mode():
            logits = _logits(loaded, prompt, ids, torch)
    except (RuntimeError, ValueError, IndexError) as error:
        raise ModelError(f"{loaded.name} failed: {str(error).strip().splitlines()[0]}") from error
    values = torch.log_softmax(logits.float().cpu(), dim=-1)
    scored = tuple(
        TokenLogprob(_word(loaded.tokenizer, ids, place), float(values[place - 1, ids[place]]))
        for place in range(start, len(ids))
    )
    return Reply("", usage=Usage(len(ids)), logprobs=scored)


def _split(loaded: Loaded, prompt: str, text: str) -> tuple[list[int], int]:
    """The tokens to feed to the model, and the position of the first token of the text."""
    tokenizer = loaded.tokenizer
    if loaded.is_encoder_decoder:
        begin = int(loaded.model.generation_config.decoder_start_token_id)
        return [begin, *tokenizer(text, add_special_tokens=False)["input_ids"]], 1
    whole = _ids(loaded, f"{prompt}{text}")
    before = _ids(loaded, prompt)
    # A token that spans the end of the prompt and the beginning of the text is the first in which the two sequences differ.
    start = next((place for place, pair in enumerate(zip(before, whole, strict=False)) if pair[0] != pair[1]), len(before))
    return whole, max(1, min(start, len(whole) - 1))


def _ids(loaded: Loaded, text: str) -> list[int]:
    ids: list[int] = loaded.tokenizer(text, add_special_tokens=True, verbose=False)["input_ids"]
    return ids[:-1] if ids and ids[-1] in loaded.eos_ids else ids


def _logits(loaded: Loaded, prompt: str, ids: list[int], torch: Any) -> Any:
    device = loaded.model.device
    given = torch.tensor([ids], device=device)
    if not loaded.is_encoder_decoder:
        return loaded.model(input_ids=given).logits[0]
    asked = torch.tensor([loaded.tokenizer(prompt, verbose=False)["input_ids"]], device=device)
    return loaded.model(input_ids=asked, decoder_input_ids=given).logits[0]


def _word(tokenizer: Any, ids: list[int], place: int) -> str:
    """The text that a token adds, including its leading space."""

    def decoded(end: int) -> str:
        return str(
            tokenizer.decode(ids[max(0, place - 8) : end], skip_special_tokens=False, clean_up_tokenization_spaces=False)
        )

    return decoded(place + 1)[len(decoded(place)) :]

"""The language model itself reads: the shortest span that answers, with log-odds from its own token probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from hopweave.citing import locate
from hopweave.errors import SettingsError
from hopweave.parse.sentences import sentence_spans
from hopweave.prompt import blunt, fence, prompts_beside
from hopweave.protocols import Ask
from hopweave.types import Message, Passage, Reading, Reply, Sampling, Span, TokenLogprob

__all__ = ["LLMReader"]

_ALTERNATIVES = 10
_WITHOUT_PROBABILITIES = math.log(9.0)
_BOUND = 20.0
_LEAST = math.exp(-2 * _BOUND)
_SAID = re.compile(r"[\W_]*+(?:reply\s*+:[\W_]*+)?(yes|no)\b[\s*_`]*+(?:[:,.;]|[–—-](?=\s))*+", re.IGNORECASE)
_TOKEN = re.compile(r"[\W_]*+(yes|no)[\W_]*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LLMReader:
    """Asks whether the passage states the answer, and for the fewest words of the passage that do.

    The reply begins with yes or no, so that one call gives both the span and the confidence: f is the log-odds
    ln P(yes) - ln P(no) at the token where the model says the one or the other, from -20 to 20. An endpoint that reports no
    token probabilities gives f = +ln 9 for yes and -ln 9 for no. The span is located in the passage exactly; words that do not
    stand there are no span.

    It plays the part of SearChain's DPR reader (section 3.3) where no reader model is installed. Its threshold is its own.
    """

    max_tokens: Annotated[int, "longest reply, in tokens; bounds the length of a span"] = 40

    def __post_init__(self) -> None:
        if self.max_tokens < 4:
            raise SettingsError(f"llm_reader max_tokens must be at least 4, not {self.max_tokens}")

    @property
    def identity(self) -> str:
        """Name, options and wording."""
        return f"llm_reader(max_tokens={self.max_tokens}, prompt={prompts_beside(__file__)['read'].fingerprint})"

    async def read_with(self, ask: Ask, query: str, passage: Passage) -> Reading:
        """See `protocols.ModelReader`."""
        prompt = prompts_beside(__file__)["read"].fill(passage=fence(passage.text, passage.title), query=blunt(query))
        sampling = Sampling(max_tokens=self.max_tokens, stop=("\n",), top_logprobs=_ALTERNATIVES)
        return reading_of(await ask([Message("user", prompt)], sampling), passage)


def reading_of(reply: Reply, passage: Passage) -> Reading:
    """The reading that a reply such as `yes: Willem Marinus Dudok` or `no` stands for.

    A reply that begins with neither is a yes if its words stand in the passage, and a no otherwise.
    """
    line = next((line for line in reply.text.splitlines() if line.strip()), "")
    match = _SAID.match(line)
    side = match[1].lower() if match else ""
    span = None if side == "no" else _located(line[match.end() :] if match else line, passage.text)
    confidence = log_odds(reply.logprobs) if side else None
    if confidence is None:
        confidence = _WITHOUT_PROBABILITIES if side == "yes" or span else -_WITHOUT_PROBABILITIES
    return Reading(passage.text[span.start : span.end] if span else "", span, confidence)


def log_odds(logprobs: Sequence[TokenLogprob]) -> float | None:
    """Ln P(yes) - ln P(no) at the first token that says the one or the other; `None` if no token does.

    What the endpoint does not list is taken to be as likely as it can be: no more than the least likely alternative that is
    listed, and no more than what they all leave over.
    """
    for token in logprobs:
        if not _side(token.token):
            continue
        listed = {word: _probability(lp) for word, lp in (*token.top, (token.token, token.logprob))}
        unlisted = min(*listed.values(), max(0.0, 1.0 - sum(listed.values())))
        yes, no = (sum(p for word, p in listed.items() if _side(word) == side) or unlisted for side in ("yes", "no"))
        return max(-_BOUND, min(_BOUND, math.log(max(yes, _LEAST)) - math.log(max(no, _LEAST))))
    return None


def _located(words: str, text: str) -> Span | None:
    """The words in the text; where a model goes on to explain, those of its first sentence."""
    sentences = sentence_spans(words)
    return locate(words, text) or (locate(words[sentences[0].start : sentences[0].end], text) if len(sentences) > 1 else None)


def _side(token: str) -> str:
    match = _TOKEN.fullmatch(token)
    return match[1].lower() if match else ""


def _probability(logprob: float) -> float:
    return 0.0 if math.isnan(logprob) else math.exp(min(logprob, 0.0))

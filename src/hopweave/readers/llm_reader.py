"""The language model itself reads: the shortest span that answers, with log-odds from its own token probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from hopweave.citing import locate
from hopweave.errors import SettingsError
from hopweave.prompt import fence, prompts_beside
from hopweave.protocols import Ask
from hopweave.types import Message, Passage, Reading, Reply, Sampling, TokenLogprob

__all__ = ["LLMReader"]

_ALTERNATIVES = 10
_WITHOUT_PROBABILITIES = math.log(9.0)
_BOUND = 20.0


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
        prompt = prompts_beside(__file__)["read"].fill(passage=fence(passage.text, passage.title), query=query)
        sampling = Sampling(max_tokens=self.max_tokens, stop=("\n",), top_logprobs=_ALTERNATIVES)
        return reading_of(await ask([Message("user", prompt)], sampling), passage)


def reading_of(reply: Reply, passage: Passage) -> Reading:
    """The reading that a reply such as `yes: Willem Marinus Dudok` or `no` stands for."""
    said, _, words = reply.text.strip().lstrip("*_`\"' ").partition(":")
    says_yes = _word(said) == "yes" or (_word(said) != "no" and bool(words.strip()))
    confidence = log_odds(reply.logprobs)
    if confidence is None:
        confidence = _WITHOUT_PROBABILITIES if says_yes else -_WITHOUT_PROBABILITIES
    span = locate(words, passage.text) if says_yes else None
    return Reading(passage.text[span.start : span.end] if span else "", span, confidence)


def log_odds(logprobs: Sequence[TokenLogprob]) -> float | None:
    """Ln P(yes) - ln P(no) at the first token that says the one or the other; `None` if no token does.

    What the endpoint does not list is at most as likely as the least likely alternative that it lists.
    """
    for token in logprobs:
        if _word(token.token) not in {"yes", "no"}:
            continue
        listed = dict(token.top) | {token.token: token.logprob}
        floor = min(listed.values())
        mass = {side: sum(math.exp(lp) for word, lp in listed.items() if _word(word) == side) for side in ("yes", "no")}
        yes, no = (math.log(mass[side]) if mass[side] > 0 else floor for side in ("yes", "no"))
        return max(-_BOUND, min(_BOUND, yes - no))
    return None


def _word(text: str) -> str:
    return text.strip().strip("*_`\"'.,:").lower()

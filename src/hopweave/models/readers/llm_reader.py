"""The language model reads: the shortest span that answers, with log-odds from its own token probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from hopweave.citations.citing import locate
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import AtLeast, Bounded, Whole
from hopweave.core.prompt import escape, fence, prompts_beside, unescape
from hopweave.core.protocols import Ask
from hopweave.core.types import Message, Passage, Reading, Reply, Sampling, Span, TokenLogprob
from hopweave.text.evidence import condensed_text, excerpt_of
from hopweave.text.key_terms import longest_shared_run
from hopweave.text.refusal import does_not_know
from hopweave.text.sentences import sentence_spans

_ALTERNATIVES = 10
_WITHOUT_PROBABILITIES = math.log(9.0)
_BOUND = 20.0
_SHOWN_TO_A_SMALL_MODEL = 100
_SHOWN = 400
_LEAST = math.exp(-2 * _BOUND)
_SAID = lazy_pattern(r"[\W_]*+(?:reply\s*+:[\W_]*+)?(yes|no)\b[\s*_`]*+(?:[:,.;]|[–—-](?=\s))*+", re.IGNORECASE)
_TOKEN = lazy_pattern(r"[\W_]*+(yes|no)[\W_]*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LLMReader(Bounded):
    """Asks whether the passage states the answer, and for the fewest words of the passage that do.

    The reply begins with yes or no, so that one call gives both the span and the confidence: f is the log-odds
    ln P(yes) - ln P(no) at the token where the model says either, from -20 to 20. If an endpoint reports no token
    probabilities, f = +ln 9 for yes and -ln 9 for no. The words are located in the text, else in the title. If a yes
    paraphrases the answer, the longest run of its words that occurs there and not in the query is the span. A span is always
    an exact quote; words that do not occur are ignored.

    A long passage is shown as an excerpt: the sentences that the query most likely asks for and, if an answer is to be checked,
    the one that has its words. The same words of the passage are looked for in the excerpt first.

    It replaces SearChain's DPR reader (section 3.3) where no reader model is installed. It has its own threshold.
    """

    max_tokens: Annotated[int, AtLeast(4), "maximum reply length, in tokens; limits the length of a span"] = 40
    max_tokens_passage: Annotated[
        Whole | None,
        "tokens of sentences of the passage shown, likeliest first; 0 shows all of it; none: 100 to a small model, else 400",
    ] = None
    theta: Annotated[float, "the threshold of f for this model; tuned for the embedded one"] = 0.2

    @property
    def identity(self) -> str:
        """Name, options and prompt."""
        return (
            f"llm_reader(max_tokens={self.max_tokens}, max_tokens_passage={self.max_tokens_passage}, "
            f"prompt={prompts_beside(__file__)['read'].fingerprint})"
        )

    async def read_with(self, ask: Ask, query: str, passage: Passage) -> Reading:
        return await self.check_with(ask, query, passage, "")

    async def check_with(self, ask: Ask, query: str, passage: Passage, answer: str, *, is_small: bool = True) -> Reading:
        shown = fence(self.excerpt(query, passage, answer, is_small=is_small), passage.title)
        prompt = prompts_beside(__file__)["read"].fill(passage=shown, query=escape(query))
        sampling = Sampling(max_tokens=self.max_tokens, stop=("\n",), top_logprobs=_ALTERNATIVES, thinking="off")
        kept = excerpt_of(query, passage, self._longest(is_small=is_small), answer=answer)
        return reading_of(await ask([Message("user", prompt)], sampling), query, passage, [one.span for one in kept])

    def excerpt(
        self, query: str, passage: Passage, answer: str = "", words: Span | None = None, *, is_small: bool = True
    ) -> str:
        return condensed_text(query, passage, self._longest(is_small=is_small), answer=answer, words=words)

    def _longest(self, *, is_small: bool) -> int:
        """The number of tokens of a passage that are shown. For a small model, each costs time and attention."""
        if self.max_tokens_passage is not None:
            return self.max_tokens_passage
        return _SHOWN_TO_A_SMALL_MODEL if is_small else _SHOWN


def reading_of(reply: Reply, query: str, passage: Passage, shown: Sequence[Span] = ()) -> Reading:
    """The reading for a reply such as `yes: Willem Marinus Dudok` or `no`.

    A reply that begins with neither is a yes if its words occur in the passage or its title, and a no otherwise.

    Args:
        reply: the model's.
        query: the query.
        passage: the passage that was read.
        shown: the sentences of it that the model was shown, where the words are looked for first; none if it was shown whole.
    """
    line = next((line for line in reply.text.splitlines() if line.strip()), "")
    match = _SAID.match(line)
    side = match[1].lower() if match else ""
    words = line[match.end() :] if match else line
    found = _found(words, query, passage, shown, in_other_words=side == "yes") if side != "no" else None
    confidence = log_odds(reply.logprobs) if side else None
    if confidence is None:
        confidence = _WITHOUT_PROBABILITIES if side == "yes" or found else -_WITHOUT_PROBABILITIES
    if found is None:
        return Reading("", None, confidence)
    span, in_title = found
    text = passage.title if in_title else passage.text
    return Reading(text[span.start : span.end], None if in_title else span, confidence, in_title)


def log_odds(logprobs: Sequence[TokenLogprob]) -> float | None:
    """Ln P(yes) - ln P(no) at the first token that says either; `None` if no token does.

    Unlisted alternatives are assumed to be as likely as possible: at most as likely as the least likely listed alternative, and
    at most as likely as the remaining probability mass.
    """
    for token in logprobs:
        if not _side(token.token):
            continue
        listed = {word: _probability(lp) for word, lp in (*token.top, (token.token, token.logprob))}
        unlisted = min(*listed.values(), max(0.0, 1.0 - sum(listed.values())))
        yes, no = (sum(p for word, p in listed.items() if _side(word) == side) or unlisted for side in ("yes", "no"))
        return max(-_BOUND, min(_BOUND, math.log(max(yes, _LEAST)) - math.log(max(no, _LEAST))))
    return None


def _found(
    words: str, query: str, passage: Passage, shown: Sequence[Span], *, in_other_words: bool
) -> tuple[Span, bool] | None:
    """The position of the words, and whether it is in the title; only the first sentence counts if an explanation follows."""
    sentences = sentence_spans(words)
    first = [words[sentences[0].start : sentences[0].end]] if len(sentences) > 1 else []
    for said in (words, *first):
        for text, in_title in ((passage.text, False), (passage.title, True)):
            span = (None if in_title else _located_in(said, text, shown)) or locate(said, text)
            if span is not None:
                return span, in_title
    for said in (*first, words) if in_other_words and not does_not_know(words) else ():
        for text, in_title in ((passage.text, False), (passage.title, True)):
            span = longest_shared_run(unescape(said), text, query)
            if span is not None:
                return span, in_title
    return None


def _located_in(said: str, text: str, shown: Sequence[Span]) -> Span | None:
    """The first position of words within one of several sentences of a text."""
    for sentence in shown:
        span = locate(said, text[sentence.start : sentence.end])
        if span is not None:
            return Span(sentence.start + span.start, sentence.start + span.end)
    return None


def _side(token: str) -> str:
    match = _TOKEN.fullmatch(token)
    return match[1].lower() if match else ""


def _probability(logprob: float) -> float:
    return 0.0 if math.isnan(logprob) else math.exp(min(logprob, 0.0))

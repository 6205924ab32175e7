"""MultiStep: the model asks one question after another, knowing the answers so far; the results are interleaved.

The multi-step query engine of LlamaIndex, as described in ToQD's paper (its released code has `multi_query` instead).

At each step the model sees the question and the answers so far and asks the next question, or says none. The new question is
searched for, and the model answers it from the results. LlamaIndex stops as soon as the letters "none" occur anywhere in the
reply, even within "nonetheless": `none_match = "anywhere"`. By default only a reply that begins with the word, and asks
nothing, counts as none. A repeated question, or a reply without one, also ends the loop.

The two rankings are those of `sub_question`, over steps. `clean` answers neither the last step's question nor the question
itself, since the ranking does not depend on them; and if no step was taken, it searches for the original query.

Calls: clean 2 k - 1 if all k steps are taken, 2 k + 1 if the model ends earlier; faithful 2 k + 1 and 2 k + 2, respectively.
Rounds: k, of 1 query each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.answering.parsing.rewritten import parse_rewritten
from hopweave.answering.rewriting._query_engine import PROMPTS, Part, QueryEngine, Ranking, pairs, ranking_of
from hopweave.answering.toolkit.inline import inline
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import Bounded, Count
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import identity_of
from hopweave.core.types import Hit, Message
from hopweave.text.matching import normalize_answer

_PROMPTS = prompts_beside(__file__)
_NONE_ALONE = lazy_pattern(r"[\W_]*+(?:(?:new|next)[\s_]++question[\W_]*+)?none\b(?![^?]*\?)", re.IGNORECASE)
_NONE_ANYWHERE = lazy_pattern("none", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MultiStep(Bounded):
    """Searches step by step for what the answers so far leave open."""

    engine: Annotated[str, "the underlying retriever"] = "bm25"
    max_steps: Annotated[Count, "maximum number of successive questions"] = 3
    ranking: Ranking = "clean"
    none_match: Annotated[
        Literal["alone", "anywhere"],
        "when a reply says none: if it begins with the word; or, as in LlamaIndex, if it contains the letters",
    ] = "alone"
    corpus: Annotated[str, "description of the corpus for the model; LlamaIndex says 'None' if it is not set"] = (
        "passages on many subjects"
    )
    num_shown: Annotated[Count, "passages shown to answer a step's question"] = 5
    max_tokens: Annotated[Count, "maximum reply length, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and prompts."""
        return identity_of(self, "multi_step", _PROMPTS, PROMPTS)

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        engine = QueryEngine(workbench, self.num_shown, self.max_tokens)
        parts: list[Part] = []
        for step in range(1, self.max_steps + 1):
            asked = await self._next_question(workbench, query, parts)
            if not asked:
                break
            with workbench.under(workbench.decide("step", asked)):
                [hits] = await workbench.search([asked], max_hits)
                is_needed = step < self.max_steps or self.ranking == "faithful"
                parts.append(await engine.answered(asked, hits) if is_needed else Part(asked, tuple(hits)))
        if self.ranking == "faithful":
            await engine.sum_up(query, parts)
        elif not parts:
            workbench.decide("repair", "no question was asked; the query is searched for as it came", rule="question")
            return (await workbench.search([query], max_hits))[0]
        return ranking_of(parts, self.ranking, max_hits)

    async def _next_question(self, workbench: MethodContext, query: str, parts: list[Part]) -> str:
        """The model's next question; empty if it has no more."""
        done = pairs(parts) or workbench.fill(_PROMPTS["nothing_done"])
        prompt = workbench.fill(_PROMPTS["next_question"], corpus=self.corpus, done=done, query=inline(query))
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens)
        text = (await workbench.reply([Message("user", prompt)], purpose="next_question", sampling=sampling)).text
        if (_NONE_ALONE.match if self.none_match == "alone" else _NONE_ANYWHERE.search)(text):
            workbench.decide("end", "the model asks nothing more")
            return ""
        asked = " ".join(unescape(parse_rewritten(text, "")).split())
        if not asked:
            workbench.parse_failed("next_question", "there is no question in the reply", text)
        elif normalize_answer(asked) in {normalize_answer(part.question) for part in parts}:
            workbench.decide("end", f"asked before: {asked}")
            return ""
        return asked

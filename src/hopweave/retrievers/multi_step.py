"""MultiStep: the model asks one question after the other, knowing the answers so far; what they find is taken in turns.

The multi-step query engine of LlamaIndex, which ToQD's paper describes (its released code has `multi_query` instead).

At each step the model sees the question and the answers so far and asks what is to be asked next, or says none. The new
question is searched for, and the model answers it from what is found. LlamaIndex stops as soon as the letters "none" stand
anywhere in the reply, also within "nonetheless": `none_match = "anywhere"`. By default only a reply that begins with the word,
and asks nothing, is a none. A question that was asked before, or a reply without any, ends it, too.

The two rankings are those of `sub_question`, over steps. `clean` does not answer the last step's question, nor the question
itself, since nothing found depends on it; and where no step was taken it searches for the query as it came.

Calls: clean 2 k - 1 where all of k steps are taken, 2 k + 1 where the model ends it before; faithful 2 k + 1, and then 2 k + 2.
Rounds: k, of 1 query each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.parse.rewritten import parse_rewritten
from hopweave.prompting.prompt import escape, prompts_beside, unescape
from hopweave.protocols import MethodContext
from hopweave.retrievers._query_engine import PROMPTS, Part, QueryEngine, Ranking, pairs, ranking_of
from hopweave.retrievers._ranking import identity_of
from hopweave.text.matching import normalize_answer
from hopweave.toolkit.options import Bounded, Count
from hopweave.types import Hit, Message

_PROMPTS = prompts_beside(__file__)
_NONE_ALONE = re.compile(r"[\W_]*+(?:(?:new|next)[\s_]++question[\W_]*+)?none\b(?![^?]*\?)", re.IGNORECASE)
_NONE_ANYWHERE = re.compile("none", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MultiStep(Bounded):
    """Searches step by step for what the answers so far leave open."""

    engine: Annotated[str, "the retriever underneath"] = "bm25"
    max_steps: Annotated[Count, "questions asked one after the other at most"] = 3
    ranking: Ranking = "clean"
    none_match: Annotated[
        Literal["alone", "anywhere"],
        "when a reply says none: if it begins with the word; or, as LlamaIndex, if it has the letters",
    ] = "alone"
    corpus: Annotated[str, "what the corpus holds, as the model is told; LlamaIndex says 'None' where nothing is set"] = (
        "passages on many subjects"
    )
    num_shown: Annotated[Count, "passages shown to answer a step's question"] = 5
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and wording."""
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
        """What the model asks next; empty if it asks nothing more."""
        done = pairs(parts) or workbench.fill(_PROMPTS["nothing_done"])
        prompt = workbench.fill(_PROMPTS["next_question"], corpus=self.corpus, done=done, query=escape(" ".join(query.split())))
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

"""SubQuestion: the model breaks the question into sub-questions, and their results are interleaved.

The sub-question query engine of LlamaIndex, which ToQD compares with.

The model returns JSON, constrained to a schema if the endpoint supports it; a list in another format is also parsed, and if
there is none, the question itself is the only sub-question. All sub-questions are searched for in one batch.

The engine then answers each sub-question from its passages and the question from those answers. It reports as its sources first
the sub-questions with their answers, then all hits of all sub-questions in order, including duplicates. ToQD's table ranks
exactly that: `ranking = "faithful"`. The model's own text then occupies the first ranks and is not a passage of the corpus (its
id begins with `not-in-corpus:`), so it can only lower MRR and MAP; an answer that cites it is refused. `clean`, the default,
ranks only passages of the corpus, each once: the best of each sub-question, then the second best of each, and so on. Answers do
not affect that, so none are requested.

Calls: clean 1; faithful 1 + s + 1 for s sub-questions, which are answered in parallel. Rounds: 1, of s queries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from hopweave.answering.parsing.numbered import parse_numbered
from hopweave.answering.parsing.queries import each_once
from hopweave.answering.rewriting._query_engine import PROMPTS, Part, QueryEngine, Ranking, ranking_of
from hopweave.answering.toolkit.inline import inline
from hopweave.core.options import Bounded, Count
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import identity_of
from hopweave.core.types import Hit, Message

_PROMPTS = prompts_beside(__file__)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sub_question": {"type": "string"}},
                "required": ["sub_question"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["items"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class SubQuestion(Bounded):
    """Searches for the sub-questions of a question."""

    engine: Annotated[str, "the underlying retriever"] = "bm25"
    ranking: Ranking = "clean"
    corpus: Annotated[str, "description of the corpus for the model; ToQD's code wrongly called it an essay"] = (
        "passages on many subjects"
    )
    max_sub_questions: Annotated[Count, "maximum number of sub-questions searched for"] = 6
    num_shown: Annotated[Count, "faithful: passages shown to answer a sub-question"] = 5
    use_json_schema: Annotated[bool, "constrain the sub-questions to a schema if the endpoint can"] = True
    max_tokens: Annotated[Count, "maximum reply length, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and prompts."""
        return identity_of(self, "sub_question", _PROMPTS, PROMPTS)

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        questions = await self._sub_questions(workbench, query)
        found = await workbench.search(questions, max_hits)
        parts = [Part(question, tuple(hits)) for question, hits in zip(questions, found, strict=True)]
        if self.ranking == "faithful":
            parts = await self._answered(workbench, query, parts)
        return ranking_of(parts, self.ranking, max_hits)

    async def _sub_questions(self, workbench: MethodContext, query: str) -> list[str]:
        prompt = workbench.fill(_PROMPTS["decompose"], corpus=self.corpus, query=inline(query))
        schema = _SCHEMA if self.use_json_schema and workbench.abilities.json_schema else None
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, json_schema=schema)
        reply = await workbench.reply([Message("user", prompt)], purpose="decompose", sampling=sampling)
        read = parse_numbered(reply.text)
        workbench.parse_failed("numbered", read.problems, reply.text)
        items = each_once(map(unescape, read.items))
        if len(items) > self.max_sub_questions:
            workbench.decide(
                "cut", f"{len(items) - self.max_sub_questions} sub-questions beyond {self.max_sub_questions} are left out"
            )
        if not items:
            workbench.decide("repair", "no sub-question was written; the question itself is the only one", rule="question")
        return items[: self.max_sub_questions] or [query]

    async def _answered(self, workbench: MethodContext, query: str, parts: list[Part]) -> list[Part]:
        engine = QueryEngine(workbench, self.num_shown, self.max_tokens)
        steps = [workbench.decide("sub_question", part.question) for part in parts]

        async def answer(part: Part, step: int) -> Part:
            with workbench.under(step):
                return await engine.answered(part.question, part.hits)

        answered = await workbench.side_by_side([partial(answer, *one) for one in zip(parts, steps, strict=True)])
        await engine.sum_up(query, answered)
        return answered

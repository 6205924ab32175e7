"""HyDE: the model writes hypothetical passages that might answer the query, and their words are searched for.

Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023.

The paper embeds the query and 8 passages that the model makes up, and searches with the mean of the 9 vectors. An engine that
embeds (`dense`) does so. For a lexical engine, a text is a vector of word counts, and the score (as in BM25) is linear
in it; to search for the mean of those vectors, one query contains the words of all texts. The query is repeated until it is
as long as an average passage, so that each text has about the same weight, as in a mean of vectors of equal length. `bm25`
searches for at most 256 different words, the rarest.

A passage that is empty, or says that the model does not know, is dropped; if none remains, the query is searched for unchanged.
LlamaIndex's HyDE, which ToQD compares with, is `num_documents = 1`.

Calls: 1 (one reply per passage), or one per passage if the endpoint returns one reply per request. Rounds: 1, of 1 query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.toolkit.inline import inline
from hopweave.core.indexing import traits_of
from hopweave.core.options import Bounded, Count, Temperature
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import APART, identity_of
from hopweave.core.types import Hit, Message
from hopweave.text.refusal import is_refusal

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class HyDE(Bounded):
    """Searches for the words of hypothetical passages."""

    engine: Annotated[str, "the underlying retriever: dense averages vectors; a lexical one gets all words in one query"] = (
        "bm25"
    )
    num_documents: Annotated[Count, "number of hypothetical passages; 1 as in LlamaIndex and thus ToQD's table"] = 8
    document: Annotated[str, "what the model should write, such as 'a news article' or 'a passage of a scientific paper'"] = (
        "a passage"
    )
    include_original: Annotated[bool, "also search for the words of the query"] = True
    temperature: Annotated[Temperature, "for the passages; above 0, so that they differ"] = 0.7
    max_tokens: Annotated[Count, "maximum passage length, in tokens"] = 512

    @property
    def identity(self) -> str:
        """Name, options and prompts."""
        return identity_of(self, "hyde", _PROMPTS)

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        documents = await self._documents(workbench, query)
        if documents and traits_of(self.engine).averages:
            asked = APART.join([" ".join(query.split()) if self.include_original else "", *documents])
        else:
            asked = joined(query, documents, include_original=self.include_original)
        return (await workbench.search([asked], max_hits))[0]

    async def _documents(self, workbench: MethodContext, query: str) -> list[str]:
        prompt = workbench.fill(_PROMPTS["document"], document=self.document, query=inline(query))
        sampling = replace(workbench.sampling, temperature=self.temperature, max_tokens=self.max_tokens, stop=("\n\n\n",))
        drawn = await workbench.samples([Message("user", prompt)], self.num_documents, purpose="document", sampling=sampling)
        if drawn.reached is not None:
            raise drawn.reached
        documents = []
        for reply in drawn.replies:
            if not reply.text.strip() or is_refusal(reply.text):
                workbench.parse_failed("document", "the reply holds no passage", reply.text)
            else:
                documents.append(" ".join(unescape(reply.text).split()))
        return documents


def joined(query: str, documents: Sequence[str], *, include_original: bool) -> str:
    """One query of all texts, in which the original one is as long as an average document.

    >>> joined("old oak", ["an oak of 900 years", "a tree"], include_original=True)
    'old oak old oak an oak of 900 years a tree'
    """
    if not documents:
        return query
    num_words = sum(len(document.split()) for document in documents) / len(documents)
    times = max(1, round(num_words / max(1, len(query.split())))) if include_original else 0
    return " ".join([query] * times + list(documents))

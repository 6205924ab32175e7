"""Retrieval in the style of IRCoT: building queries, keeping passages, and restricting the search by titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Message, Passage, Question
from hopweave.text.matching import normalize_answer, num_in_common
from hopweave.text.quotation import QUOTATION_MARKS

Duplicates = Annotated[
    Literal["exact", "fuzzy"],
    "exact: the same passage, or title and text; fuzzy: also passages that are 90% similar, as in the authors' code",
]

_PROMPTS = prompts_beside(__file__)
_WH_WORDS = frozenset({"who", "what", "when", "where", "why", "which", "how", "does", "is"})
_BULLET = lazy_pattern(r"^\W*(?:\d{1,2}\s*[.):]\s*)?")
_LISTED = lazy_pattern(r"[\n;|]")
_ALIKE = 90.0
_MAX_TOKENS_TITLES = 96
_SCOPED_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """How to retrieve.

    Attributes:
        num_hits: K, the number of passages requested with each query.
        max_passages: the maximum number of passages that are kept.
        max_words_retrieved: longer passages are skipped; 0 is no limit.
        duplicates: which passages are duplicates; see `is_held`.
        remove_wh_words: remove question words from queries.
        num_titles: the number of titles that the model names first if the question has a pinned passage; 0 leaves retrieval
            unrestricted.
        max_words_shown: the maximum length of a pinned passage in the prompt for titles.
    """

    num_hits: int
    max_passages: int
    max_words_retrieved: int
    duplicates: Duplicates
    remove_wh_words: bool
    num_titles: int
    max_words_shown: int


@dataclass(slots=True)
class Finder:
    """The passages of one question, in order of acquisition; nothing is removed or re-ranked."""

    options: Finding
    question: Question
    workbench: MethodContext
    held: list[Passage] = field(default_factory=list)
    titles: frozenset[str] = frozenset()
    sent: set[str] = field(default_factory=set)

    async def bound(self) -> None:
        """If the question has a pinned passage: the model names pages, and retrieval is restricted to the closest titles.

        One search is left for the question itself.
        """
        left = self.workbench.num_searches_left
        num = self.options.num_titles if left is None else min(self.options.num_titles, left - 1)
        if not self.question.pinned or num < 1 or not self.workbench.has_retriever:
            return
        said = (await self._named_titles())[:num]
        found = await self.workbench.search(said, 1)
        nearest = [hits[0].passage.title for hits in found if hits and hits[0].passage.title]
        self.titles = frozenset(nearest)
        self.workbench.decide("titles", "; ".join(dict.fromkeys(nearest)) or "no title was found", said=said)

    async def add(self, query: str) -> None:
        """Searches with a query and keeps new passages, up to the cap. A query that cannot add anything is not sent."""
        asked = without_wh_words(query) if self.options.remove_wh_words else query.strip()
        if not asked or asked in self.sent or len(self.held) >= self.options.max_passages:
            why = "the query is empty" if not asked else "sent before" if asked in self.sent else "max_passages are held"
            self.workbench.decide("no_search", why, query=asked)
            return
        self.sent.add(asked)
        hits = await self._search(asked)
        added = self._hold(hits)
        text = f"{len(added)} of {len(hits)} passages are new, {len(self.held)} are held"
        self.workbench.decide("held", text, added=[passage.id for passage in added])

    async def _search(self, query: str) -> list[Hit]:
        if not self.titles:
            return (await self.workbench.search([query], self.options.num_hits))[0]
        hits = (await self.workbench.search([query], max(_SCOPED_DEPTH, self.options.num_hits)))[0]
        return [hit for hit in hits if hit.passage.title in self.titles][: self.options.num_hits]

    def _hold(self, hits: Sequence[Hit]) -> list[Passage]:
        before = len(self.held)
        for passage in (hit.passage for hit in hits):
            is_long = 0 < self.options.max_words_retrieved < len(passage.text.split())
            is_full = len(self.held) >= self.options.max_passages
            if not (is_long or is_full or is_held(passage, [*self.question.pinned, *self.held], self.options.duplicates)):
                self.held.append(passage)
        return self.held[before:]

    async def _named_titles(self) -> list[str]:
        shown = "\n".join(
            fenced(passage, cut_words(passage.text, self.options.max_words_shown)) for passage in self.question.pinned
        )
        prompt = self.workbench.fill(
            _PROMPTS["titles"], num=str(self.options.num_titles), passages=shown, question=self.question.text
        )
        sampling = replace(self.workbench.sampling, max_tokens=_MAX_TOKENS_TITLES, thinking="off")
        reply = await self.workbench.reply([Message("user", prompt)], purpose="titles", sampling=sampling)
        titles = listed_titles(reply.text)[: self.options.num_titles]
        if not titles:
            self.workbench.parse_failed("titles", "no title is in the reply", reply.text)
        return titles


def without_wh_words(query: str) -> str:
    """A query without whole words such as `who` and `which`, which carry no information for a lexical retriever.

    >>> without_wh_words("In which year does it end, and where?")
    'In year it end, and where?'
    """
    return " ".join(word for word in query.split() if word.lower() not in _WH_WORDS)


def is_held(passage: Passage, held: Sequence[Passage], duplicates: Duplicates) -> bool:
    """Whether a passage is a duplicate: by id, by equal title and text, or (`fuzzy`) with both at least 90% similar."""
    for other in held:
        if passage.id == other.id or (passage.title, passage.text) == (other.title, other.text):
            return True
        if (
            duplicates == "fuzzy"
            and likeness(passage.title, other.title) >= _ALIKE
            and likeness(passage.text, other.text) >= _ALIKE
        ):
            return True
    return False


def likeness(left: str, right: str) -> float:
    """The similarity of two texts, 0 to 100: twice their longest common subsequence over their length (the `ratio` of fuzz).

    >>> likeness("abcd", "abed")
    75.0
    """
    total = len(left) + len(right)
    return 200.0 * num_in_common(left, right) / total if total else 100.0


def listed_titles(reply: str) -> list[str]:
    """The titles in a list that a model wrote, one per line (or separated by semicolons), each once."""
    found: dict[str, str] = {}
    for line in _LISTED.split(reply):
        title = _BULLET.sub("", line).strip().strip(f"*_`{QUOTATION_MARKS}.,").strip()
        if title and not title.endswith(":"):
            found.setdefault(normalize_answer(title) or title, title)
    return list(found.values())

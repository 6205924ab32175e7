"""The pages that ReAct navigates: a search opens one, and a lookup steps through its sentences that contain a keyword.

The authors' environment is Wikipedia. Here the corpus replaces it, of which a method sees only what the retriever finds: a
page consists of all passages with one title (`text.document_names.full_title`) among the hits of a single search, `num_hits`
deep. In mode `title`, an entity opens the page with exactly that title (ignoring case, punctuation and articles), read from its
beginning; without such a page, the closest titles are named. In mode `retriever`, the way in which the same retriever serves
all compared methods, the best hit opens its page and comes first on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.answering.toolkit.stepwise import SHOWN_WORDS
from hopweave.core.prompt import fence, prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Passage, Span
from hopweave.text.document_names import full_title
from hopweave.text.matching import normalize_answer
from hopweave.text.sentences import sentence_spans

SearchMode = Literal["retriever", "title"]

_NUM_SIMILAR = 5
_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the passage that it is from."""

    hit: Hit
    span: Span

    @property
    def text(self) -> str:
        """Its words, on one line."""
        return " ".join(self.hit.passage.text[self.span.start : self.span.end].split())


@dataclass(frozen=True, slots=True)
class Page:
    """All sentences that were found under a title."""

    title: str
    sentences: tuple[Sentence, ...]

    def holding(self, keyword: str) -> list[Sentence]:
        """Its sentences that contain a keyword, case-insensitively."""
        wanted = keyword.casefold()
        return [sentence for sentence in self.sentences if wanted in sentence.text.casefold()]


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of an action: the text for the prompt, and the sentences in it."""

    text: str
    sentences: tuple[Sentence, ...] = ()


def sentences_of(hit: Hit) -> list[Sentence]:
    """The sentences of a passage."""
    return [Sentence(hit, span) for span in sentence_spans(hit.passage.text)]


def passages_behind(sentences: Sequence[Sentence]) -> list[Passage]:
    """The passages of sentences, each once, in the order of the sentences."""
    return list({one.hit.passage.id: one.hit.passage for one in sentences}.values())


def page_of(passages: Sequence[Passage]) -> Page:
    """A page that consists of these passages, in order."""
    hits = [Hit(passage, 0.0, rank) for rank, passage in enumerate(passages, start=1)]
    return Page(full_title(passages[0]), tuple(sentence for hit in hits for sentence in sentences_of(hit)))


def opened(page: Page, num_sentences: int) -> Seen:
    """A page as it opens: its first sentences."""
    first = page.sentences[:num_sentences]
    return Seen(fence(cut_words(" ".join(one.text for one in first), SHOWN_WORDS), page.title), first)


def looked_up(workbench: MethodContext, results: Sequence[Sentence], number: int) -> Seen:
    """The result of a lookup with a number, from 1."""
    sentence = results[number - 1]
    shown = fence(cut_words(sentence.text, SHOWN_WORDS))
    text = workbench.fill(_PROMPTS["result"], number=str(number), num_results=str(len(results)), sentence=shown)
    return Seen(text, (sentence,))


@dataclass(slots=True)
class Wiki:
    """The state of one question.

    Attributes:
        workbench: the question's workbench.
        mode: how an entity becomes a page; see the module's docstring.
        num_hits: how many hits are considered for the passages of a page, and for similar titles.
        num_sentences: how many sentences of a page are shown when it opens.
        page: the page that is open.
        keyword: the keyword that was last looked up on it.
        num_given: how many of its results were shown.
    """

    workbench: MethodContext
    mode: SearchMode
    num_hits: int
    num_sentences: int
    page: Page | None = None
    keyword: str = ""
    num_given: int = 0

    async def search(self, entity: str) -> Seen:
        """Opens the page of an entity. If there is none, no page is open afterwards.

        Raises:
            SearchError, BudgetReached: as in `MethodContext.search`.
        """
        hits = (await self.workbench.search([entity], self.num_hits))[0]
        self.page, self.keyword, self.num_given = None, "", 0
        if not hits:
            return Seen(self.workbench.fill(_PROMPTS["nothing"]))
        best = hits[0] if self.mode == "retriever" else next((hit for hit in hits if _is_title(entity, hit)), None)
        if best is None:
            return Seen(self.workbench.fill(_PROMPTS["no_such_title"], titles=fence(_titles(hits))))
        self.page = self._page(best, hits)
        return opened(self.page, self.num_sentences)

    def lookup(self, keyword: str) -> Seen:
        """The next sentence of the page that contains a keyword; a new keyword starts over."""
        if self.page is None:
            return Seen(self.workbench.fill(_PROMPTS["no_page"]))
        if _key(keyword) != _key(self.keyword):
            self.keyword, self.num_given = keyword, 0
        results = self.page.holding(self.keyword)
        if self.num_given >= len(results):
            return Seen(self.workbench.fill(_PROMPTS["no_more"]))
        self.num_given += 1
        return looked_up(self.workbench, results, self.num_given)

    def has_more(self, keyword: str) -> bool:
        """Whether looking the same keyword up again shows another sentence."""
        is_same = self.page is not None and _key(keyword) == _key(self.keyword)
        return is_same and self.page is not None and self.num_given < len(self.page.holding(self.keyword))

    def _page(self, best: Hit, hits: Sequence[Hit]) -> Page:
        title = full_title(best.passage)
        same = [hit for hit in hits if title and _key(full_title(hit.passage)) == _key(title)] or [best]
        parts = list({hit.passage.id: hit for hit in sorted(same, key=_place)}.values())
        if self.mode == "retriever":
            parts.sort(key=lambda hit: hit.passage.id != best.passage.id)
        return Page(title, tuple(sentence for hit in parts for sentence in sentences_of(hit)))


def _place(hit: Hit) -> tuple[bool, str, int, int]:
    """The position of a passage in its document, if it is known; otherwise its rank, after all known positions."""
    start = hit.passage.start
    return (start is None, "" if start is None else hit.passage.source, start or 0, hit.rank)


def _is_title(entity: str, hit: Hit) -> bool:
    return any(title and _key(title) == _key(entity) for title in (hit.passage.title, full_title(hit.passage)))


def _titles(hits: Sequence[Hit]) -> str:
    titles: dict[str, str] = {}
    for hit in hits:
        title = " ".join(full_title(hit.passage).split())
        if title:
            titles.setdefault(_key(title), title)
    nearest = list(titles.values())[:_NUM_SIMILAR]
    return "\n".join(cut_words(title, SHOWN_WORDS) for title in nearest)


def _key(text: str) -> str:
    return normalize_answer(text) or " ".join(text.casefold().split())

"""The passages that were found for a question, the numbers by which the model knows them, and how they are shown to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopweave.answering.toolkit.fenced import fenced
from hopweave.core.prompt import escape, fence, prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Passage
from hopweave.text.content_words import estimated_tokens
from hopweave.text.document_names import full_heading
from hopweave.text.evidence import Evidence, chosen_sentences, condensed_text
from hopweave.text.matching import normalize_answer

_PROMPTS = prompts_beside(str(Path(__file__).with_name("tool_agent.py")))

MAX_TOKENS_READ = 3000
"""The longest passage that is shown whole. Passages are short; in a corpus of whole documents they may not be."""

_GAP = " ... "
_LONGEST_TITLE = 200  # characters; the titles of some files are entire texts


@dataclass(frozen=True, slots=True)
class FoundBy:
    """A search that found a passage: its query, and the decision to search."""

    query: str
    step: int


@dataclass(slots=True)
class Shelf:
    """The passages of one question, numbered from 1 in the order in which they were found.

    Attributes:
        workbench: the question's workbench.
        max_tokens: tokens of passages that are shown for a query; 0 shows all of them whole.
        passages: passage 1, 2, ...
        found_by: the searches that found a passage, by its id; none for one that came with the question.
        asked: for each query so far, the numbers of the passages that it found.
        whole: the numbers of the passages whose entire text is in the conversation.
        shown: the numbers of the passages of which text was shown since the conversation last took note of them.
    """

    workbench: MethodContext
    max_tokens: int
    passages: list[Passage] = field(default_factory=list)
    found_by: dict[str, list[FoundBy]] = field(default_factory=dict)
    asked: dict[str, tuple[int, ...]] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    shown: list[int] = field(default_factory=list)

    def passage(self, number: int) -> Passage | None:
        """The passage with a number; `None` if there is none."""
        return self.passages[number - 1] if 1 <= number <= len(self.passages) else None

    def known(self, query: str) -> tuple[int, ...] | None:
        """The numbers of the passages that a query has found before; `None` if it is new."""
        return self.asked.get(key_of_query(query))

    def given(self, passages: Iterable[Passage]) -> str:
        """The passages that come with the question, whole."""
        return "\n".join(self._shown_whole(self._number(passage)) for passage in passages)

    def depth(self, num_queries: int, num_passages: int) -> int:
        """How many hits to request for each of several queries, so that each can show as many that are new to the model."""
        return num_queries * num_passages + len(self.whole)

    def found(self, query: str, hits: Sequence[Hit], step: int, num_passages: int) -> str:
        """The hits of a query as they are shown: whole if they fit, else their likeliest sentences.

        A passage whose entire text is in the conversation already is only named, and does not count.

        Args:
            query: the query.
            hits: its hits, best first.
            step: the decision to search.
            num_passages: how many hits may be shown.
        """
        hits = self._with_new(hits, num_passages)
        numbers = [self._number(hit.passage, FoundBy(query, step)) for hit in hits]
        self.asked[key_of_query(query)] = tuple(numbers)
        seen = [number for number in numbers if number in self.whole]
        new = [(number, hit) for number, hit in zip(numbers, hits, strict=True) if number not in self.whole]
        excerpts = self._excerpts(query, [hit for _, hit in new])
        shown = [self.workbench.fill(_PROMPTS["above"], numbers=numbers_shown(seen))] if seen else []
        for number, hit in new:
            excerpt = excerpts.get(hit.passage.id)
            shown.append(self._shown_whole(number) if excerpt is None else self._excerpt(number, excerpt))
        passages = "\n".join(shown) or self.workbench.fill(_PROMPTS["nothing"])
        return self.workbench.fill(_PROMPTS["found"], query=escape(query), passages=passages)

    def opened(self, number: int) -> str:
        """A passage whole, or as much of it as can be shown, with the numbers of other parts of its document."""
        passage = self.passages[number - 1]
        if estimated_tokens(passage.text) <= MAX_TOKENS_READ:
            shown = self._shown_whole(number)
        else:
            query = " ".join(found_by.query for found_by in self.found_by.get(passage.id, ()))
            text = condensed_text(query, passage, MAX_TOKENS_READ)
            shown = self._excerpt(number, text)
            self.whole.add(number)  # no more of it will be shown
        parts = self._parts_of_the_same(number)
        more = self.workbench.fill(_PROMPTS["parts"], numbers=numbers_shown(parts)) if parts else ""
        return "\n".join(filter(None, [shown, more]))

    def leave_out(self, numbers: Iterable[int]) -> str:
        """A line for each passage that is no longer shown: it can be searched for or read again."""
        gone = list(numbers)
        self.whole.difference_update(gone)
        titles = {number: fence("", _title(self.passages[number - 1])) for number in gone}
        lines = (self.workbench.fill(_PROMPTS["left_out"], number=str(number), title=title) for number, title in titles.items())
        return "\n".join(lines)

    def _number(self, passage: Passage, found_by: FoundBy | None = None) -> int:
        """The number of a passage; a new one gets the next."""
        if found_by is not None:
            self.found_by.setdefault(passage.id, []).append(found_by)
        for number, one in enumerate(self.passages, start=1):
            if one.id == passage.id:
                return number
        self.passages.append(passage)
        return len(self.passages)

    def _with_new(self, hits: Sequence[Hit], num: int) -> list[Hit]:
        """The hits down to the last of `num` that are new; those among them that are shown already are kept."""
        seen = {self.passages[number - 1].id for number in self.whole}
        kept: list[Hit] = []
        for hit in hits:
            if num == 0:
                break
            num -= hit.passage.id not in seen
            kept.append(hit)
        return kept

    def _shown_whole(self, number: int) -> str:
        passage = self.passages[number - 1]
        self.whole.add(number)
        self.shown.append(number)
        return self.workbench.fill(_PROMPTS["passage"], number=str(number), passage=fenced(passage))

    def _excerpt(self, number: int, text: str) -> str:
        self.shown.append(number)
        passage = fence(text, _title(self.passages[number - 1]))
        return self.workbench.fill(_PROMPTS["excerpt"], number=str(number), passage=passage)

    def _excerpts(self, query: str, hits: Sequence[Hit]) -> dict[str, str]:
        """The likeliest sentences of each passage, by its id; a passage that is to be shown whole is missing."""
        tokens = sum(estimated_tokens(f"{full_heading(hit.passage)}\n{hit.passage.text}") for hit in hits)
        if not self.max_tokens or tokens <= self.max_tokens:
            return {}
        chosen: dict[str, list[Evidence]] = {hit.passage.id: [] for hit in hits}
        for one in chosen_sentences(query, hits, self.max_tokens):
            chosen[one.passage.id].append(one)
        joined = {hit.passage.id: _joined(hit.passage, chosen[hit.passage.id]) for hit in hits}
        return {hit.passage.id: text for hit in hits if (text := joined[hit.passage.id]) != hit.passage.text.strip()}

    def _parts_of_the_same(self, number: int) -> list[int]:
        """Other passages of the same document, in its order, if that is known."""
        here = self.passages[number - 1]
        if not here.source or here.start is None:
            return []
        parts = [
            (one.start, other)
            for other, one in enumerate(self.passages, start=1)
            if other != number and one.source == here.source and one.start is not None
        ]
        return [other for _, other in sorted(parts)]


def numbers_shown(numbers: Iterable[int]) -> str:
    """Numbers of passages as they are shown: `[1], [3]`."""
    return ", ".join(f"[{number}]" for number in numbers)


def _joined(passage: Passage, chosen: Sequence[Evidence]) -> str:
    """Sentences of a passage, with a sign where some are left out."""
    parts: list[str] = []
    end = 0
    for one in chosen:
        between = passage.text[end : one.span.start]
        parts += [_GAP if between.strip() else between, one.text]
        end = one.span.end
    return "".join([*parts, _GAP if passage.text[end:].strip() else ""]).strip()


def _title(passage: Passage) -> str:
    """The title; a long one is cut."""
    heading = full_heading(passage)
    return heading if len(heading) <= _LONGEST_TITLE else f"{heading[:_LONGEST_TITLE].rstrip()} ..."


def key_of_query(query: str) -> str:
    """The same for queries that differ only in case, punctuation and articles."""
    return normalize_answer(query) or query.casefold()

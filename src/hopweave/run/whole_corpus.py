"""Answers questions about the documents as a whole without a model, by what is certain (`whole_corpus = "listing"`).

"Which documents mention the lighthouse?" gets the documents that a search finds, each with the sentence that mentions it.
"What are these documents about?" gets their number and some titles, and is told that hopweave does not read them all. Neither
is left to a method, which would answer from a few passages as if these were everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.citations.citing import cite, locate, on_one_line
from hopweave.citations.marking import LISTING, OVERVIEW
from hopweave.citations.support import mention_of
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Answer, Citation, Hit, Passage, Span
from hopweave.ingest.lookup import count_documents, document_id_of
from hopweave.run.corpus_overview import Overview
from hopweave.run.whole_corpus_questions import Wanted, WholeCorpus
from hopweave.run.workbench import Workbench
from hopweave.text.content_words import anchors
from hopweave.text.key_terms import words_in
from hopweave.text.matching import is_contained
from hopweave.text.sentences import sentence_spans

LABEL = "whole_corpus"
"""The label of the decision that a question is about the documents as a whole."""

MAX_HITS = 100
"""How many passages are searched for a mention."""
MAX_LISTED = 20
"""How many documents are listed."""
MAX_NAMED = 5
"""How many documents the bare answer names; of more, it is their number."""

_OR = lazy_pattern(r"\s+or\s+", re.IGNORECASE)
_BOTH = lazy_pattern(r"(?:both|either|any|some)\s+", re.IGNORECASE)
_PLURAL, _ENDING = lazy_pattern(r"(?<=\w{3})(?:e?(?<!s)s|es)$"), lazy_pattern(r"(?<=\w{3})(?:ed|ing|ie|i|e|y)$")
_READS_SOME = "hopweave answers from the passages that a search finds and does not read all documents, so it does not"
_NOT_DONE: Mapping[Wanted, str] = {
    "topics": f"{_READS_SOME} say what they are about as a whole.",
    "summary": f"{_READS_SOME} summarise them.",
}
_INSTEAD = (
    'Ask about something in them, or "Which documents mention ...?" for a listing. On the command line, '
    "hopweave index --to INDEX --list lists them, and hopweave search WORDS --corpus INDEX searches them."
)


async def answer_whole_corpus(asked: WholeCorpus, workbench: Workbench) -> Answer:
    """The answer to a question about the documents as a whole. No model is called.

    Args:
        asked: what the question asks for.
        workbench: that of the question, which searches at most once.

    Raises:
        SearchError, BudgetReached: as `Workbench.search` and `Workbench.overview` do.
    """
    if asked.wanted == "listing":
        return await _listing(asked, workbench)
    known = await workbench.overview()
    data: dict[str, Any] = {}
    if known is not None:
        data = {"documents": known.documents.num_all, "passages": known.num_passages, "is_complete": known.is_complete}
        if known.documents.num_records:
            data |= {"records": known.documents.num_records, "files_of_records": known.documents.num_files}
    workbench.decide(LABEL, f"asks for the {asked.wanted} of all documents, which no search finds", **data)
    parts = [_NOT_DONE.get(asked.wanted, ""), _certain(known), _INSTEAD]
    is_counted = asked.wanted == "number" and known is not None and known.is_complete
    short = str(known.documents) if known is not None and is_counted else ""
    return Answer(" ".join(filter(None, parts)), short, how=OVERVIEW)


async def _listing(asked: WholeCorpus, workbench: Workbench) -> Answer:
    subject = _on_one_line(asked.subject)
    step = workbench.decide(LABEL, f"asks for the documents that mention {subject}, which a search lists")
    with workbench.under(step):
        [hits] = await workbench.underneath.search([asked.subject], MAX_HITS)
    mentions = _by_document(hits, _wanted_words(asked))
    listed = mentions[:MAX_LISTED]
    query = f"documents that mention {subject}"
    names = _names([mention.passage for mention in listed])
    claims = [
        mention_of(query, name, mention.cited(mark))
        for mark, (name, mention) in enumerate(zip(names, listed, strict=True), start=1)
    ]
    lines = [f"- {name} [{mark}]" for mark, name in enumerate(names, start=1)]
    text = "\n\n".join(filter(None, [_found(subject, mentions), "\n".join(lines), _bounds(len(hits), len(mentions))]))
    ids = tuple(hit.passage.id for hit in hits)
    short = "; ".join(names) if len(mentions) <= MAX_NAMED else _num_documents(mentions)
    return Answer(text, short, tuple(claims), how=LISTING, passage_ids=ids)


def _num_documents(mentions: Sequence[_Mention]) -> str:
    return str(count_documents(mention.passage for mention in mentions))


def _found(subject: str, mentions: Sequence[_Mention]) -> str:
    num = len(mentions)
    if not num:
        return f'Search found no document that mentions "{subject}".'
    most = f", of which the best {MAX_LISTED} are listed" if num > MAX_LISTED else ""
    return f'Search found {_num_documents(mentions)} that mention{"s" if num == 1 else ""} "{subject}"{most}:'


def _bounds(num_hits: int, num: int) -> str:
    """What a listing by search is not."""
    if not num_hits:
        return "No passage has any of these words. A document may say it in others."
    searched = f"the best {num_hits} passages" if num_hits >= MAX_HITS else _counted(num_hits, "passage")
    others = "Others may mention it, too," if num else "A document may mention it"
    return f"This is what search found in {searched}, not a reading of all documents. {others} in other words."


def _certain(known: Overview | None) -> str:
    """How many documents there are, and some of their titles."""
    if known is None:
        return "How many documents there are is not known here."
    num = known.documents.num_all
    if not num:
        return "There is no document that you can search."
    least = "" if known.is_complete else "at least "
    documents = f"{known.documents}{',' if known.documents.num_records else ''}"
    among = "among them" if num > len(known.titles) or not known.is_complete else "namely"
    titles = "; ".join(f'"{_on_one_line(title)}"' for title in known.titles)
    return f"You can search {least}{documents} in {_counted(known.num_passages, 'passage')}, {among} {titles}."


def _counted(num: int, noun: str) -> str:
    return f"{num:,} {noun}{'' if num == 1 else 's'}"


def _on_one_line(text: str) -> str:
    return on_one_line(text).replace("](", "] (")  # a client that renders Markdown must not load what a title names


@dataclass(frozen=True, slots=True)
class _Mention:
    """A sentence of a passage that mentions something.

    Attributes:
        num_words: how many of the wanted names and words it has, the title having the others; -1 if it only repeats the title.
        passage: the passage.
        sentence: the sentence.
        words: the first of them in the sentence; `None` if all are in the title.
    """

    num_words: int
    passage: Passage
    sentence: Span
    words: Span | None

    def cited(self, mark: int) -> Citation:
        return (
            cite(mark, self.passage, self.words) if self.words else replace(cite(mark, self.passage, self.sentence), focus=None)
        )


def _by_document(hits: Iterable[Hit], wanted: Sequence[Sequence[str]]) -> list[_Mention]:
    """The best mention in each document, in the order in which the documents were found."""
    best: dict[str, _Mention] = {}
    for hit in hits:
        found = [mention for words in wanted if (mention := _mention_in(hit.passage, words)) is not None]
        document = document_id_of(hit.passage)
        known = [best[document]] if document in best else []
        if found:
            best[document] = max([*known, *found], key=lambda mention: mention.num_words)
    return list(best.values())


def _mention_in(passage: Passage, words: Sequence[str]) -> _Mention | None:
    """The first sentence with most of the words, if the title has all others; one that repeats the title is the last choice."""
    titled = {word for word in words if _place(word, passage.title)}
    found: list[_Mention] = []
    for span in sentence_spans(passage.text):
        sentence = passage.text[span.start : span.end]
        places = {word: place for word in words if (place := _place(word, sentence)) is not None}
        if titled | places.keys() == set(words) and any(map(str.isalnum, sentence)):
            first = min(places.values(), key=lambda place: place.start, default=None)
            focus = Span(span.start + first.start, span.start + first.end) if first is not None else None
            num_words = -1 if is_contained(sentence, passage.title) else len(places)
            found.append(_Mention(num_words, passage, span, focus))
    return max(found, key=lambda mention: mention.num_words, default=None)


def _wanted_words(asked: WholeCorpus) -> list[list[str]]:
    """For each alternative (`whales or seals`) the names and words that a mention has; those in quotation marks are one."""
    if asked.is_quoted:
        return [[asked.subject]]
    return [words for one in _OR.split(_BOTH.sub("", asked.subject, count=1)) if (words := _names_and_words(one))]


def _names_and_words(subject: str) -> list[str]:
    names = [name for name in anchors(subject) if " " in name]
    rest = subject
    for name in names:
        rest = rest.replace(name, " ")
    return [*names, *(word.written for word in words_in(rest) if word.says_something)]


def _place(word: str, text: str) -> Span | None:
    """Where a text has a name, or a word in any form."""
    place = locate(word, text)
    if place is not None or " " in word:
        return place
    [same] = (_without_ending(one.key) for one in words_in(word)[:1])
    return next((Span(one.start, one.end) for one in words_in(text) if _without_ending(one.key) == same), None)


def _without_ending(word: str) -> str:
    return _ENDING.sub("", _PLURAL.sub("", word))


def _names(passages: Sequence[Passage]) -> list[str]:
    """The titles of documents, with the file where several have the same or one has none; with the id if that is not enough."""
    titles = [_on_one_line(passage.title) for passage in passages]
    files = [_on_one_line(passage.source.partition("#")[0]) for passage in passages]
    ids = [_on_one_line(document_id_of(passage)) for passage in passages]
    titled = list(zip(titles, files, strict=True))
    places = [file if file and titled.count(one) == 1 else name for one, file, name in zip(titled, files, ids, strict=True)]
    return [
        one if one and titles.count(one) == 1 else f"{one} ({place})" if one else place
        for one, place in zip(titles, places, strict=True)
    ]

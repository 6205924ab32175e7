"""The entities of passages and queries, found without a model: names and dates, as keys that an index can look up.

A name is a run of capitalised words (`content_words.anchors`); the title of a passage is one as well, and each of its sentences
counts as mentioning it, since most say "he" or "the film" instead. A number without a word is no entity, unless it is a title.

The key of an entity is that of a title (see `links`), without an article at the beginning: `The Long Tide`, `Long Tide` and
`Long Tide (film)` are one entity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage
from hopweave.retrieval.index.links import mentions, title_key
from hopweave.text.content_words import anchors, words_of
from hopweave.text.sentences import sentence_spans

_ARTICLE = lazy_pattern(r"\A(?:the|an?) (?=.)")
_BEFORE_A_WORD = lazy_pattern(r"[\W_]*")


class Mention(NamedTuple):
    """A mention of an entity.

    Attributes:
        key: of the entity.
        is_sure: whether its capital shows that it is a name. A single word at the beginning of a sentence has one anyway.
    """

    key: str
    is_sure: bool


class Sentence(NamedTuple):
    """A sentence of a passage.

    Attributes:
        text: its text; that of the first one begins with the title.
        mentions: of the title, and of what the sentence itself mentions, each entity once.
    """

    text: str
    mentions: Sequence[Mention]


class KnownEntities(Protocol):
    """The entities of a corpus, as far as finding them in a query requires."""

    def has(self, key: str) -> bool:
        """Whether there is an entity with this key."""

    def num_beginning(self, words: str) -> int:
        """How many keys begin with these words."""


class NamesOfQuery(NamedTuple):
    """The names in a query, as keys.

    Attributes:
        known: those of entities of the corpus.
        others: all others.
    """

    known: Sequence[str]
    others: Sequence[str]


def entity_key(name: str) -> str:
    """The key of an entity; empty if the name has no words, or too many.

    >>> [entity_key(name) for name in ("The Long Tide (film)", "Amélie", "The The", "A")]
    ['long tide', 'amelie', 'the', 'a']
    """
    return _ARTICLE.sub("", title_key(name))


def sentences_of(passage: Passage) -> Iterator[Sentence]:
    """The sentences of a passage with the entities that they mention; at least one sentence, which may be empty."""
    key = entity_key(passage.title)
    of_title = [Mention(key, is_sure=True)] if key else []
    texts = [passage.text[span.start : span.end] for span in sentence_spans(passage.text)] or [""]
    for number, text in enumerate(texts):
        yield Sentence(text if number else f"{passage.title}\n{text}", [*of_title, *mentions_in(text)])


def mentions_in(sentence: str) -> list[Mention]:
    """The entities that a sentence mentions, in order, each once.

    >>> [(one.key, one.is_sure) for one in mentions_in("Kerrow was left by Lina Holt on 3 May 1964, for 12 years.")]
    [('kerrow', False), ('lina holt', True), ('3 may 1964', True)]
    """
    start = match.end() if (match := _BEFORE_A_WORD.match(sentence)) else 0
    found: dict[str, bool] = {}
    for name in anchors(sentence):
        key = entity_key(name)
        if any(map(str.isalpha, key)) and words_of(name):  # a capital does not make a name of "He" or "In"
            found[key] = found.get(key, False) or " " in key or not sentence.startswith(name, start)
    return [Mention(key, is_sure) for key, is_sure in found.items()]


def names_in(query: str, entities: KnownEntities) -> NamesOfQuery:
    """The names in a query.

    Known ones are looked for from left to right, each as long as possible, so one may consist of what would otherwise be
    several names (`First for Women`). In a query in small letters, only known ones of two words or more are found.

    Args:
        query: any text.
        entities: those of the corpus.
    """
    names = {key: name for name in anchors(query) if (key := entity_key(name))}
    words = {word for key in names for word in key.split()}
    found = mentions(
        query,
        any_case=query.islower(),
        is_title=entities.has,
        num_titled=lambda key: int(entities.has(key)),
        num_opened=entities.num_beginning,
    )
    # A single word may have its capital from the beginning of the query.
    known = [key for key in dict.fromkeys(one.key for one in found) if " " in key or key in words]
    taken = {word for key in known for word in key.split()}
    return NamesOfQuery(known, [key for key, name in names.items() if words_of(name) and taken.isdisjoint(key.split())])

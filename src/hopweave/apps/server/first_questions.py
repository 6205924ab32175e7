"""What a corpus holds, and questions to begin with, made from its passages: no model is called.

Each question comes from words of passages that answer it, in this order: a heading that asks; two passages of which one names
the other, the first saying how ("designed by ...") and the second something of it ("born in ..."); two passages that name each
other; a sentence that says what something is; the heading of a section, unless any document might have such a section; and a
title on its own. The wording is English; of a corpus in another language, headings and titles remain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.ingest.formats import DOCUMENT_SUFFIXES, IMAGE_SUFFIXES, RECORD_SUFFIXES, SOURCE_CODE_SUFFIXES
from hopweave.ingest.lookup import count_documents, document_id_of
from hopweave.text.key_terms import words_in
from hopweave.text.sentences import first_sentence
from hopweave.text.white_space import evenly_spaced

MAX_QUESTIONS = 3
MAX_READ = 10_000
"""Passages that are read, at most: the rest of a larger corpus is not looked at."""
MAX_PER_DOCUMENT = 3
MAX_SAMPLED = 1_500
_MAX_WORDS = 7
_MAX_CHARACTERS = 60
_MAX_BEGINNING = 400

_FORMATS = {
    ".md": "Markdown", ".markdown": "Markdown", ".txt": "text", ".htm": "HTML", ".log": "text", ".adoc": "AsciiDoc",
    ".asciidoc": "AsciiDoc", ".dbk": "DocBook", ".mediawiki": "MediaWiki", ".org": "Org", ".tex": "LaTeX",
    ".textile": "Textile", ".typ": "Typst", ".info": "Info",
}  # fmt: skip
_KNOWN_SUFFIXES = RECORD_SUFFIXES | DOCUMENT_SUFFIXES | IMAGE_SUFFIXES | SOURCE_CODE_SUFFIXES
_SUFFIX = lazy_pattern(r"(\.[a-z0-9]{1,8})(?:\.(?:gz|bz2|xz|zst))?(?:#[^/]*)?$", re.IGNORECASE)
_NO_TOPIC = lazy_pattern(
    r"[/\\_<>{}|=@?]|^\W|\.\w{1,5}$|^\S*\w\.\w\S*$|^(?:[\d\W]+|[ivxlc]+\W?)$"
    r"|^(?:\S+-)?(?:changelog|copyright|licen[cs]e|readme)(?:-\S+)?$",  # the name of a file
    re.IGNORECASE,
)
_GENERAL_TITLES = """
about abstract acknowledgements acknowledgments appendix authors bugs changelog changes chapter conclusion contents
copyright credits default description details example examples faq features files general history index installation
introduction licence license links name news notes options overview preface readme references requirements resources summary
synopsis title troubleshooting untitled usage version warning"""
_GENERAL = frozenset(_GENERAL_TITLES.split())
_GENERAL_WORDS = """
also arguments asked author awards background basic bibliography bug building career changes children code command commands
common conforming contact death definitions detailed diagnostics discussion early education environment error errors example
exit external family first frequently further getting guide honours information issues known later legacy life list main
marriage messages methods more new note option other parameters part personal prerequisites publications purpose questions
quick reading related release reporting results return returns scope section see selected setup standards start started
starting status steps support syntax table tutorial use using value values variables what work works years"""
_GENERAL_IN_HEADINGS = _GENERAL | frozenset(_GENERAL_WORDS.split())
"""Words of which a heading says nothing if it has no others: documents on anything have sections of such names."""
_NUMBERING = lazy_pattern(
    r"(?:(?:chapter|section|part|appendix)\s+[\dA-Z]+[.:)]?|[\dA-Z]+(?:\.\d+)+[.:)]?|(?:\d+|[IVX]+)[.:)])\s+", re.IGNORECASE
)
_COUNTING = lazy_pattern(r"(\d{1,2})\s+(?=[^\W\d_])")
_ASKS = lazy_pattern(r"(?:who|what|when|where|which|why|how|can|do|does|is|are|should)\b.{8,}\?", re.IGNORECASE)
_VAGUE = lazy_pattern(r"\b(?:it|this|that|these|those|they|here|above|below|following)\b", re.IGNORECASE)
_HOW_TO = lazy_pattern(r"how to ([a-z][a-z-]+ .{4,})", re.IGNORECASE)

_ROLES = {
    "designed by": "the designer of {}",
    "written by": "the author of {}",
    "directed by": "the director of {}",
    "composed by": "the composer of {}",
    "painted by": "the painter of {}",
    "founded by": "the founder of {}",
    "invented by": "the inventor of {}",
    "discovered by": "the discoverer of {}",
    "commanded by": "the commander of {}",
    "married": "the person whom {} married",
}
"""How a passage may name another, and what that other is then called."""
_ROLE = lazy_pattern(rf"\b({'|'.join(_ROLES)}) (?:the )?")
_FACTS = (
    (lazy_pattern(r"\bborn (?:\w+ \w+ )?in (?!\d)"), "Where was {} born?"),
    (lazy_pattern(r"\bborn (?:[^.]{0,40}? )?in \d{4}\b"), "In which year was {} born?"),
    (lazy_pattern(r"\bdied (?:[^.]{0,40}? )?in \d{4}\b"), "In which year did {} die?"),
    (lazy_pattern(r"\bstudied (?:at|in) "), "Where did {} study?"),
)
"""What a passage may say of a person, and the question that this answers."""
_IS = lazy_pattern(
    r"(?P<name>[^\W\d_][^\s,;:()]*(?: [^\s,;:()]+){0,4}?)(?: \([^()]*\))?,? "
    r"(?P<verb>is|was|are|were) (?:an?|the|one|any) "
)
"""The beginning of a sentence that says what something is."""
_PERSON = lazy_pattern(r"\b(?:he|she|his|her|born)\b", re.IGNORECASE)
_WORD = lazy_pattern(r"[^\W_][\w'’.-]*")


@dataclass(frozen=True, slots=True)
class Overview:
    """What a corpus holds, as far as a user may see it.

    Attributes:
        num_passages: `None` if there are more than were looked at.
        num_documents: likewise; each row of a table and each record is one.
        num_records: likewise, the rows and records; see `ingest.lookup.NumDocuments`.
        num_files: likewise, the files that hold these.
        formats: of the files that the passages are from, the commonest first.
        titles: of some documents, or headings of the only one; at most three.
        questions: to begin with, at most `MAX_QUESTIONS`.
    """

    num_passages: int | None = None
    num_documents: int | None = None
    num_records: int | None = None
    num_files: int | None = None
    formats: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


NOTHING_KNOWN = Overview()
"""Of a corpus whose passages cannot be listed."""


def overview_of(passages: Iterable[Passage], visible: Visible) -> Overview:
    """Looks over the passages that a user may see: of a large corpus, over the first `MAX_READ`.

    Args:
        passages: all of them, hidden ones included, in any fixed order.
        visible: those that may be shown.
    """
    everything = iter(passages)
    documents: Counter[str] = Counter()
    first_of_each: list[Passage] = []
    formats: Counter[str] = Counter()
    sample: list[Passage] = []
    for passage in filter(visible.shows, islice(everything, MAX_READ)):
        document = document_id_of(passage)
        if documents[document] < MAX_PER_DOCUMENT and len(sample) < MAX_SAMPLED:
            sample.append(passage)
        if not documents[document]:
            first_of_each.append(passage)
        documents[document] += 1
        if found := _SUFFIX.search(passage.source):
            formats[_format(found[1].lower())] += 1
    is_all = next(everything, None) is None
    headings = _headings(sample) if is_all and len(documents) == 1 else {}
    num = count_documents(first_of_each)
    return Overview(
        num_passages=documents.total() if is_all else None,
        num_documents=num.num_all if is_all else None,
        num_records=num.num_records if is_all else None,
        num_files=num.num_files if is_all else None,
        formats=tuple(name for name, _ in formats.most_common()),
        titles=tuple(islice(headings or _topics(sample), 3)),
        questions=questions_from(sample),
    )


def _format(suffix: str) -> str:
    """The name of a format for people; what is recognised by its content, such as `Apache-2.0` or `ls.1`, is text."""
    return _FORMATS.get(suffix, suffix[1:].upper()) if suffix in _KNOWN_SUFFIXES else "text"


def questions_from(passages: Sequence[Passage]) -> tuple[str, ...]:
    """Questions that these passages answer, about different things, the most telling first; the same for the same passages."""
    topics = _topics(passages)
    kinds = (
        _asked(passages),
        _in_two_hops(topics),
        _connected(topics),
        _defined(passages),
        _treated(_headings(passages)),
        _named(topics),
    )
    asked: dict[str, None] = {}
    used: set[str] = set()
    for kind, most in zip(kinds, (2, 2, 1, 2, 2, MAX_QUESTIONS), strict=True):
        num = 0
        for question, about in kind:
            if num == most or len(asked) == MAX_QUESTIONS:
                break
            if used.isdisjoint(about):
                asked[question] = None
                used |= about
                num += 1
    return tuple(asked)


Made = Iterator[tuple[str, frozenset[str]]]
"""Questions, each with the titles that it is about."""


def _topics(passages: Iterable[Passage]) -> dict[str, Passage]:
    """The first passage of each title that is a name of something, and of one document only."""
    titled = ((evenly_spaced(passage.title), passage) for passage in passages)
    return _of_one_document((title, passage) for title, passage in titled if _is_topic(title))


def _headings(passages: Iterable[Passage]) -> dict[str, Passage]:
    """The first passage under each heading that says what its section is about, and is in one document only."""
    all_of_them = list(passages)
    headings = _bare_headings(all_of_them)
    headed = (
        (next((one for one in map(headings.__getitem__, reversed(passage.sections)) if _says_something(one)), ""), passage)
        for passage in all_of_them
    )
    return _of_one_document((heading, passage) for heading, passage in headed if heading)


def _of_one_document(named: Iterable[tuple[str, Passage]]) -> dict[str, Passage]:
    found: dict[str, Passage] = {}
    documents: dict[str, set[str]] = {}
    for name, passage in named:
        found.setdefault(name, passage)
        documents.setdefault(name, set()).add(document_id_of(passage))
    return {name: passage for name, passage in found.items() if len(documents[name]) == 1}


def _bare_headings(passages: Iterable[Passage]) -> dict[str, str]:
    """Headings without their numbers. `1 Overview` has one if the number before or after it begins another heading, too."""
    found = {text: evenly_spaced(text) for passage in passages for text in passage.sections}
    plain = {text: counting for text, heading in found.items() if (counting := _COUNTING.match(heading))}
    numbers = {int(counting[1]) for counting in plain.values()}
    for text, counting in plain.items():
        if numbers & {int(counting[1]) - 1, int(counting[1]) + 1}:
            found[text] = found[text][counting.end() :]
    return {text: _heading(heading) for text, heading in found.items()}


def _heading(text: str) -> str:
    """A heading without its number."""
    heading = evenly_spaced(text)
    numbered = _NUMBERING.match(heading)
    return heading[numbered.end() if numbered else 0 :].rstrip(" :.")


def _says_something(heading: str) -> bool:
    """Whether a heading is a topic by itself: of several words, not all of which could stand above anything."""
    words = [word.written.lower() for word in words_in(heading) if word.says_something]
    is_general = all(word in _GENERAL_IN_HEADINGS for word in words)
    return _is_topic(heading) and len(words) > 1 and not is_general and not heading.isupper() and not _VAGUE.search(heading)


def _is_topic(title: str) -> bool:
    words = title.split()
    is_short = 1 < len(title) <= _MAX_CHARACTERS and len(words) <= _MAX_WORDS
    return is_short and not _NO_TOPIC.search(title) and title.lower().strip(" :.") not in _GENERAL


def _asked(passages: Sequence[Passage]) -> Made:
    """Headings that are questions, or say how to do something."""
    for heading in (_heading(one) for passage in passages for one in (*reversed(passage.sections), passage.title)):
        if len(heading) > 2 * _MAX_CHARACTERS or _VAGUE.search(heading):
            continue
        if how := _HOW_TO.fullmatch(heading):
            yield f"How do I {how[1][0].lower()}{how[1][1:]}?", frozenset({heading})
        elif _ASKS.fullmatch(heading):
            yield f"{heading[0].upper()}{heading[1:]}", frozenset({heading})


def _in_two_hops(topics: Mapping[str, Passage]) -> Made:
    """Questions about something that one passage names only by what it is to another."""
    for title, passage in topics.items():
        for role in _ROLE.finditer(passage.text):
            other = _name_at(passage.text[role.end() :], topics)
            fact = next((asks for says, asks in _FACTS if other and says.search(topics[other].text)), "")
            if other != title and fact:
                yield fact.format(_ROLES[role[1]].format(title)), frozenset({title, other})


def _connected(topics: Mapping[str, Passage]) -> Made:
    """Questions about two things whose passages begin with what they are, and name each other."""
    own = {title: passage for title, passage in topics.items() if title == _beginning(passage)[0]}
    named = {title: _names_in(passage.text, own) for title, passage in own.items()}
    for title, others in named.items():
        for other in sorted(others):
            if title in named[other] and title not in other and other not in title:
                yield f"How are {title} and {other} connected?", frozenset({title, other})


def _defined(passages: Sequence[Passage]) -> Made:
    """Questions after what the beginning of a passage says that something is, if other passages name that, too."""
    for passage in passages:
        name, asks = _beginning(passage)
        within = re.compile(rf"[a-z,] {re.escape(name)}\b")
        if _is_topic(name) and _is_a_name(name) and any(within.search(one.text) for one in passages if one is not passage):
            yield f"{asks} {name}?", frozenset({name})


def _beginning(passage: Passage) -> tuple[str, str]:
    """The name of what the first sentence of a passage describes, and how to ask for it; empty if it describes nothing."""
    says = _IS.match(first_sentence(passage.text[:_MAX_BEGINNING]))
    if says is None:
        return "", ""
    is_person = says["verb"] in ("is", "was") and _PERSON.search(passage.text)
    return says["name"], f"{'Who' if is_person else 'What'} {says['verb']}"


def _is_a_name(text: str) -> bool:
    """Whether a text has a capital, and no word that could only be a part of a sentence."""
    words = words_in(text)
    return any(word.written[0].isupper() for word in words) and all(word.says_something for word in words)


def _treated(headings: Mapping[str, Passage]) -> Made:
    """Questions about what a section is about, if they would not be asked otherwise."""
    for heading, passage in headings.items():
        if not (_HOW_TO.fullmatch(heading) or _ASKS.fullmatch(heading)):
            about = _in_a_sentence(heading, passage)
            yield f"What do the documents say about {about}?", frozenset({heading, evenly_spaced(passage.title)})


def _in_a_sentence(heading: str, passage: Passage) -> str:
    """A heading with capitals only where they belong to a name, as far as the text below it tells."""
    first, *rest = heading.split()
    small = set(_WORD.findall(passage.text))
    words = [first.lower() if first.endswith("ing") else first, *rest]
    return " ".join(word.lower() if word.istitle() and word.lower() in small else word for word in words)


def _named(topics: Mapping[str, Passage]) -> Made:
    for title in topics:
        if " " not in title and (title.isupper() or title.islower()):  # an abbreviation, or the name of a file
            continue
        yield f"What do the documents say about {title}?", frozenset({title})


def _name_at(text: str, topics: Mapping[str, Passage]) -> str:
    """The longest title that a text begins with; empty if it begins with none."""
    ends = [word.end() for word in islice(_WORD.finditer(text[: _MAX_CHARACTERS + 1]), _MAX_WORDS)]
    return next((text[:end].rstrip(".") for end in reversed(ends) if text[:end].rstrip(".") in topics), "")


def _names_in(text: str, topics: Mapping[str, Passage]) -> set[str]:
    """The titles that a text contains, with capitals as in a name."""
    found = {_name_at(text[word.start() :], topics) for word in _WORD.finditer(text) if word[0][0].isupper()}
    return found - {""}

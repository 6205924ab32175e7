"""Terms that documents define in one place and use in others, such as `"Default Rate" means ...`.

A definition is told by its form: quotes and a verb, `(the "Default Rate")`, a line of a glossary, an abbreviation behind
what it stands for. The words are in `languages.toml`. What may be a use is told by its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.core.types import Passage, Span
from hopweave.text.agreement import are_initials_in
from hopweave.text.document_names import are_of_one_document, folder_of, folders_around
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import all_words_for, small_words
from hopweave.text.sentences import sentence_around

MOST_DEFINED = 40
MOST_USED = 60
_MOST_WORDS = 6
_MOST_LABELS = 8
_SHORTEST_STEM = 3

_WORD = lazy_pattern(r"[^\W_]+(?:[-'’&/][^\W_]+)*")
_OPENS, _CLOSES = r"[\"“”„«‹‚]", r"[\"“”»›‘]"
_A_QUOTE = lazy_pattern(_OPENS)
_QUOTED = rf"{_OPENS}\s?(?P<%s>[^\W_][^\"“”„«»‹›\n]{{1,60}}?)\s?{_CLOSES}"
_TERM = r"(?P<%s>[^\W\d_](?:[^\W_]|[-'’&/]){0,40}(?:\s(?:[^\W_]|[-'’&/]){1,40}){0,5}?)"
_ENUMERATOR = r"(?:[-–•*]\s{1,3}|\(?\w{1,4}[.)]\s{1,3}|\d{1,3}(?:\.\d{1,3}){0,4}\.?\s{1,3})?"
_ENUMERATED = lazy_pattern(rf"\A{_ENUMERATOR}")
_BRACKETED = lazy_pattern(r"[(\[](?P<short>[A-Z][A-Za-z&]{0,3}[A-Z])s?[)\]]")
"""An abbreviation behind what it stands for."""

_CODE = lazy_pattern(r"[=\\<>{}%_*#]|://|\(\)")
_LONGEST_HEADING = 60
_CLOSED = (".", ";", ",", ":", "?", "!")
_FEWEST_OF_A_NAME, _MOST_OF_A_NAME = 2, 4
_SHORT_WORD = 2
_STANDS_FOR = 80
"""How many characters before an abbreviation are looked at."""

_JOINS = "of and the in for de du des la le und der für y e van di del da do"
_SMALL = frozenset(("a", "an", "this", "each", *_JOINS.split()))
_BETWEEN = lazy_pattern(rf"\s|\s(?:{_JOINS.replace(' ', '|')})\s")
"""What may stand between two words of a term."""


class Definition(NamedTuple):
    """A definition: the label of its term, and where in the text it is."""

    label: str
    span: Span


class Use(NamedTuple):
    """Words with capitals that may be a term: its label, and where they are."""

    label: str
    span: Span


def definitions(title: str, sections: Sequence[str], text: str) -> list[Definition]:
    """The terms that a passage defines, by its title and sections, in order.

    >>> text = '"Default Rate" means 4% above the base rate. Acme Ltd (the "Supplier") pays it. See the Help Desk (HD).'
    >>> [one.label for one in definitions("Contract", ["1 Definitions"], text)]
    ['= default rat', '= supplier']
    """
    return list(_definitions(text, title, tuple(sections)))


@remembered
def uses(text: str) -> tuple[tuple[Use, ...], ...]:
    """What may be terms in a text, in order: words with capitals that follow each other, all of them and then parts of them.

    >>> [[one.label for one in run] for run in uses("Interest is due at the Default Rate.")]
    [['= interest'], ['= default rat', '= default', '= rat']]
    """
    found = (tuple(_parts(run)) for run in islice(_runs(text), MOST_USED))
    return tuple(filter(None, found))


def term_label(term: str) -> str:
    """The label of a term; empty if it has no letters, or too many words.

    >>> term_label("Working Days"), term_label("Working Day"), term_label("Werktagen"), term_label("1.2")
    ('= working dai', '= working dai', '= werktag', '')
    """
    words = _WORD.findall(term)
    keys = [_stem(word) for at, word in enumerate(words) if not (word in _SMALL or (at == 0 and word.casefold() in _SMALL))]
    says_something = any(map(str.isalpha, term)) and any(not _is_small(word) for word in words)
    return f"= {' '.join(keys)}" if 0 < len(keys) <= _MOST_WORDS and says_something else ""


def used_and_defined(using: Passage, defining: Passage) -> Iterator[tuple[Use, Definition]]:
    """The terms that a passage uses and another one defines for it: in the same document, or in a folder around it."""
    is_around = bool(using.source) and bool(defining.source) and folder_of(defining) in folders_around(using)
    if not is_around and not are_of_one_document(using, defining):
        return
    defined = {one.label: one for one in definitions(defining.title, defining.sections, defining.text)}
    for run in uses(using.text) if defined else ():
        if first := next((use for use in run if use.label in defined), None):
            yield first, defined[first.label]


def _is_glossary(title: str, sections: Sequence[str]) -> bool:
    """Whether a passage is of a list of definitions or abbreviations, by its title and sections."""
    return any(map(_glossary().search, (title, *sections)))


@remembered
def _definitions(text: str, title: str, sections: tuple[str, ...]) -> tuple[Definition, ...]:
    found = {}
    for term, start, end in islice(_defined_in(title, sections, text), MOST_DEFINED):
        label = term_label(term) if term[0].isupper() and not _CODE.search(term) else ""
        if label and label not in found:
            found[label] = Definition(label, Span(start, end))
    return tuple(sorted(found.values(), key=lambda one: one.span.start))


def _defined_in(title: str, sections: Sequence[str], text: str) -> Iterator[tuple[str, int, int]]:
    """Terms, and where their definitions begin and end: what is plainest comes first."""
    for match in _quoted().finditer(text) if _A_QUOTE.search(text) else ():
        at = sentence_around(text, Span(match.start(match.lastgroup or 0), match.end()))
        yield next(filter(None, match.groups())), at.start, at.end
    yield from _lines_that_define(text, in_glossary=_is_glossary(title, sections))
    for short in _BRACKETED.finditer(text):
        if are_initials_in(short["short"].upper(), text[max(0, short.start() - _STANDS_FOR) : short.start()]):
            at = sentence_around(text, Span(short.start(), short.start() + 1))
            yield short["short"], at.start, at.end
    if sections and (_is_glossary("", sections[:-1]) or _is_name(sections[-1])):
        yield _ENUMERATED.sub("", sections[-1]), 0, len(text)


def _lines_that_define(text: str, *, in_glossary: bool) -> Iterator[tuple[str, int, int]]:
    """Terms with which lines begin, or that are headings, and where the paragraphs of those begin and end."""
    headed: tuple[str, int] | None = None
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        entry = (_entry() if in_glossary else _row()).match(line)
        if entry is None and _is_heading(line):
            if headed is not None:
                yield headed[0], headed[1], start
            in_glossary = _glossary().search(line) is not None or (in_glossary and not line.isupper())
            headed = (line.strip(), start) if _is_name(line) else None
        if entry is not None:
            paragraph = text.find("\n\n", start)
            yield next(filter(None, entry.groups())), start, paragraph if paragraph >= end else len(text)
        start = end + 1
    if headed is not None:
        yield headed[0], headed[1], len(text)


def _is_heading(line: str) -> bool:
    """Whether a line may be a heading."""
    stripped = line.strip()
    return 0 < len(stripped) <= _LONGEST_HEADING and stripped[0].isupper() and not stripped.endswith(_CLOSED)


def _is_name(heading: str) -> bool:
    """Whether a heading is a name of two to four words with capitals, such as `Condition Amber`."""
    name = _ENUMERATED.sub("", heading.strip())
    words = _WORD.findall(name)
    is_plain = " ".join(words) == name
    is_short = len(words) <= _MOST_OF_A_NAME and sum(len(word) > _SHORT_WORD for word in words) >= _FEWEST_OF_A_NAME
    return is_short and is_plain and not heading.isupper() and all(word[0].isupper() or word in _SMALL for word in words)


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Words with capitals that follow each other; a single digit or letter may be among them."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        is_named = word[0][0].isupper()
        goes_on = is_named or (bool(run) and word[0].isdigit())
        if run and goes_on and len(run) < _MOST_WORDS and _BETWEEN.fullmatch(text, run[-1].end(), word.start()):
            run.append(word)
            continue
        if run:
            yield run
        run = [word] if is_named else []
    if run:
        yield run


def _parts(run: Sequence[re.Match[str]]) -> Iterator[Use]:
    """All words of a run, and then fewer of them, as far as they may be a term."""
    keys = [_stem(word[0]) for word in run]
    pairs = [(start, end) for start in range(len(run)) for end in range(start + 1, len(run) + 1)]
    for start, end in sorted(pairs, key=lambda pair: (pair[0] - pair[1], pair[0]))[:_MOST_LABELS]:
        if end - start > 1 or not _is_small(run[start][0]):
            yield Use(f"= {' '.join(keys[start:end])}", Span(run[start].start(), run[end - 1].end()))


def _is_small(word: str) -> bool:
    """Whether a word says nothing by itself, unless it is an abbreviation."""
    key = word.casefold()
    return (key in FUNCTION_WORDS or key in small_words() or key in _SMALL) and not (len(word) > 1 and word.isupper())


def _stem(word: str) -> str:
    """A word without the endings of its plural and cases, in small letters."""
    key = word.casefold()
    for endings in (("s",), ("en", "n", "e")):
        ending = next((one for one in endings if key.endswith(one)), "")
        if ending and len(key) - len(ending) >= _SHORTEST_STEM:
            key = key[: -len(ending)]
    return f"{key[:-1]}i" if key.endswith("y") else key


@prepared
@cache
def _quoted() -> re.Pattern[str]:
    """The pattern of terms in quotes that are defined there, and of those before a verb that only defines."""
    means, called = all_words_for("means"), all_words_for("called")
    before_verb = rf"{_QUOTED % 'quoted'}(?:\s?[(,][^().\n]{{0,40}}[),])?\s?(?:{means}|[:=–—])(?!\w)"
    in_brackets = rf"(?<![^\s])\([^()\n\"“”„«»]{{0,40}}{_QUOTED % 'bracketed'}[^()\n]{{0,60}}\)"
    copula = all_words_for("copula")
    at_begin = rf"^[ \t]{{0,8}}{_ENUMERATOR}{_QUOTED % 'begins'}\s(?:{copula})(?!\w)"
    behind = rf"(?<!\w)(?:{called})(?!\w)[^.\n\"“”„«»]{{0,30}}{_QUOTED % 'called'}"
    return re.compile(rf"(?im:{at_begin}|{before_verb}|{in_brackets}|{behind})")


@prepared
@cache
def _row() -> re.Pattern[str]:
    """The pattern of lines that define a term wherever they stand: a row of a table of terms, or a term and a verb."""
    terms, means = all_words_for("terms"), all_words_for("means")
    in_row = rf"(?i:{terms})(?!\w)[^:;\n]{{0,30}}:\s{_TERM % 'row'}(?:\s\([^()]{{1,40}}\))?;\s"
    with_verb = rf"{_ENUMERATOR}(?=[^\W\d_a-z]){_TERM % 'meant'}\s(?i:{means})(?!\w)"
    return re.compile(rf"{in_row}|{with_verb}")


@prepared
@cache
def _entry() -> re.Pattern[str]:
    """The pattern of lines of a glossary: also those of other tables, and terms before a colon or a dash."""
    in_row = rf"[^:;\n]{{1,30}}:\s{_TERM % 'cell'}(?:\s\([^()]{{1,40}}\))?;\s"
    listed = rf"{_ENUMERATOR}{_TERM % 'listed'}(?:\s\([^()]{{1,40}}\))?(?::|\s[–—-])\s"
    return re.compile(rf"{_row().pattern}|{in_row}|{listed}")


@prepared
@cache
def _glossary() -> re.Pattern[str]:
    """The pattern of words for lists of definitions in headings."""
    return re.compile(rf"(?<!\w)(?i:{all_words_for('glossary')})(?!\w)")

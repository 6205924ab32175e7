"""Whether the place that holds an answer is about what the query asks: its subject and its relation.

What the query names has to stand there, or has to be tied to it: by an earlier supported claim, whose query has the name and
whose answer stands there; by another passage, whose page the place names, or which names the page of the place; as a party
of the contract that the place is in; or as the name of a folder that its file is in. `citations.places` says what a place is
read with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache
from itertools import chain

from hopweave.citations.places import (
    Place,
    beginning_of_document,
    begins_with_pronoun,
    parties_of_document,
)
from hopweave.citations.report_names import is_dated, is_of_its_document
from hopweave.citations.rules.parties import is_party
from hopweave.citations.rules.relations import Relation, relations_asked
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Claim, Passage
from hopweave.text.agreement import are_initials_in
from hopweave.text.alike_names import alike_names
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.comparing import life_date
from hopweave.text.content_words import anchors, content_of, keys_of, stem, stems_of
from hopweave.text.document_names import are_of_one_document, folders_of, names_the_document
from hopweave.text.key_terms import FUNCTION_WORDS, words_in
from hopweave.text.languages import is_foreign, language_of, words_for
from hopweave.text.matching import normalize_answer
from hopweave.text.page_names import pages_named_small
from hopweave.text.scripts import runs_together
from hopweave.text.sentences import sentences_in

_FEWEST_WORDS = 4
_STATES_MORE, _FEWEST_WORDS_WITHOUT_VERB = 2, 7
"""With so many words besides its names, and in all, an answer is a full statement, even without a verb that is known. A shorter
one is a name with more words: `St Oswin's school hall`."""
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|can|does|did|\w{2,}ed|won|wrote|made|led|began|became|built|sang|held|ran|gave|took"
    r"|came|went|left|lay|grew|fought|taught|kept|brought|bought|lost|drew|knew|spoke|stood|fell|rose|chose|wore|met"
    r"|lies|stands|lives|means|comes|goes|leaves|keeps|makes|gives|takes|needs)\b"
)
_ORDER = lazy_pattern(r"\s*[A-Z][a-z]+(?:\s(?:and|or)\s[a-z]+)?(?=\s(?:the|an?|your|it|them|all|each|every|no|this|these)\s)")
"""The verb that an instruction begins with, which is no name: `Press the key and wait.`"""
_PHRASE = lazy_pattern(r"\s*(?!(?:the|an?|its?|all|no)\s)[a-z]+\s")
"""How a phrase begins, such as an instruction in small letters; without a known verb, it is no statement."""
_LEAST_SHARE = 0.5
"""The share of the words of a query without names that a place must have, and of capitalised words in other languages."""
_FEWEST_ASKED, _LEAST_SAID, _FEWEST_OWN = 3, 1 / 3, 2
"""See `says_as_much`. Chosen on the choosing questions of all grounds (docs/design/measured.md)."""

_NO_PART_OF_A_NAME = lazy_pattern(r"\s*(?:\([^()]*\)|,?\s(?:[A-Z]\.){1,4}|,?\s(?:Inc|Ltd|Jr|Sr)\.?)$")
_VERSION = lazy_pattern(r"(?<![\w.])\d+(?:\.\d+)+(?!\w)")
_VERSION_OF = lazy_pattern(r"(?<![^\W_])\d+(?:\.\d+)+ of (?:the )?")
"""`version 2.1 of the Orlau tools` names the tools."""
_YEAR = lazy_pattern(r"\d{4}")
_FEWEST_INFLECTED = 4
"""Letters of a part of a name that may have another ending in the text."""
_NUMBERED = lazy_pattern(r"(?<![\w-])([a-z][a-z-]+)\s(\d+(?:\.\d+)*)(?![\w,:/-])")
_NUMBERED_THERE = lazy_pattern(r"(?<![\w-])([^\W\d_][^\W_-]*)\s\d+(?:\.\d+)*(?![\w,:/-])")
_MENTIONED = lazy_pattern(
    r"\bthe (?:word|term|phrase|expression|acronym|abbreviation)\s+[\"'`“‘]?"
    r"(?=(?P<said>\w[\w-]{0,60}))(?!(?:of|for|in|that|to|is|was|used|with|on|at|from|and|or)\b)",
    re.IGNORECASE,
)
"""A question about a word: a place has to have it, but need not call it one."""
_SIGN_ASKED = lazy_pattern(
    r"\b(?:does|is|sign|symbol|operator|characters?)\s[\"'“‘`]?([&|*~^$#@%<>=+\\]{1,3})(?=[\s\"'”’`?]|$)", re.IGNORECASE
)
"""A sign that a question is about, which is no word: `What does & stand for?`"""

_CODE = lazy_pattern(
    r"(?<![\w-])--?[A-Za-z][\w-]*|`[^`]+`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]\w*\.[a-z]\w*(?:\.\w+)*\b|\b[a-z]+[A-Z]\w*\b"
    r"|\b[a-z]{2,}\d+[a-z0-9]*\b"
)
"""Names that are written without a capital at their beginning: options, identifiers, files, and what is quoted as code."""

_DETERMINED = lazy_pattern(
    r"\b(?i:d(?:er|ie|as|en|em|es)|(?:k?ein|welch|dies|jed|jen|manch|all|sein|ihr|mein|unser|viel|wenig|mehrer|einig)(?:e[mnrs]?)?"
    r"|im|am|zum|zur|vom|beim|ins|ans|aufs|mehr)(?:\s+[a-zäöüß]+){0,2}\s+$"
)
"""What stands before a German noun, and seldom before a name: an article or the like, and adjectives."""

_CONTRACTED = lazy_pattern(
    r"^(?:I|We|You|He|She|It|They|That|There|Here|This|What|Who|Where|How|When|Let)['’](?:m|re|ve|s|ll|d)\b\s*"
)
"""What is no name although it has a capital: `I've`, `What's`."""
_SEVERAL = lazy_pattern(r"(?:[A-Z][\w-]* )+[A-Z][a-z]{2,}(?<![su])s")
"""A name of several words that may be that of several things of a kind: `General Resolutions`."""
_OPENING_WORDS = """
after before besides both during least most since under until up while with without about almost approximately around at
currently exactly only roughly precisely usually normally typically today now finally first
calculate check clarify compare compute confirm define describe determine detail discuss estimate explain find identify
list mention name outline please provide quote recall recommend remind report say show specify state suggest summarise summarize
write dear hello hey hi ok okay thanks
beschreibe berechne erklär erkläre erläutere finde nenne vergleiche zeige zähle bitte hallo
calculez citez comparez décris décrivez donne donnez explique expliquez indique indiquez nomme nommez bonjour
calcula compara describe di dime enumera explica explícame indica nombra hola
calcola confronta descrivi dimmi elenca indica spiega ciao
beschrijf bereken leg noem vergelijk geef hallo descreva explique indique liste"""
_OPENING = frozenset(_OPENING_WORDS.split())
"""What a sentence may begin with before a name, besides `FUNCTION_WORDS`."""

_GENERIC_WORDS = """
name named called after kind type sort many much long often person people place thing year date time country city town state
number first last mean does happen same following given used known located under according version release licence license
which what also another around back besides both case change choose come comes course else even ever every everything exactly
find gets get give gives goes going have instead into just keep keeps know let lets like make makes need needs none nothing
once only ones other otherwise over own please put puts really right say says simply since someone something still take takes
tell tells than them told unless until want wants when whether while will with without work works answer answers question
above earlier previous percentage percent proportion should must done made gave took taken kept later become becomes became
eventually subsequently village county province colony"""
_GENERIC = frozenset(map(stem, _GENERIC_WORDS.split()))
"""Words of a query that say what kind of answer it wants, or nothing much, not what it is about."""

# What is left of articles and pronouns before an apostrophe in French and Italian.
_ELIDED = ("c", "d", "j", "l", "m", "n", "qu", "s", "t", "un", "all", "dell", "nell", "sull")
_SAY_NOTHING = frozenset(map(stem, [*FUNCTION_WORDS, "s", "t"]))
"""The stems of function words, and what apostrophes leave over."""


def telling(words: Iterable[str], asking: str) -> frozenset[str]:
    """Those of the stems of words of a query, or of a text like it, that say what it is about."""
    none = _saying_nothing(language_of(asking))
    return frozenset(word for word in words if word not in none)


@cache
def _saying_nothing(code: str) -> frozenset[str]:
    """The stems of the words of a language that say only what kind of answer is wanted, or nothing; of English always."""
    words = [*words_for(code, "small").split(), *words_for(code, "generic").split(), *_ELIDED] if code not in {"", "en"} else []
    return _GENERIC | _SAY_NOTHING | frozenset(map(stem, words))


def names_in(query: str) -> list[str]:
    """What a query names, by capitals or as code. Numbers are no names, except those of versions (`3.1.0`)."""
    return list(_names_in(query))


@remembered
def _names_in(query: str) -> tuple[str, ...]:
    said = chain.from_iterable(_VERSION_OF.split(name) for name in anchors(query))
    names = [_without_opening(_CONTRACTED.sub("", name)) for name in said if any(map(str.isalpha, name))]
    known = [*codes_in(query), *names]
    versions = [match[0] for match in _VERSION.finditer(query) if not any(match[0] in name for name in known)]
    return tuple(dict.fromkeys(filter(None, [*known, *versions])))


def codes_in(text: str) -> list[str]:
    """What a text names as code: options, identifiers, files, and what stands between backticks."""
    return [match[0].strip("`") for match in _CODE.finditer(text)]


def _without_opening(name: str) -> str:
    """A name without the function words before it, which have a capital because a sentence begins there."""
    first = next((word.start for word in words_in(name) if word.says_something and word.key not in _OPENING), len(name))
    return name[first:]


def untied(query: str, answer: str, place: Place, settled: Sequence[Claim] = (), others: Sequence[Passage] = ()) -> list[str]:
    """The names of a query that are not tied to a place; see the module.

    Args:
        query: the query.
        answer: the answer; what it names itself needs no tie.
        place: where it stands.
        settled: earlier claims that a passage supports.
        others: the other passages that were found.
    """
    names = [name for name in names_in(query) if not keys_of(name) <= keys_of(answer)]
    return [name for name in names if not _is_tied(name, place, settled, others)]


def is_about(query: str, answer: str, place: Place, settled: Sequence[Claim] = (), others: Sequence[Passage] = ()) -> bool:
    """Whether a place is about what a query asks: what that names is tied to it; without names, it has half of its words.

    The names of found pages in small letters (`git-stage`) have to be tied to it as well. A place about `pump 8` is not about
    `pump 7`, and one without `&`, or without the word that a query is about, not about these.

    Where more words have capitals than names, half of them are enough, names among them; so they are in a query of no language.
    """
    if _is_of_another_number(query, place) or any(sign not in place.words for sign in _SIGN_ASKED.findall(query)):
        return False
    if not all(is_named_in(place.words, one["said"]) for one in _MENTIONED.finditer(query)):
        return False
    pages = pages_named_small(query, (one.title for one in (place.passage, *others)))
    if any(not _is_page_tied(page, answer, place, settled, others) for page in pages):
        return False
    names = [name for name in names_in(query) if not keys_of(name) <= keys_of(answer)]
    if not names:
        return share_of_words(query, answer, place, settled) >= _LEAST_SHARE
    open_ones = untied(query, answer, place, settled, others)
    if is_english(query):
        return not open_ones
    is_half_tied = len(open_ones) <= len(names) * _LEAST_SHARE
    return is_half_tied and not (is_foreign(query) and any(not may_be_a_noun(name, query) for name in open_ones))


_COMPARES = lazy_pattern(r"\b(?:or|than|between|both|compared|versus|vs)\b", re.IGNORECASE)


def has_alike_names_of(query: str, answer: str, place: Place) -> bool:
    """Whether a place, or the answer, has the models, errors and the like that a query names, such as `E05`.

    A statement is judged by what it says itself, and not by what else is asked; but one about no such thing answers nothing.
    """
    there = f"{answer}\n{place.words}\n{place.passage.text}"
    names = alike_names(query)
    if len(names) > 1 and _COMPARES.search(query):  # it may be about one side of a comparison
        return any(is_named_in(answer, name) for name in names) or all(is_named_in(there, name) for name in names)
    return all(is_named_in(there, name) for name in names)


def _is_of_another_number(query: str, place: Place) -> bool:
    """Whether a query has a word with a number, such as `pump 7` or `port 9418`, and a place only has it with another one.

    To a question for yes or no, another number may be the reason.
    """
    if kind_asked(query) == "yes_no":
        return False
    for word, number in _NUMBERED.findall(query):
        if stem(word) in _GENERIC or not any(one.says_something for one in words_in(word)):
            continue
        if re.search(rf"(?:(?<![\w.-])|\b{word}-){re.escape(number)}(?!\w)", place.words, re.IGNORECASE):
            continue
        if any(stem(before.casefold()) == stem(word) for before in _NUMBERED_THERE.findall(place.words)):
            return True
    return False


def may_be_a_noun(name: str, query: str) -> bool:
    """Whether a word with a capital is no name for sure: German writes all nouns with one; names have no article."""
    if language_of(query) != "de" or any(map(str.isdigit, name)):
        return False
    at = query.find(name)
    return _DETERMINED.search(query[:at] if at > 0 else "") is not None


def states_relation(query: str, place: Place, settled: Sequence[Claim] = ()) -> bool:
    """Whether a place has a word for each relation that the query asks for.

    Those of earlier supported claims that lead on from what the query names are settled, and do not count: of two that died,
    each needs a word for it. Where the place itself does not name what the query names, the query leads through something else,
    and its relations need not be stated here.
    """
    names = names_in(query)
    if not all(is_named_in(place.words, name) for name in names):
        return True
    asked = relations_asked(query)
    on_the_way = [settled[number - 1] for name in names for number in leads_from(name, settled)] if names else settled
    said = {relation.name for claim in on_the_way for relation in relations_asked(claim.query)}
    open_ones = [relation for relation in asked if relation.name not in said]
    return all(relation.stated.search(place.words) for relation in open_ones)


def says_as_much(query: str, answer: str, place: Place, settled: Sequence[Claim] = (), others: Sequence[Passage] = ()) -> bool:
    """Whether a place has a third of the words that a query has besides its names, if these are three or more.

    A word for a relation counts if the place states the relation. Words of claims that lead to the place count as its own.
    Where the place itself does not name what the query names, the query leads through something else, and nothing is asked.
    Where only the name of the file or of its folder does, or how the document begins, all that this says is about it, so half
    of the words have to stand in the place itself.
    """
    beginning = "\n".join([*folders_of(place.passage.source), beginning_of_document(place.passage, others)])
    names = [name for name in _names_beside_nouns(query, place, beginning) if not keys_of(name) <= keys_of(answer)]
    around = f"{place.words}\n{beginning}"
    if not (is_english(query) or is_foreign(query)) or not all(is_named_in(around, name) for name in names):
        return True
    wanted = telling(map(stem, content_of(query, names)), query) - stems_of(answer)
    known = f"{place.passage.heading}\n{place.text}"
    if any(not is_named_in(known, name) for name in names):
        return len(wanted & stems_of(place.text)) >= _LEAST_SHARE * len(wanted)
    stated = [relation for relation in relations_asked(query) if relation.stated.search(place.words)]
    if not (
        any(is_named_in(place.text, name) for name in names)
        or _has_a_word_of_its_own(query, answer, place, settled, stated, wanted)
    ):
        return False
    there = _words_for(stated, query) | stems_of(_with_what_leads_to(place, settled))
    return len(wanted) < _FEWEST_ASKED or len(wanted & there) >= _LEAST_SAID * len(wanted)


def _names_beside_nouns(query: str, place: Place, beginning: str) -> list[str]:
    """The names of a query; of a German one, whose nouns all look like names, those by which the document is named."""
    names = names_in(query)
    if language_of(query) != "de":
        return names
    named = f"{names_the_document(place.passage)}\n{beginning}"
    return [name for name in names if is_named_in(named, name)]


def _has_a_word_of_its_own(
    query: str, answer: str, place: Place, settled: Sequence[Claim], stated: Sequence[Relation], wanted: Set[str]
) -> bool:
    """Whether a place has a word that a query wants and that is not the whole document's.

    Nothing is asked of a sentence that has hardly a word besides the answer, as "New in version 3.6."; nor if the query has no
    two such words.
    """
    beyond = wanted - stems_of(names_the_document(place.passage))
    is_brief = len(telling(map(stem, content_of(place.sentence, ())), place.sentence) - stems_of(answer)) < _FEWEST_OWN
    if len(beyond) < _FEWEST_OWN or is_brief:
        return True
    own = "\n".join([*place.passage.sections, place.text])
    return bool(beyond & (_words_for(stated, query) | stems_of(_with_what_leads_to(place, settled, own))))


def is_relation_stated(word: str, sentence: str) -> bool:
    """Whether a sentence has another word for a relation: `died` where the years of a life stand in brackets."""
    return any(relation.stated.search(sentence) for relation in relations_asked(word))


def is_date_in_place(query: str, said: str, sentence: str) -> bool:
    """Whether a date of birth or death is the one in the place of such a date in the brackets of a sentence, if it has any.

    >>> is_date_in_place("When did Curt Brand die?", "1899", "Curt Brand (1899 - 1981) was a director.")
    False
    """
    years = set(_YEAR.findall(life_date(query, sentence)))
    said_years = set(_YEAR.findall(said))
    return not years or not said_years or bool(years & said_years)


def share_of_words(query: str, answer: str, place: Place, settled: Sequence[Claim] = ()) -> float:
    """The share of the query's content words, names included, that stand in a place or in claims that lead to it; 1 if none.

    Words of the answer do not count, nor do those for a relation or for the kind of answer that is wanted, nor `the word`
    before one that the query is about.
    """
    names = names_in(query)
    content = content_of(_MENTIONED.sub(" ", query), names)
    words = chain(map(stem, content), (stem(key) for name in names for key in keys_of(name)))
    wanted = telling(words, query) - stems_of(answer) - _words_for(relations_asked(query), query)
    there = stems_of(_with_what_leads_to(place, settled))
    return len(wanted & there) / len(wanted) if wanted else 1.0


def _words_for(relations: Iterable[Relation], query: str) -> set[str]:
    """The stems of the words by which a query asks for relations."""
    return {stem(word) for one in relations for match in one.asked.finditer(query) for word in match[0].split()}


def _with_what_leads_to(place: Place, settled: Sequence[Claim], words: str = "") -> str:
    """The words of a place, all or only some, and of the claims whose answers lead to it, one through another."""
    reached, left = words or place.words, list(settled)
    while leading := next((claim for claim in left if any(is_named_in(reached, one) for one in names_of(claim))), None):
        left.remove(leading)
        reached += f"\n{leading.query} {leading.text}"
    return reached


@remembered
def names_its_subject(said: str) -> bool:
    """Whether an answer is a statement that needs no query to be understood.

    One that begins with a pronoun does not name it, nor does one that only has a number, or an instruction.

    >>> names_its_subject("Ada Finch was born in Orlau."), names_its_subject("She was born in Orlau.")
    (True, False)
    """
    names, words = anchors(said), said.split()
    if (
        _is_instruction(said)
        or not any(map(str.isalpha, "".join(names)))
        or len(words) < _FEWEST_WORDS
        or begins_with_pronoun(said)
    ):
        return False
    return _VERB.search(said) is not None or (
        len(words) >= _FEWEST_WORDS_WITHOUT_VERB and len(content_of(said, names)) >= _STATES_MORE
    )


def _is_instruction(said: str) -> bool:
    """Whether an answer begins with the verb of an instruction, and so names no subject."""
    if _PHRASE.match(said) is not None and _VERB.search(said) is None:
        return True
    first = next(iter(words_in(said)), None)
    return _ORDER.match(said) is not None and first is not None and first.says_something and first.key not in _OPENING


def _is_tied(name: str, place: Place, settled: Sequence[Claim], others: Sequence[Passage]) -> bool:
    if is_named_in(place.words, name) or _is_tied_by_claims(name, place, settled) or is_dated(name, place.words):
        return True
    if any(are_initials_in(name, heading) for heading in place.headings):
        return True
    if is_of_its_document(name, place, others) or is_named_in(beginning_of_document(place.passage, others), name):
        return True
    # That a page names a program does not make all of it a page about one of the program's options.
    if not codes_in(name) and any(_is_joined(name, one, place) for one in others if one.id != place.passage.id):
        return True
    if any(is_named_in(folder, name) for folder in folders_of(place.passage.source)):  # a manual may never name its product
        return True
    return any(is_party(name, party) for party in parties_of_document(place.passage, others))


def _is_page_tied(page: str, answer: str, place: Place, settled: Sequence[Claim], others: Sequence[Passage]) -> bool:
    """Whether a place is tied to the name of a page, which texts have with or without its hyphens: `git-stage`, `git stage`."""
    ways = (page, page.replace("-", " "))
    return any(keys_of(way) <= keys_of(answer) or _is_tied(way, place, settled, others) for way in ways)


def leads_from(name: str, claims: Sequence[Claim], *, but: str = "") -> list[int]:
    """The numbers, from 1, of the supported claims that lead on from a name, each from what it is about to its answer.

    Args:
        name: where they begin.
        claims: all claims.
        but: claims that name this are left out.
    """
    reached, path = [name], list[int]()
    left = [number for number, claim in enumerate(claims, start=1) if claim.text and claim.support == "supported"]
    while leading := next((n for n in left if any(is_named_in(_from_what(claims[n - 1]), one) for one in reached)), 0):
        left.remove(leading)
        said = f"{_from_what(claims[leading - 1])} {claims[leading - 1].text}"
        if not but or not is_named_in(said.replace(name, "") if but in name else said, but):  # `fq` is in `fq_codel`
            path.append(leading)
            reached += names_of(claims[leading - 1])
    return path


@remembered
def is_english(query: str) -> bool:
    """Whether a query has an English function word, and is not in another language, which may have the same.

    >>> is_english("Who is it?"), is_english("Was ist das?")
    (True, False)
    """
    return any(not word.says_something for word in words_in(query)) and not is_foreign(query)


def names_of(claim: Claim) -> list[str]:
    """What a claim leads to: its answer, or the names in it if it is a statement."""
    return anchors(claim.text) if names_its_subject(claim.text) else [claim.text]


def _is_tied_by_claims(name: str, place: Place, settled: Sequence[Claim]) -> bool:
    """Whether claims lead from a name to a place."""
    led_to = [
        one for number in leads_from(name, settled) for one in names_of(settled[number - 1]) if not is_named_in(name, one)
    ]
    return any(is_named_in(place.words, one) or is_named_in(place.words, one.partition(" of ")[0]) for one in led_to)


def _from_what(claim: Claim) -> str:
    """The words of a claim that say what it is about."""
    return claim.text if names_its_subject(claim.text) else claim.query


def _is_joined(name: str, other: Passage, place: Place) -> bool:
    """Whether a passage that has a name names the page of a place, or is a page that the place names."""
    named = "" if are_of_one_document(other, place.passage) else _bare(other.title)
    if named and is_named_in(place.text, named) and is_named_in(f"{other.title}\n{other.text}", name):
        return True
    title = _bare(place.passage.title)
    if not title or not is_named_in(other.text, title):  # most texts do not have it anywhere
        return False
    return any(is_named_in(text, title) and is_named_in(f"{other.title}\n{text}", name) for text in sentences_in(other.text))


@remembered
def _bare(title: str) -> str:
    """A title without what only tells it from others: a part in brackets, and letters such as `F.C.` at its end."""
    return _NO_PART_OF_A_NAME.sub("", title).strip()


def is_named_in(text: str, name: str) -> bool:
    """Whether a text has a name, in whatever case, or all its words; or one of the kind of several that it names.

    >>> is_named_in("A General Resolution is voted on.", "General Resolutions")
    True
    """
    wanted = keys_of(name)
    if not wanted:
        return False
    if normalize_answer(name) in normalize_answer(text) or (wanted <= keys_of(text) and not runs_together(name)):
        return True
    if " " in name and "-" in text and wanted <= keys_of(text.replace("-", " ")):  # a file such as `lease-kelso-road.pdf`
        return True
    if not is_foreign(text) or runs_together(name):  # letters of scripts without spaces prove nothing
        return _SEVERAL.fullmatch(name) is not None and is_named_in(text, name[:-1])
    # Where names are inflected, they are compared as other words are; numbers and letters as they are.
    there, stems = keys_of(text), stems_of(text)
    parts = [part for word in wanted for part in ([word] if word in there else word.split("-"))]
    return all(stem(part) in stems if part.isalpha() and len(part) >= _FEWEST_INFLECTED else part in there for part in parts)

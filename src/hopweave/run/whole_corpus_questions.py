"""Recognises questions about the documents as a whole, which the few passages of an answer cannot settle.

"What are these documents about?", "Which of them mention the lighthouse?", "How many documents are there?" A question is only
recognised if its entire wording is of such a kind: to miss one costs less than to take an ordinary question for one, such as
"Which document abolished slavery?". Only English is understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.key_terms import words_in
from hopweave.text.quotation import unquoted

Wanted = Literal["listing", "topics", "summary", "number", "titles"]

_MAX_CHARACTERS = 200
_MAX_SUBJECT_WORDS = 8

_FILES = r"(?:documents|docs|files|pdfs)"
_TEXTS = r"(?:texts|papers|articles|reports|notes|pages|sources|records|letters|e-?mails|books|chapters|manuals|transcripts)"
_OURS = rf"(?:(?:all )?(?:of )?(?:(?:the|these|those|my|our|your) {_FILES}|(?:these|my|our|your) {_TEXTS}))"
"""Documents of the corpus: of a word that may mean others, such as `letters`, only `these` or the asker's own are."""
_CORPUS = (
    rf"(?:{_OURS}|all {_FILES}|everything|all of (?:it|them|this)"
    r"|(?:this|the|my|our|your) (?:corpus|document collection|collection of documents|knowledge base|set of documents)"
    r"|(?:this|my|our|your) (?:collection|index|folder|document|doc|file|pdf|text))"
)
_ASKING = (
    r"(?:(?:please|hi|hello|can you|could you|would you|will you|do you know|tell me|let me know|show me|i want to know"
    r"|i(?: would|['’]d) like to know),? )*"
)
_AFTER = r"(?:,? (?:please|briefly|for me|in total|overall|in general|altogether))*"

_SINGLE = r"(?:documents?|docs?|pdfs?)"
_NAME = r"(?:mentions?|talks? about|refers? to)"
_MENTION = rf"(?:{_NAME}|(?:is|are) about|(?:say|says|have|has|contains?) (?:something|anything) (?:about|on))"
_TREAT = rf"(?:{_MENTION}|discuss(?:es)?|describes?|covers?|deals? with|concerns?)"
_HOLD = rf"(?:{_TREAT}|contains?|includes?|has|have)"
_THE = r"(?:all |every )?(?:of )?(?:the |these |my |our |your )?"
_LIST = r"(?:list|show|find|name|give|get)(?: me)?"
_SUBJECT = r"(?:the (?:words?|names?|terms?|phrases?) (?!of\b))?(?P<subject>.+?)"

# What may also be said of files and documents in general, as in "Which documents have legal force?", is not among these.
_LISTINGS = (
    rf"(?:which|what)(?: of)? {_OURS} {_HOLD} {_SUBJECT}",
    rf"(?:which|what) {_SINGLE} {_MENTION} {_SUBJECT}",
    rf"(?:which|what) files {_NAME} {_SUBJECT}",
    rf"which (?:documents|docs|pdfs) {_TREAT} {_SUBJECT}",
    rf"(?:in )?(?:which|what) (?:of )?(?:{_OURS}|{_SINGLE}|files) (?:is|are|was|were) {_SUBJECT} "
    r"(?:mentioned|discussed|referred to|talked about)(?: in)?",
    rf"how many (?:of )?{_OURS} {_HOLD} {_SUBJECT}",
    rf"how many {_FILES} (?:{_MENTION}|are there about) {_SUBJECT}",
    rf"{_LIST} {_THE}{_FILES} (?:(?:that |which ){_MENTION}|about|mentioning) {_SUBJECT}",
    rf"{_LIST} {_THE}{_SINGLE} (?:(?:that |which ){_TREAT}|about|on|mentioning|concerning|regarding|containing) {_SUBJECT}",
    rf"(?:do|does) any (?:of )?(?:{_OURS}|{_SINGLE}) {_HOLD} {_SUBJECT}",
    rf"(?:are|is) there (?:any |an? )?{_SINGLE} (?:(?:that |which ){_TREAT}|about|mentioning) {_SUBJECT}",
    rf"(?:is|are|was|were) {_SUBJECT} (?:mentioned|discussed) in any (?:of )?(?:{_OURS}|{_SINGLE})",
    rf"(?:which|how many) of (?:them|these|those) {_MENTION} {_SUBJECT}",
)

_MAIN = r"(?:main |major |key |most important |common |central |overall |general )*"
_TOPICS = rf"(?:the )?{_MAIN}(?:topics?|themes?|subjects?|points?|ideas?|contents?|gist)(?: (?:covered|discussed))?"
_HAVE_YOU = r"(?:do you have|have you (?:read|got|indexed)|can you (?:search|see|read)|are indexed)"
_OTHERS: tuple[tuple[Wanted, tuple[str, ...]], ...] = (
    (
        "topics",
        (
            rf"what(?:['’]s| is| are) {_CORPUS} (?:all |mainly |mostly )?about",
            rf"what {_CORPUS} (?:is|are) (?:all |mainly |mostly )?about",
            rf"what (?:do|does) {_CORPUS} (?:say|cover|contain|talk about|deal with|discuss|describe|have in common|tell us)",
            rf"what(?:['’]s| is)(?: there)? (?:in|inside) {_CORPUS}",
            rf"what(?:['’]s| is| are) {_TOPICS} (?:of|in|by|across) {_CORPUS}",
            rf"(?:which|what) (?:topics|subjects|themes) (?:do|does) {_CORPUS} (?:cover|discuss|deal with|contain|have)",
            rf"(?:which|what) (?:topics|subjects|themes) are (?:covered|discussed) (?:in|by) {_CORPUS}",
            rf"what (?:kinds?|types?|sorts?) of (?:{_FILES}|texts|information) (?:is|are)(?: there)? in {_CORPUS}",
            rf"what (?:kinds?|types?|sorts?) of (?:{_FILES}|texts|information) {_HAVE_YOU}",
            rf"what can you tell me about {_CORPUS}",
            rf"(?:give|show)(?: me)? an? (?:\w+ )?(?:overview|outline) of {_CORPUS}",
            rf"describe {_CORPUS}",
        ),
    ),
    (
        "summary",
        (
            rf"(?:summari[sz]e|sum up|recap) {_CORPUS}(?: in (?:\w+ ){{1,3}}?(?:words?|sentences?|lines?|paragraphs?))?",
            rf"(?:(?:give|write|make|create|provide|produce)(?: me)? )?(?:an? |the )?(?:\w+ ){{0,2}}summary of {_CORPUS}",
        ),
    ),
    (
        "number",
        (
            rf"how many {_FILES} (?:are there|{_HAVE_YOU})(?: in (?:total|all|{_CORPUS}))?",
            rf"how many (?:{_FILES}|texts|passages) are(?: there)? in {_CORPUS}",
            rf"how many {_FILES} (?:does|do) {_CORPUS} (?:have|hold|contain)",
            rf"what is the (?:total )?number of {_FILES} in {_CORPUS}",
            rf"how (?:big|large) is {_CORPUS}",
        ),
    ),
    (
        "titles",
        (
            rf"(?:list|show|give)(?: me)? (?:all )?(?:of )?(?:(?:the |these |my |our |your ){_FILES}|documents|all {_FILES}"
            rf"|(?:the )?(?:titles|names) of {_CORPUS})(?: (?:you have|there are|in {_CORPUS}))?",
            rf"(?:which|what) (?:documents|docs|pdfs) (?:are there|are(?: there)? in {_CORPUS})",
            rf"(?:which|what) {_FILES} (?:{_HAVE_YOU}|are(?: there)? in {_CORPUS})",
        ),
    ),
)


_MAY_BE = lazy_pattern(
    r"\b(?:documents?|docs?|files?|pdfs?|corpus|everything|all of|of (?:them|these|those)|(?:these|my|our|your) \w+"
    r"|knowledge base|this (?:collection|index|folder|text))\b",
    re.IGNORECASE,
)
"""What each of these questions has, so that the others need not be compared with all patterns."""

_REFERS = lazy_pattern(r"\b(?:them|it|this|these|those|everything)\b", re.IGNORECASE)

# A subject with a question inside takes more than a search; and search does not know which document says most.
_TOO_MUCH = lazy_pattern(r"\b(?:who|whom|whose|what|which|when|where|why|how|that|because|if|most|least)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WholeCorpus:
    """What a question about the documents as a whole asks for.

    Attributes:
        wanted: those that mention a subject (`listing`), or the topics, a summary, the number or the titles of all.
        subject: what is to be mentioned; empty if a listing is not wanted.
        is_quoted: whether the subject was in quotation marks, which are left out.
    """

    wanted: Wanted
    subject: str = ""
    is_quoted: bool = False


def whole_corpus(question: str, *, is_first: bool = True) -> WholeCorpus | None:
    """What a question asks about the documents as a whole; `None` for an ordinary question.

    Args:
        question: the question.
        is_first: whether nothing was said before it. Otherwise `them` or `these documents` may mean some that were named.

    >>> whole_corpus("Which documents mention the Kerrow Light?")
    WholeCorpus(wanted='listing', subject='the Kerrow Light', is_quoted=False)
    >>> whole_corpus("Which document abolished slavery?") is None
    True
    """
    text = " ".join(question.split()).rstrip(" ?!.")
    if len(text) > _MAX_CHARACTERS or not _MAY_BE.search(text) or not (is_first or not _REFERS.search(text)):
        return None
    for wanted, pattern in _patterns():
        match = pattern.fullmatch(text)
        if match is not None and wanted != "listing":
            return WholeCorpus(wanted)
        if match is not None and _is_searchable(match["subject"]):
            bare = unquoted(match["subject"])
            return WholeCorpus("listing", bare, bare != match["subject"])
    return None


@cache
def _patterns() -> tuple[tuple[Wanted, re.Pattern[str]], ...]:
    of_each: tuple[tuple[Wanted, tuple[str, ...]], ...] = (*_OTHERS, ("listing", _LISTINGS))
    return tuple(
        (wanted, re.compile(_ASKING + pattern + _AFTER, re.IGNORECASE)) for wanted, patterns in of_each for pattern in patterns
    )


def _is_searchable(subject: str) -> bool:
    words = words_in(subject)
    is_simple = unquoted(subject) != subject or (len(words) <= _MAX_SUBJECT_WORDS and not _TOO_MUCH.search(subject))
    return is_simple and any(word.says_something for word in words)

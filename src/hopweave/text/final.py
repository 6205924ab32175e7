"""Extracts the bare answer from the model's final words, and reports how it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.core.types import AnswerForm, Question
from hopweave.text.citation_marks import drop_marks, drop_marks_between_words
from hopweave.text.languages import all_words_for, language_beside
from hopweave.text.quotation import unquoted, without_unclosed_mark
from hopweave.text.sentence_ends import is_cut_short
from hopweave.text.sentences import sentence_spans
from hopweave.text.written_lists import rows_in, short_lines

MARKER = "So the final answer is"

SAYS_ANSWER = lazy_pattern(r"\banswer\s+is\b", re.IGNORECASE)
"""Finds the words that give an answer."""

_LADDER = (
    ("marker", lazy_pattern(r"\bso\s+the\s+final\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", lazy_pattern(r"\bthe\s+final\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", lazy_pattern(r"\bso,?\s+the\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", lazy_pattern(r"\bthe\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", SAYS_ANSWER),
    ("alt-marker", lazy_pattern(r"\banswer[ \t]*+\]?+[ \t]*+\**+[ \t]*+[:：]", re.IGNORECASE)),
)
# "Note that the answer is based on ..." refers to an answer given elsewhere, and gives none.
_SPEAKS_OF = lazy_pattern(
    r"\s*+(?:(?:also|only|directly|clearly|solely|therefore)\s++)?(?:based\s+(?:up)?on\b|according\s+to\b"
    r"|(?:\w++\s++)?(?:on|from|by|in|with)\s++(?:(?:the|this|these|all|my|your|provided|given|above)\s++){1,3}"
    r"(?:passages?|contexts?|texts?|sources?|information|paragraphs?|documents?|evidence|chain|queries|answers)\b"
    r"|(?:given|stated|found|provided|mentioned|shown)\s+(?:above|below|here|there)\b|(?:correct|complete|clear)\b\W*+$)",
    re.IGNORECASE | re.MULTILINE,
)
_ABBREVIATION = lazy_pattern(
    r"(?:\b[A-Za-z]\.\s?){2,}$|\b(?:Jr|Sr|Inc|Ltd|Co|Corp|Bros|Esq|St|Mt|Dr|Mr|Mrs|Ms|Ave|Blvd|Ph\.D|etc)\.$"
)
_MOST_LAYERS = 50  # of marks around an answer; each is one more pass over it
_ABBREVIATION_LENGTH = 12  # the longest that is recognised, so that a long run of initials is not scanned over and over
_TITLE = lazy_pattern(r"(?:Dr|Mr|Mrs|Ms|Mt|Prof|St)\.")
_EDGES = "*` \t"
_EMPHASISED = lazy_pattern(r"(_{1,3})(?P<said>[^_\s](?:.*[^_\s])?)\1", re.DOTALL)
"""What Markdown sets apart by underscores, which otherwise are part of a name: `__init__`, `nodedbg_`."""
_SYNONYMS = {
    "yes": ("true",),
    "no": ("false",),
    "true": ("yes",),
    "false": ("no",),
    "supports": ("supported", "true"),
    "supported": ("supports", "true"),
    "refutes": ("refuted", "false"),
    "refuted": ("refutes", "false"),
}
"""Other words for the labels yes and no, and for those of FEVER."""


def final_answer(text: str, question: Question) -> tuple[str, str]:
    """The bare answer in a text, in the form that the question requires.

    Args:
        text: the final words of a model.
        question: decides the form: for `short`, what follows the last marker, all of it if that is a list or a table; for
            `label`, one of the labels; for `long`, the whole text without marks and without the closing sentence that repeats
            the answer.

    Returns:
        The answer and how it was found: `marker`, `alt-marker`, `full`, `label-anywhere`, or `empty` (with an empty answer).
        A label that follows no marker is the first one of the last line that names one.
    """
    readers = {"short": _short, "label": _label, "long": _long}
    return readers[question.form](text, question)


def has_marker(text: str) -> bool:
    """Whether a text states the answer explicitly, after a marker."""
    return _after_marker(text) is not None


@remembered
def short_form(text: str) -> str:
    """An answer without quotation marks, Markdown, `[k]` marks and its full stop."""
    line = drop_marks_between_words(text)
    for _ in range(_MOST_LAYERS):
        if line == (barer := _without_edges(line)):
            break
        line = barer
    return " ".join(line.split())


def listed(text: str, *, by_line: bool = False) -> str:
    r"""The items of the list, or the rows of the table, that a text begins with or announces, on one line; empty without one.

    Args:
        text: the words of an answer.
        by_line: whether several short lines are a list as well, as in words that are nothing but the answer.

    >>> listed("The lamps are:\n- **Sula**\n- Orlau [2]"), listed("|lamp|year|\n|---|---|\n|Sula|1887|\n|Orlau|1902|")
    ('Sula, Orlau', 'Sula, 1887; Orlau, 1902')
    >>> listed("Sula\n\nIt is the oldest lamp."), listed("Sula\nOrlau", by_line=True)
    ('', 'Sula, Orlau')
    """
    rows = rows_in(text) or tuple((line,) for line in (short_lines(text) if by_line else ()))
    return joined(", ".join(filter(None, map(short_form, row))) for row in rows)


def joined(items: Iterable[str]) -> str:
    """The items of a list on one line, those that are not empty.

    >>> joined(["Sula", "Orlau"]), joined(["Sula, 1887", "Orlau, 1902"])
    ('Sula, Orlau', 'Sula, 1887; Orlau, 1902')
    """
    said = list(filter(None, items))
    return ("; " if any("," in one for one in said) else ", ").join(said)


def without_reasons(text: str) -> str:
    """What answers in a text that begins with the answer: its list or its table, on one line, or else its first line."""
    return listed(text) or text.strip().split("\n", 1)[0]


def map_label(text: str, labels: Sequence[str]) -> str:
    """The first label that occurs in a text as complete words, in the spelling of `labels`; empty if none does.

    Among labels that begin at the same position, the longest is returned. A label after "not" is ignored. Synonyms are
    recognised too (`true` for `SUPPORTS`), unless they are labels themselves.
    """
    found: list[tuple[int, int, str]] = []
    own = {label.lower() for label in labels}
    for label in labels:
        words = {label.lower(), *(set(_SYNONYMS.get(label.lower(), ())) - own)}
        pattern = rf"(?<!\w)(?<!\bnot )(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)"
        if match := re.search(pattern, text, re.IGNORECASE):
            found.append((match.start(), -match.end(), label))
    return min(found, default=(0, 0, ""), key=lambda place: place[:2])[2]


def demanded(form: AnswerForm, labels: Sequence[str]) -> str:
    """How a prompt describes the last sentence of an answer, by form."""
    if form == "label":
        return f'"{MARKER} X.", where X is one of: {", ".join(labels)}'
    if form == "long":
        return "a full explanation of several sentences"
    return f'"{MARKER} X.", where X is as short as possible'


@prepared
@cache
def _marker_elsewhere() -> re.Pattern[str]:
    """`Antwort:` and `Die Antwort lautet`, in other languages than English."""
    with_colon = rf"(?:{all_words_for('answer')})[ \t]*+\**+[ \t]*+[:：]"
    without = rf"(?:{all_words_for('answer_is')})[ \t]*+[:：]?"
    return re.compile(rf"(?:^|(?<=[.。!！?？*\s，,、；;]))(?:{with_colon}|{without})", re.IGNORECASE)


def _without_edges(line: str) -> str:
    line = line.strip(_EDGES)
    if not line.strip("_"):
        return ""
    emphasised = _EMPHASISED.fullmatch(line)
    if emphasised and (emphasised["said"][0].isupper() or not emphasised["said"].isidentifier()):
        line = emphasised["said"]
    line = without_unclosed_mark(unquoted(line.lstrip(": \t").rstrip(" ,;:")))
    bare = line.rstrip(".。")
    keeps_stop = bare != line and _ABBREVIATION.search(f"{bare}."[-_ABBREVIATION_LENGTH:])
    return f"{bare}." if keeps_stop else bare.rstrip()


@remembered
def _after_marker(text: str) -> tuple[str, str] | None:
    """The text after the last marker of the best kind that gives an answer, and the name of that kind."""
    for how, pattern in (*_LADDER, ("alt-marker", _marker_elsewhere())):
        for match in reversed(list(pattern.finditer(text))):
            if not _SPEAKS_OF.match(text, match.end()):
                return text[match.end() :], how
    return None


def _first_sentence(line: str, asked: str) -> str:
    """The first sentence of what answers a question; `Panic! at the Disco`, `Dr. No` and `am 3. Mai` do not end it."""
    end = 0
    spans = sentence_spans(line, language_beside(line, asked))
    for span in spans:
        goes_on = line[end - 1 : end] in {"!", "?"} and not line[span.start].isupper()
        is_title = _TITLE.fullmatch(line, spans[0].start, end) is not None
        if end and not (goes_on or is_title or is_cut_short(line[:end], line[span.start :])):
            break
        end = span.end
    return line[:end]


def _short(text: str, question: Question) -> tuple[str, str]:
    found = _after_marker(text)
    if found is None:
        whole = short_form(text)
        return (whole, "full") if whole else ("", "empty")
    tail, how = found
    if several := listed(tail.lstrip(" :*")):
        return several, how
    line = next((part for part in tail.lstrip(" :*").splitlines() if part.strip()), "")
    answer = short_form(_first_sentence(line, question.text))
    return (answer, how) if answer else ("", "empty")


def _label(text: str, question: Question) -> tuple[str, str]:
    labels = question.labels
    found = _after_marker(text)
    if found is not None and (label := map_label(found[0], labels)):
        return label, found[1]
    for line in reversed(text.splitlines()):
        if label := map_label(line, labels):
            return label, "label-anywhere"
    return "", "empty"


def _long(text: str, _: Question) -> tuple[str, str]:
    spans = sentence_spans(text)
    if len(spans) > 1 and _LADDER[0][1].search(text, spans[-1].start):
        text = text[: spans[-1].start]
    whole = drop_marks(text).strip()
    return (whole, "full") if whole else ("", "empty")

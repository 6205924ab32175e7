"""Checks an answer that was read from facts, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.answering.reading.hops import NOTHING_SETTLED, Way
from hopweave.citations.citing import locate
from hopweave.citations.support import adds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.alike_names import names_another
from hopweave.text.content_words import anchors, keys_of
from hopweave.text.document_names import full_heading
from hopweave.text.evidence import Evidence
from hopweave.text.matching import is_contained, is_yes_or_no, normalize_answer
from hopweave.text.quotation import PLAIN
from hopweave.text.referring import only_refers
from hopweave.text.refusal import does_not_know, values_of_none
from hopweave.text.values_asked import is_other_measure

_WEIGHTS = {"none": 4, "form": 4, "refers": 4, "elsewhere": 3, "repeats": 3, "another": 3, "open": 1, "unsure": 1}
_IN_WORDS = {
    "none": "is no answer",
    "form": "is not of the form that was asked for",
    "refers": "only says where the answer stands",
    "repeats": "only repeats the question",
    "elsewhere": "is not in the words of the fact that was named",
    "another": "is from a document about another one than the question names",
    "open": "is from a fact that most names of the question do not lead to",
    "unsure": "is improbable by the model's own measure",
}
"""What a problem says of a reading, after its subject."""
ONE_SIDED = "values that passages state were not found for both things that are compared"
"""The doubt about the answer to a comparison that code made without passages for both sides."""
NOT_ASKED = "it was not said which question the value answers"
"""The doubt about a value in a comparison."""
_YES_OR_NO = lazy_pattern(r"\s*(?:are|is|was|were|am|do|does|did|have|has|had|can|could|will|would|should)\b", re.IGNORECASE)
ASKING = lazy_pattern(r"\b(?:who|whom|whose|what|which|where|when|why|how)\b", re.IGNORECASE)
"""Words that ask for something."""
_YEAR = lazy_pattern(r"\s*(?:in\s+)?(?:what|which)\s+year\b", re.IGNORECASE)
_PLACE = lazy_pattern(r"\s*where\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer that the model read from facts.

    Attributes:
        asked: the question that was read for.
        answer: in a few words; empty if there is none.
        fact: the fact that states it; `None` if the model named none.
        probability: the geometric mean over the tokens of the answer; 1 if the endpoint does not report it.
        facts: the facts that were shown.
    """

    asked: str
    answer: str
    fact: Evidence | None
    probability: float
    facts: tuple[Evidence, ...]


def problems_of(reading: Reading, least_probability: float, way: Way = NOTHING_SETTLED) -> list[str]:
    """The problems of a reading, one word for each; empty if there are none.

    - `none`: there is no answer, or it says that it is not known; "None" is one if the fact has it as a value.
    - `form`: it is a yes or a no, and the question asks for something else; the question asks for a year, and it has no digit;
      or for a place, and it has no letter; or how long, hot or heavy something is, and it is a percentage or a sum of money.
    - `refers`: it only says where the answer stands, such as "the amount stated in clause 13.1".
    - `repeats`: it adds nothing to the question, or is one of the intermediate names of the question.
    - `elsewhere`: its words are neither in the fact that was named nor in the title of its passage.
    - `another`: the fact is of a document whose title has a name such as `H6` and not the `H4` of the question, and the fact
      itself does not have that either.
    - `open`: more than half of the question's names do not lead to the fact: they are not in it or its title, and no other fact
      that has the name names this one's passage, is named by it, or shares a name with it.
    - `unsure`: the model found its words improbable.

    The last two are ignored for the settled answer to an intermediate question.

    Args:
        reading: the reading.
        least_probability: an answer with a lower probability is `unsure`.
        way: how the question leads through settled answers.
    """
    if not _is_answered(reading):
        return ["none"]
    found, is_bare = [], is_yes_or_no(reading.answer)
    if _is_of_other_form(reading.asked, reading.answer) or is_other_measure(reading.asked, reading.answer):
        found.append("form")
    if only_refers(reading.asked, reading.answer):
        found.append("refers")
    if not is_bare and (not adds(reading.asked, reading.answer) or _is_one_of(reading.answer, way.through)):
        found.append("repeats")
    if not is_bare and (reading.fact is None or not has_words(_words_of(reading.fact), reading.answer)):
        found.append("elsewhere")
    if reading.fact is not None and _is_of_another(reading.asked, reading.fact):
        found.append("another")
    if _is_one_of(reading.answer, way.besides):
        return found
    if reading.fact is not None and _is_open(reading.asked, reading.fact, reading.facts):
        found.append("open")
    if reading.probability < least_probability:
        found.append("unsure")
    return found


def problems_in_words(problems: Sequence[str], asked: str) -> str:
    """What is wrong with a reading, as a clause; empty if nothing is.

    Args:
        problems: as of `problems_of`; one word counts once.
        asked: the question that was read for.
    """
    said = " and ".join(_IN_WORDS[problem] for problem in dict.fromkeys(problems))
    return f'what was read for "{asked}" {said}' if said else ""


def has_words(text: str, words: str) -> bool:
    """Whether a text has words in a row: as answers are compared, or as a citation would find them.

    The former takes `--depth=NUMBER` for one word; the latter does not ignore marks between words.
    """
    return is_contained(_with_plain_signs(words), _with_plain_signs(text)) or locate(words, text) is not None


@remembered
def _with_plain_signs(text: str) -> str:
    return text.translate(PLAIN)


def does_hold(problems: Sequence[str]) -> bool:
    """Whether a reading is accepted; one that is merely unsure is, since further reading finds nothing better."""
    return all(problem == "unsure" for problem in problems)


def weight(problems: Sequence[str]) -> int:
    """The severity of a reading's problems: an answer that no fact states is worse than a connection that stays unclear."""
    return sum(_WEIGHTS[problem] for problem in problems)


def _is_answered(reading: Reading) -> bool:
    if reading.fact is not None and values_of_none(reading.answer, reading.fact.text):
        return True
    return bool(reading.answer) and not does_not_know(reading.answer)


def _is_of_other_form(question: str, answer: str) -> bool:
    if _YES_OR_NO.match(question):
        return False
    if _YEAR.match(question):
        return not any(map(str.isdigit, answer))
    if _PLACE.match(question) and not any(map(str.isalpha, answer)):
        return True
    return is_yes_or_no(answer) and ASKING.search(question) is not None


def _is_of_another(asked: str, fact: Evidence) -> bool:
    """Whether the title above a fact names another one than is asked for, and the fact itself does not name that.

    Which of several in the fact the answer is said of is for the support rule.
    """
    title = fact.passage.title
    return names_another(asked, title) and names_another(asked, f"{title}\n{fact.text}")


def _is_one_of(answer: str, names: Sequence[str]) -> bool:
    return normalize_answer(answer) in map(normalize_answer, names)


def _is_open(question: str, fact: Evidence, facts: Sequence[Evidence]) -> bool:
    names = [name for name in anchors(question) if any(map(str.isalpha, name))]
    away = [name for name in names if not _has(fact, name)]
    if 2 * len(away) <= len(names):
        return False
    said = [(keys_of(_words_of(one)), one) for one in facts]
    wanted = [keys_of(name) for name in away]
    num_open = sum(not any(name <= there and _joined(one, fact) for there, one in said) for name in wanted)
    return 2 * num_open > len(names)


def _joined(one: Evidence, other: Evidence) -> bool:
    """Whether two facts are of one passage, one names the other's passage, or both have a name in common."""
    if one.passage.id == other.passage.id:
        return True
    if any(title and _has(fact, title) for fact, title in ((one, other.passage.title), (other, one.passage.title))):
        return True
    shared = {frozenset(keys_of(name)) for name in anchors(one.text)} & {
        frozenset(keys_of(name)) for name in anchors(other.text)
    }
    return any(len(name) > 1 for name in shared)


def _has(fact: Evidence, name: str) -> bool:
    wanted = keys_of(name)
    return bool(wanted) and wanted <= keys_of(_words_of(fact))


def _words_of(fact: Evidence) -> str:
    return f"{full_heading(fact.passage)}\n{fact.text}"

"""Whether what is supported gives an answer that is computed: a difference, the time between two dates, or a total.

No passage states such an answer. It is supported if all steps are, their values computed by code give it, and the steps are
about what the question asks, all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.citations.rules.calculations_asked import WORDS, Calculation, calculation_asked, is_computed, is_value
from hopweave.core.types import Claim
from hopweave.text.content_words import keys_of, named_keys, numbers_of, stems_of
from hopweave.text.key_terms import words_in
from hopweave.text.matching import normalize_answer

_NUM_OF_A_DIFFERENCE = 2


def calculated_from(question: str, short: str, claims: Sequence[Claim]) -> tuple[int, ...]:
    """The numbers, from 1, of the claims from which an answer is computed; none if it is not, or not by what is asked.

    Args:
        question: the question.
        short: the bare answer.
        claims: those of all steps.

    >>> steps = [("When was Sula Mill built?", "1887"), ("When was Kerrow Light built?", "1902")]
    >>> claims = [Claim(query, text, support="supported") for query, text in steps]
    >>> calculated_from("How many years after Sula Mill was Kerrow Light built?", "15 years", claims)
    (1, 2)
    >>> calculated_from("How many years after Sula Mill was Kerrow Light built?", "16", claims)
    ()
    """
    wanted = calculation_asked(question)
    behind = {
        number: claim for number, claim in enumerate(claims, start=1) if normalize_answer(claim.text) != normalize_answer(short)
    }
    steps = list(behind.values())  # without one that only says what is computed
    if wanted is None or any(claim.support != "supported" for claim in steps):
        return ()
    valued = [claim for claim in steps if is_value(claim.text)]
    are_enough = len(valued) == _NUM_OF_A_DIFFERENCE if wanted == "difference" else len(valued) >= _NUM_OF_A_DIFFERENCE
    if not are_enough or len({claim.query for claim in valued}) < len(valued) or not _is_about(question, wanted, steps, valued):
        return ()
    return tuple(behind) if is_computed(question, wanted, short, [claim.text for claim in valued]) else ()


def _is_about(question: str, wanted: Calculation, claims: Sequence[Claim], valued: Sequence[Claim]) -> bool:
    """Whether steps have all words of a question and ask for no other numbers, nor those of a total for other things."""
    told = " ".join(f"{claim.query} {claim.text}" for claim in claims)
    found = " ".join(claim.text for claim in claims)
    known = numbers_of(keys_of(question)) | numbers_of(keys_of(found))
    is_covered = named_keys(question) <= keys_of(told) and _words(question) <= stems_of(told)
    is_same = wanted == "difference" or all(_words(claim.query) <= stems_of(f"{question} {found}") for claim in valued)
    return is_covered and is_same and all(numbers_of(keys_of(claim.query)) <= known for claim in valued)


def _words(text: str) -> set[str]:
    """The stems of the words that say what is counted or measured."""
    return {word.stem for word in words_in(text) if word.says_something and word.key not in WORDS}

"""Whether two texts say the same: the normaliser, containment and overlap that methods and metrics share."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Literal

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.text.languages import all_words_for
from hopweave.text.quotation import CLOSING
from hopweave.text.scripts import runs_together

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = lazy_pattern(r"\b(a|an|the)\b")
_SEPARATING = lazy_pattern(r"\W*+")
_NOT_WORDS = lazy_pattern(r"[^a-z0-9]+")

_NO_LETTER = lazy_pattern(r"[\W_]+")
_NO_ASCII_LETTER = bytes(code for code in range(128) if not chr(code).isalnum())

Match = Literal["words", "characters"]


@remembered
def normalize_answer(text: str) -> str:
    """The SQuAD normaliser: lower case, ASCII punctuation deleted, articles blanked, white space collapsed, in that order.

    Source: Rajpurkar et al. 2016, the official evaluation script's rules.

    >>> normalize_answer("The Toronto Coach-Terminal.")
    'toronto coachterminal'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def letters_of(text: str) -> str:
    """The letters and digits of a text, in compatibility form and case folded."""
    if text.isascii():
        return text.lower().encode("ascii").translate(None, _NO_ASCII_LETTER).decode("ascii")
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())


def is_contained(span: str, answer: str, match: Match = "words") -> bool:
    """Whether the normalised span occurs in the normalised answer (SearChain, section 3.3, short form).

    Args:
        span: the reader's words. If they normalise to nothing, they are contained in nothing.
        answer: the model's words.
        match: `words` matches only complete, consecutive words, so that `no` is not in `not known`; `characters` matches any
            substring, as the authors' code does. In scripts without spaces, such as Japanese, both match substrings.

    >>> is_contained("no", "not known"), is_contained("no", "not known", "characters")
    (False, True)
    """
    needle, hay = normalize_answer(span), normalize_answer(answer)
    if not needle:
        return False
    is_apart = match == "words" and not runs_together(needle)
    return f" {needle} " in f" {hay} " if is_apart else needle in hay


def rouge_l(candidate: str, reference: str) -> tuple[float, float, float]:
    """ROUGE-L over the entire texts: precision, recall and F1, each from 0 to 1.

    Texts are lower-cased and split at everything but letters and digits, without stemming; the score is based on the plain
    longest common subsequence, as in Google's `rouge_score` (Lin 2004).

    >>> [round(value, 4) for value in rouge_l("the cat sat on the mat", "the cat lay on the mat")]
    [0.8333, 0.8333, 0.8333]
    """
    left, right = _NOT_WORDS.sub(" ", candidate.lower()).split(), _NOT_WORDS.sub(" ", reference.lower()).split()
    if not left or not right:
        return 0.0, 0.0, 0.0
    common = num_in_common(left, right)
    precision, recall = common / len(left), common / len(right)
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    return precision, recall, f1


def num_in_common(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence of two texts, or of two lists of words.

    >>> num_in_common("abcd", "abed"), num_in_common(["the", "cat", "sat"], ["the", "mat", "sat"])
    (3, 2)
    """
    from rapidfuzz.distance import LCSseq  # which takes a twentieth of a second to import

    return LCSseq.similarity(left, right)


def is_yes_or_no(text: str) -> bool:
    """Whether an answer is a yes or no: bare, or with more after punctuation.

    >>> is_yes_or_no("Yes, in 1931"), is_yes_or_no("No Country for Old Men"), is_yes_or_no("No. 5")
    (True, False, False)
    """
    return _yes_or_no(text) is not None


def is_yes(text: str) -> bool:
    """Whether an answer is a yes, bare or with more after punctuation, in whatever language.

    >>> is_yes("Oui, en 1931"), is_yes("いいえ"), is_yes("Yes")
    (True, False, True)
    """
    found = _yes_or_no(text)
    return found is not None and found["yes"] is not None


def without_yes_or_no(text: str) -> str:
    """An answer without its yes or no, and without what separates that from the rest.

    >>> without_yes_or_no("Yes, in 1931"), without_yes_or_no("はい、1931年です")
    ('in 1931', '1931年です')
    """
    found = _yes_or_no(text)
    return _SEPARATING.sub("", text[found.end("said") :], count=1) if found is not None else text


def _yes_or_no(text: str) -> re.Match[str] | None:
    return _yes_or_no_pattern().match(text)


@prepared
@cache
def _yes_or_no_pattern() -> re.Pattern[str]:
    yes, no = (all_words_for(what) for what in ("yes", "no"))
    end = rf"(?:[\W_]*+$|(?!\.\s*+\d)[*_{CLOSING}]*+\s*+(?:[.,;:!،–—-]++\s|[、。，！：；]))"
    return re.compile(rf"[\W_]*+(?P<said>(?P<yes>yes|{yes})|no|{no})(?!\w){end}", re.IGNORECASE)

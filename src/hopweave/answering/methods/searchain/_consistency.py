"""Whether an answer agrees with a reader's result (SearChain, section 3.3, Verification)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hopweave.core.types import Passage, Question, Reading
from hopweave.text.agreement import agree
from hopweave.text.final import map_label
from hopweave.text.key_terms import only_repeats, words_in
from hopweave.text.matching import Match, is_contained, rouge_l

Finding = Literal["agrees", "differs", "nothing_to_compare"]

_NEGATIONS = frozenset(
    ["not", "isn't", "wasn't", "aren't", "weren't", "doesn't", "don't", "didn't", "hasn't", "cannot", "can't"]
)


@dataclass(frozen=True, slots=True)
class Consistency:
    """How answers are compared; see the options of SearChain of the same names."""

    alpha: float
    rouge: Literal["f1", "precision"]
    match: Match
    check_yes_no: bool
    normalize_values: bool

    def compare(self, query: str, answer: str, reading: Reading, passage: Passage, question: Question) -> Finding:
        """Compares the model's answer to a query with the reading of a passage.

        A long answer agrees if its ROUGE-L with the passage is above alpha. Any other agrees if it contains the reader's words;
        with `normalize_values`, also if the two say the same in other words or to another precision (`text.agreement`) and it
        adds to the query.
        """
        if question.form == "long":
            precision, _, f1 = rouge_l(answer, passage.text)
            return "agrees" if (f1 if self.rouge == "f1" else precision) > self.alpha else "differs"
        if not self.check_yes_no and is_bare(answer, question):
            return "nothing_to_compare"  # a span copied from a passage cannot say yes or no
        if is_contained(reading.text, answer, self.match):
            return "agrees"
        is_same = self.normalize_values and agree(reading.text, answer) and not only_repeats(answer, query)
        return "agrees" if is_same else "differs"


def is_bare(answer: str, question: Question) -> bool:
    """Whether an answer is only a yes, a no or, for a question that expects a label, a label or a synonym of one.

    >>> is_bare("Yes, it was.", Question("q", "?")), is_bare("Yes, she was born in 1940", Question("q", "?"))
    (True, False)
    """
    words = words_in(answer)
    telling = [word.key for word in words if word.says_something and word.key not in _NEGATIONS]
    if telling in (["yes"], ["no"]) and words[0].key == telling[0]:
        return True
    label = map_label(answer, question.labels) if question.form == "label" else ""
    return bool(label) and len(telling) <= max(1, sum(word.says_something for word in words_in(label)))

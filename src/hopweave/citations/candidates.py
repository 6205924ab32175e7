"""A place that has the words of an answer, and what a rule about it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hopweave.citations.about import names_its_subject
from hopweave.citations.occurrences import in_quote
from hopweave.citations.places import Place
from hopweave.citations.superseded import Found
from hopweave.citations.weighed import Weighed, weighed
from hopweave.core.types import Citation, Claim, Passage, Shortfall, Span


@dataclass(frozen=True)
class Candidate:
    """An answer to a query, at a place that has its words.

    Attributes:
        query: the query.
        said: the answer.
        place: where it stands.
        citation: what would be cited: the sentence, and the position of the words in it unless only the title has them.
        focus: the position of the words in the text of the passage.
        found: all passages that may say something else.
        evidence: the passages that may be cited.
        settled: earlier claims that are supported.
        is_yes: whether the answer is the reason for a yes.
    """

    query: str
    said: str
    place: Place
    citation: Citation
    focus: Span
    found: Found
    evidence: Sequence[Passage]
    settled: Sequence[Claim] = ()
    is_yes: bool = False

    @cached_property
    def is_statement(self) -> bool:
        """Whether the answer names its own subject: it is then compared with the sentence whatever the query is."""
        return names_its_subject(self.said)

    @cached_property
    def asking(self) -> str:
        """What a sentence is compared with: the query, or an answer that is a statement."""
        return self.said if self.is_statement else self.query

    @property
    def sentence(self) -> str:
        """The sentence that would be cited."""
        return self.citation.quote

    @cached_property
    def inside(self) -> Span | None:
        """The position of the words in the sentence; `None` if only the title of its passage has them."""
        return in_quote(self.citation)

    @cached_property
    def weighed(self) -> Weighed | None:
        """The answer beside what else there is; `None` if it is not weighed."""
        return weighed(self.query, self.said, self.asking, self.place, self.focus, self.found.passages)


class Rule(NamedTuple):
    """A rule about an answer at a place.

    Attributes:
        shortfall: why the place does not support the answer, if the rule holds.
        says: what the rule finds, as a clause for users such as "it is in another column".
        holds: whether it is so.
    """

    shortfall: Shortfall
    says: str
    holds: Callable[[Candidate], bool]


def in_sentence(holds: Callable[[Candidate, Span], bool]) -> Callable[[Candidate], bool]:
    """A rule about words at a position in the sentence; it says nothing of what only a title has."""
    return lambda one: one.inside is not None and holds(one, one.inside)


def compared(holds: Callable[[str, str, Span], bool]) -> Callable[[Candidate], bool]:
    """A rule that compares a query, or an answer that is a statement, with words at a position in a sentence."""
    return in_sentence(lambda one, inside: holds(one.asking, one.sentence, inside))


def of_answers(holds: Callable[[Candidate], bool]) -> Callable[[Candidate], bool]:
    """A rule about answers that are no statements."""
    return lambda one: not one.is_statement and holds(one)

"""What the sentence that has the words of an answer says against it: it is not so, may be so, or is so of something else."""

from __future__ import annotations

from hopweave.citations.about import names_in, names_its_subject
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Shortfall, Span
from hopweave.text.bands import is_in_other_band
from hopweave.text.bounds import is_no_end
from hopweave.text.changes import is_other_figure
from hopweave.text.conditions import is_under_other_condition
from hopweave.text.conversions import is_converted_back
from hopweave.text.defaults import is_no_default
from hopweave.text.estimates import is_of_an_estimate
from hopweave.text.given_up import is_given_up
from hopweave.text.hedges import is_left_open, leaves_open
from hopweave.text.kinship import is_kin_asked
from hopweave.text.languages import is_foreign
from hopweave.text.negation import denies_there, deny_alike
from hopweave.text.opposites import says_the_opposite
from hopweave.text.parallels import is_amount_of_another, is_of_another
from hopweave.text.rankings import is_of_another_of_several, is_of_other_place
from hopweave.text.relations import relations_asked, tells_of_opposite
from hopweave.text.roles import is_in_other_role, is_stated_in_other_role
from hopweave.text.speakers import is_of_who_speaks
from hopweave.text.suppositions import is_only_supposed
from hopweave.text.table_rows import is_other_column
from hopweave.text.values import DATE_IN_SIGNS, MONTHS
from hopweave.text.values_alike import values_in

_FEWEST_OF_A_STATEMENT = 4
_DAY = lazy_pattern(rf"\d\s(?:{'|'.join(month.capitalize() for month in MONTHS)})\b|\d\s?[月월]\s?\d{{1,2}}\s?[日号號일]")
"""Also at the end of a range, `from 12 to 14 June`, and without a year: `5月12日`."""


def says_against(query: str, said: str, sentence: str, focus: Span | None) -> Shortfall:
    """Why a sentence that has the words of an answer speaks against it; empty if it does not.

    Args:
        query: the query.
        said: the answer. A statement that names its own subject is compared with the sentence whatever the query is.
        sentence: the sentence.
        focus: the position of the words in it; `None` if they are the title of its passage only.

    >>> told = "It was built in Sula and possibly moved to Brno."
    >>> [says_against("Where is it?", town, told, Span(start, start + 4)) for town, start in (("Sula", 16), ("Brno", 43))]
    ['', 'hedge']
    """
    is_statement = names_its_subject(said)
    # In other languages a whole clause is denied, with an answer that it has as it is: `denies_there` sees to that.
    has_answer = focus is not None and not is_statement and is_foreign(sentence) and 2 * (focus.end - focus.start) > len(said)
    if not has_answer and not deny_alike(said, sentence):
        return "denial"
    asking = said if is_statement else query
    if focus is None:
        is_other = is_kin_asked(asking, sentence, focus) is False or _has_other_date(said, sentence)
        return "relation" if is_other else ""
    if not is_statement and denies_there(f"{query} {said}", sentence, focus):
        return "denial"
    is_of_something_else = (
        tells_of_opposite(said if relations_asked(said) else asking, sentence, focus)
        or is_other_column(asking, sentence, focus)
        or is_of_other_place(asking, sentence)
        or is_of_another_of_several(asking, sentence, focus)
        or is_in_other_band(asking, sentence, focus)
        or is_of_another(names_in(asking), sentence, focus)
        or is_amount_of_another(asking, sentence, focus)
        or is_of_an_estimate(asking, sentence, focus)
        or is_other_figure(asking, sentence, focus)
        or is_under_other_condition(asking, sentence, focus)
        or is_no_end(asking, sentence, focus)
        or is_no_default(asking, sentence, focus)
        or is_converted_back(asking, sentence)
        or is_kin_asked(asking, sentence, focus) is False
        or (is_stated_in_other_role(said, sentence) if is_statement else is_in_other_role(asking, sentence, focus))
        or (_is_told_apart(said, focus) and says_the_opposite(said, sentence))
        or (not is_statement and is_of_who_speaks(asking, names_in(asking), sentence, focus))
    )
    if is_of_something_else:
        return "relation"
    asked = f"{query} {said}" if is_statement else query
    if is_given_up(asked, sentence, focus):
        return "replaced"
    if is_only_supposed(asked, sentence, focus):
        return "hedge"
    is_open = is_left_open(f"{query} {said}", sentence, focus) or (is_statement and leaves_open(sentence, said))
    return "hedge" if is_open else ""


def _is_told_apart(said: str, focus: Span) -> bool:
    """Whether an answer has as many words as a statement, which a sentence does not have in a row."""
    return len(said.split()) >= _FEWEST_OF_A_STATEMENT and focus.end - focus.start < len(said)


def _has_other_date(said: str, sentence: str) -> bool:
    """Whether an answer is a date, which only the title has, and the sentence has a date of its own."""
    return _has_date(said) and _has_date(sentence)


def _has_date(text: str) -> bool:
    is_date = any(value.kind == "date" for value in values_in(text))
    return is_date or _DAY.search(text) is not None or DATE_IN_SIGNS.search(text) is not None

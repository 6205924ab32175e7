"""What the sentence that has the words of an answer says against it: it is not so, may be so, or is so of something else."""

from __future__ import annotations

from hopweave.citations.about import names_in, names_its_subject
from hopweave.core.types import Shortfall, Span
from hopweave.text.changes import is_other_figure
from hopweave.text.conditions import is_under_other_condition
from hopweave.text.defaults import is_no_default
from hopweave.text.estimates import is_of_an_estimate
from hopweave.text.hedges import is_left_open, leaves_open
from hopweave.text.kinship import is_kin_asked
from hopweave.text.languages import is_foreign
from hopweave.text.negation import denies_there, deny_alike
from hopweave.text.parallels import is_of_another
from hopweave.text.relations import relations_asked, tells_of_opposite
from hopweave.text.table_rows import is_other_column


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
        return "relation" if is_kin_asked(asking, sentence, focus) is False else ""
    if not is_statement and denies_there(f"{query} {said}", sentence, focus):
        return "denial"
    is_of_something_else = (
        tells_of_opposite(said if relations_asked(said) else asking, sentence, focus)
        or is_other_column(asking, sentence, focus)
        or is_of_another(names_in(asking), sentence, focus)
        or is_of_an_estimate(asking, sentence, focus)
        or is_other_figure(asking, sentence, focus)
        or is_under_other_condition(asking, sentence, focus)
        or is_no_default(asking, sentence, focus)
        or is_kin_asked(asking, sentence, focus) is False
    )
    if is_of_something_else:
        return "relation"
    is_open = is_left_open(f"{query} {said}", sentence, focus) or (is_statement and leaves_open(sentence, said))
    return "hedge" if is_open else ""

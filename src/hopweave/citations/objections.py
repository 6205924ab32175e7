"""What speaks against an answer at a place that has its words: every rule with its name, in the order in which they are asked.

The sentence says that it is not so, or leaves it open, or says it of something else; the answer is of another kind; the place
is not about what is asked; or another value is what is asked for (`citations.nearer`). What another sentence says against it is
no matter of these rules (`citations.rivals`).
"""

from __future__ import annotations

from hopweave.citations.about import (
    has_alike_names_of,
    is_about,
    is_date_in_place,
    names_in,
    says_as_much,
    states_relation,
)
from hopweave.citations.candidates import Candidate, Rule, compared, in_sentence, of_answers
from hopweave.citations.cells import is_other_cell
from hopweave.citations.editions import is_of_another_edition
from hopweave.citations.nearer import NEARER
from hopweave.citations.places import place_of
from hopweave.citations.rules.bands import is_in_other_band
from hopweave.citations.rules.bounds import is_no_end
from hopweave.citations.rules.changes import is_other_figure
from hopweave.citations.rules.conditions import is_under_other_condition
from hopweave.citations.rules.conversions import is_converted_back
from hopweave.citations.rules.dates_of_records import is_date_of_a_record
from hopweave.citations.rules.estimates import is_of_an_estimate
from hopweave.citations.rules.given_up import is_given_up
from hopweave.citations.rules.hedges import is_left_open, leaves_open
from hopweave.citations.rules.kinship import is_kin_asked
from hopweave.citations.rules.negation import denies_there, deny_alike
from hopweave.citations.rules.opposites import says_the_opposite
from hopweave.citations.rules.own_values import is_of_another_value
from hopweave.citations.rules.parallels import is_amount_of_another, is_of_another
from hopweave.citations.rules.rankings import is_of_another_of_several, is_of_other_place
from hopweave.citations.rules.relations import relations_asked, tells_of_opposite
from hopweave.citations.rules.roles import is_in_other_role, is_stated_in_other_role
from hopweave.citations.rules.speakers import is_of_who_speaks
from hopweave.citations.rules.suppositions import is_only_supposed
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage, Span
from hopweave.text.alike_names import is_of_another_name, is_one_of_several, is_only_another_name
from hopweave.text.answer_kinds import counts_something_else, is_of_kind, is_something_else, kind_asked
from hopweave.text.defaults import is_no_default
from hopweave.text.languages import is_foreign, language_beside
from hopweave.text.referring import is_in_a_reference, is_only_a_term, only_refers
from hopweave.text.sentences import sentences_in
from hopweave.text.table_rows import is_on_another_line, is_other_column, is_other_row, is_row, is_under_other_label
from hopweave.text.values import DATE_IN_SIGNS, MONTHS
from hopweave.text.values_alike import values_in
from hopweave.text.values_asked import is_other_measure

_FEWEST_OF_A_STATEMENT = 4
_DAY = lazy_pattern(rf"\d\s(?:{'|'.join(month.capitalize() for month in MONTHS)})\b|\d\s?[月월]\s?\d{{1,2}}\s?[日号號일]")
"""Also at the end of a range, `from 12 to 14 June`, and without a year: `5月12日`."""


def objection_to(candidate: Candidate) -> Rule | None:
    """The first rule that speaks against an answer at a place; `None` if none does."""
    return next((rule for rule in RULES if rule.holds(candidate)), None)


def is_said_of_another_name(one: Candidate, passage: Passage, sentence: Span, inside: Span | None) -> bool:
    """Whether a sentence, or some words in it, are of another name of the same make than the query or statement has."""
    is_no = not one.is_statement and kind_asked(one.query) == "yes_no" and not one.is_yes
    if is_no:  # another one may be the reason
        return False
    text = passage.text[sentence.start : sentence.end]
    return is_of_another_name(one.asking, text, inside, lambda: place_of(passage, sentence).headings)


def _is_denied_by_one(one: Candidate) -> bool:
    """Whether only one of the sentence and the answer denies what they say.

    In other languages a whole clause is denied, with an answer that it has as it is: `denies_there` sees to that.
    """
    inside = one.inside
    is_all_there = inside is not None and 2 * (inside.end - inside.start) > len(one.said)
    if is_all_there and not one.is_statement and is_foreign(one.sentence):
        return False
    return not deny_alike(one.said, one.sentence)


def _is_of_other_date(one: Candidate) -> bool:
    """Whether an answer is a date, which only the title has, and the sentence has a date of its own."""
    language = language_beside(one.sentence, one.place.passage.text, one.query)
    return one.inside is None and _has_date(one.said, language) and _has_date(one.sentence, language)


def _has_date(text: str, language: str) -> bool:
    is_date = any(value.kind == "date" for value in values_in(text, language))
    return is_date or _DAY.search(text) is not None or DATE_IN_SIGNS.search(text) is not None


def _is_of_the_opposite(one: Candidate, inside: Span) -> bool:
    return tells_of_opposite(one.said if relations_asked(one.said) else one.asking, one.sentence, inside)


def _says_the_opposite(one: Candidate, inside: Span) -> bool:
    """Whether a sentence has the opposite of a word of a statement, all of whose words it does not have in a row."""
    is_told_apart = len(one.said.split()) >= _FEWEST_OF_A_STATEMENT and inside.end - inside.start < len(one.said)
    return is_told_apart and says_the_opposite(one.said, one.sentence)


def _is_of_other_place(one: Candidate, _inside: Span) -> bool:
    return is_of_other_place(one.asking, one.sentence)


def _is_in_other_role(one: Candidate, inside: Span) -> bool:
    if one.is_statement:
        return is_stated_in_other_role(one.said, one.sentence)
    return is_in_other_role(one.asking, one.sentence, inside)


def _is_of_who_speaks(one: Candidate, inside: Span) -> bool:
    return not one.is_statement and is_of_who_speaks(one.asking, names_in(one.asking), one.sentence, inside)


def _asked(one: Candidate) -> str:
    return f"{one.query} {one.said}" if one.is_statement else one.query


def _is_only_supposed(one: Candidate, inside: Span) -> bool:
    return is_only_supposed(_asked(one), one.sentence, inside) and not one.found.is_agreed(one.place)


def _is_left_open(one: Candidate, inside: Span) -> bool:
    is_open = is_left_open(f"{one.query} {one.said}", one.sentence, inside) or (
        one.is_statement and leaves_open(one.sentence, one.said)
    )
    return is_open and not one.found.is_agreed(one.place)


def _is_of_another_kind(one: Candidate) -> bool:
    return not is_of_kind(one.said, kind_asked(one.query))


def _is_of_another_value(one: Candidate, inside: Span) -> bool:
    around = place_of(one.place.passage, one.focus).words
    return not one.is_statement and is_of_another_value(one.query, one.sentence, around, inside)


def _is_date_of_a_record(one: Candidate, inside: Span) -> bool:
    return not one.is_statement and is_date_of_a_record(one.query, one.sentence, inside)


def _is_other_cell(one: Candidate, _inside: Span) -> bool:
    return not one.is_statement and is_other_cell(one.query, one.said, one.place.passage, one.focus, one.found.passages)


def _is_in_a_row(one: Candidate) -> bool:
    return one.inside is not None and is_row(one.sentence)


def _is_other_row(one: Candidate, inside: Span) -> bool:
    if one.is_statement or not is_row(one.sentence):
        return False
    others = (sentence for passage in one.found.passages for sentence in sentences_in(passage.text))
    return is_other_row(one.query, one.sentence, inside, others)


def _is_of_another_name(one: Candidate) -> bool:
    inside = None if one.is_statement or one.is_yes else one.inside
    return is_said_of_another_name(one, one.place.passage, Span(one.citation.start, one.citation.end), inside)


RULES: tuple[Rule, ...] = (
    Rule("denial", "only one of the two says “not”", _is_denied_by_one),
    Rule("relation", "the sentence has a date of its own", _is_of_other_date),
    Rule(
        "denial",
        "its clause says “not”",
        of_answers(in_sentence(lambda one, inside: denies_there(f"{one.query} {one.said}", one.sentence, inside))),
    ),
    Rule("relation", "it belongs to the opposite, such as a death for a birth", in_sentence(_is_of_the_opposite)),
    Rule("relation", "it is in another column", compared(is_other_column)),
    Rule(
        "relation",
        "it has another place in the ranking",
        in_sentence(lambda one, _: is_of_other_place(one.asking, one.sentence)),
    ),
    Rule("relation", "it is of another one of several in order", compared(is_of_another_of_several)),
    Rule("relation", "it holds for other amounts", compared(is_in_other_band)),
    Rule(
        "relation",
        "it is the number of another name",
        in_sentence(lambda one, inside: is_of_another(names_in(one.asking), one.sentence, inside)),
    ),
    Rule("relation", "it is the amount of something else", compared(is_amount_of_another)),
    Rule("relation", "it only says how exact a value is", compared(is_of_an_estimate)),
    Rule("relation", "it is a change, or the value of another time", compared(is_other_figure)),
    Rule("relation", "it holds under another condition", compared(is_under_other_condition)),
    Rule("relation", "it is not the bound that is asked for", compared(is_no_end)),
    Rule("relation", "it is not the default", compared(is_no_default)),
    Rule("relation", "it is converted the other way", in_sentence(lambda one, _: is_converted_back(one.asking, one.sentence))),
    Rule("relation", "it is another relative", lambda one: is_kin_asked(one.asking, one.sentence, one.inside) is False),
    Rule("relation", "it has the other role, as the payer does for the paid", in_sentence(_is_in_other_role)),
    Rule("relation", "the sentence has the opposite of one of its words", in_sentence(_says_the_opposite)),
    Rule("relation", "it is only who says so, or who was there", in_sentence(_is_of_who_speaks)),
    Rule(
        "replaced",
        "the sentence gives it up",
        in_sentence(lambda one, inside: is_given_up(_asked(one), one.sentence, inside)),
    ),
    Rule("hedge", "it is only asked, proposed or supposed", in_sentence(_is_only_supposed)),
    Rule("hedge", "it follows a word such as “possibly”", in_sentence(_is_left_open)),
    Rule("kind", "it only says where the answer stands", lambda one: only_refers(one.query, one.said)),
    Rule(
        "kind",
        "it is a term that is defined elsewhere",
        lambda one: is_only_a_term(one.query, one.said, one.place.passage, one.found.passages),
    ),
    Rule(
        "kind",
        "it is part of a reference",
        in_sentence(lambda one, inside: is_in_a_reference(one.query, one.sentence, inside)),
    ),
    Rule(
        "kind",
        "it counts something else",
        in_sentence(lambda one, inside: counts_something_else(one.query, one.sentence, inside)),
    ),
    Rule(
        "subject",
        "it is about no such thing as is asked about",
        lambda one: one.is_statement and not has_alike_names_of(one.query, one.said, one.place),
    ),
    Rule(
        "kind",
        "its form is another, such as a name for a number",
        of_answers(_is_of_another_kind),
    ),
    Rule("kind", "it is another measure", of_answers(lambda one: is_other_measure(one.query, one.said))),
    Rule("kind", "it is a name like one in the question", of_answers(lambda one: is_only_another_name(one.query, one.said))),
    Rule(
        "kind",
        "a passage says that it is something else",
        of_answers(lambda one: is_something_else(one.said, kind_asked(one.query), one.evidence)),
    ),
    Rule(
        "subject",
        "nothing that was found ties it to what the question names",
        of_answers(lambda one: not is_about(one.query, one.said, one.place, one.settled, one.evidence)),
    ),
    Rule(
        "relation",
        "no word there stands for what is asked",
        of_answers(lambda one: not states_relation(one.query, one.place, one.settled)),
    ),
    Rule(
        "relation",
        "it has too few of the words of the question",
        of_answers(lambda one: not says_as_much(one.query, one.said, one.place, one.settled, one.evidence)),
    ),
    Rule(
        "relation",
        "it is the other date of a life",
        of_answers(lambda one: not is_date_in_place(one.query, one.said, one.place.text)),
    ),
    Rule(
        "relation",
        "it is one of several in the title",
        of_answers(lambda one: one.inside is None and is_one_of_several(one.said, one.place.passage.title)),
    ),
    Rule("relation", "it is of another value than the question has", in_sentence(_is_of_another_value)),
    Rule("relation", "it is when the row was written", in_sentence(_is_date_of_a_record)),
    Rule("relation", "another cell is what is asked for", in_sentence(_is_other_cell)),
    Rule(
        "relation",
        "it is behind another label",
        of_answers(lambda one: not _is_in_a_row(one) and is_under_other_label(one.query, one.place.passage.text, one.focus)),
    ),
    Rule(
        "relation",
        "it is on another line",
        of_answers(lambda one: not _is_in_a_row(one) and is_on_another_line(one.query, one.place.passage.text, one.focus)),
    ),
    Rule("relation", "another row is what is asked for", in_sentence(_is_other_row)),
    Rule("relation", "it is of another name", _is_of_another_name),
    Rule(
        "relation",
        "it is of another edition",
        of_answers(lambda one: is_of_another_edition(one.query, one.place, one.found.passages)),
    ),
    *NEARER,
    Rule("replaced", "its document or the next sentence gives it up", lambda one: one.found.is_out(one.place)),
)
"""All rules, in the order in which they are asked. The first that holds is the one that is named."""

"""Facts that are named together for one answer: they count together where the text ties them, and nowhere else."""

from __future__ import annotations

import pytest

from hopweave.answering.toolkit.claims import Assertion, claims_of
from hopweave.citations.together import parts_of_name
from hopweave.core.types import Passage, Span

NOTES = Passage(
    "notes",
    "Lamps: release notes\n\n2.5 (2 May 2024)\n\nNew: an interval of 1 second for all of them.\n\n"
    '2.4 (11 January 2024)\n\nRemoved: the protocol "Legacy".\n\nNew: intervals from 10 seconds.\n\n'
    '2.3 (5 September 2023)\n\nNew: files are read.\n\nDeprecated: the protocol "Legacy".\n\nNew: they are written.\n\n'
    "2.2 (14 March 2023)\n\nNew: nothing.",
    "Lamps: release notes",
)
REMOVED = 'In which version of the lamps was the protocol "Legacy" removed?'
MAIL = Passage(
    "mail",
    "The boiler in the Main Hall was replaced on 12 February. The costs of £18,400 are part of your share, which is 62%. "
    "The roof cost £9,000.",
    "Heating",
)
COST = "What did the replacement of the boiler in the Main Hall cost?"
MINUTES = Passage(
    "minutes",
    "Present: Ada Finch (chair), Tom Carey\n\n3. Lamp of Sula\n\nTom proposed a new lamp. Ada suggested 1 June instead.",
    "Meeting",
)
WHO = "Who suggested 1 June for the lamp of Sula?"


def named(passage, *texts):
    places = [(passage.text.index(text), text) for text in texts]
    return [(passage, Span(start, start + len(text))) for start, text in places]


def claim(query, said, together, found=()):
    passages = list({passage.id: passage for passage, _ in together}.values())
    spans = {passage.id: span for passage, span in reversed(together)}
    [one] = claims_of([Assertion(query, said, "retrieved", passages, read_from=spans, beside=found, together=together)])
    return one


@pytest.mark.parametrize(
    ("query", "said", "together"),
    [
        (REMOVED, "2.4", named(NOTES, "2.4 (11 January 2024)", 'Removed: the protocol "Legacy".')),
        (
            COST,
            "£18,400",
            named(
                MAIL,
                "The costs of £18,400 are part of your share, which is 62%.",
                "The boiler in the Main Hall was replaced on 12 February.",
            ),
        ),
        (WHO, "Ada Finch", named(MINUTES, "Present: Ada Finch (chair), Tom Carey", "Ada suggested 1 June instead.")),
    ],
    ids=["a heading and what is below it", "what leads to it", "a part of a name"],
)
def test_what_is_named_together_supports_an_answer_and_all_of_it_is_cited(query, said, together):
    found = claim(query, said, together)
    assert found.support == "supported"
    assert {citation.quote for citation in found.citations} == {
        passage.text[span.start : span.end] for passage, span in together
    }
    assert claim(query, said, together[:1]).support == "unsupported"


@pytest.mark.parametrize(
    ("query", "said", "together"),
    [
        (REMOVED, "2.5", named(NOTES, "2.5 (2 May 2024)", 'Removed: the protocol "Legacy".')),
        (REMOVED, "2.3", named(NOTES, "2.3 (5 September 2023)", 'Deprecated: the protocol "Legacy".')),
        (COST, "£9,000", named(MAIL, "The roof cost £9,000.", "The boiler in the Main Hall was replaced on 12 February.")),
        (WHO, "Tom Carey", named(MINUTES, "Present: Ada Finch (chair), Tom Carey", "Ada suggested 1 June instead.")),
    ],
    ids=["below another heading", "said better elsewhere", "of something else", "of another name"],
)
def test_a_fact_that_is_named_wrongly_makes_no_wrong_answer_supported(query, said, together):
    found = claim(query, said, together)
    assert found.support == "unsupported"
    assert len(found.citations) == 2


def test_a_part_of_a_name_does_not_count_if_another_name_that_was_found_has_it_too():
    together = named(MINUTES, "Present: Ada Finch (chair), Tom Carey", "Ada suggested 1 June instead.")
    other = Passage("other", "Ada Renn was there, too.", "Guests")
    assert claim(WHO, "Ada Finch", together, [other]).support == "unsupported"
    elsewhere = named(Passage("list", "Ada Finch is the chair.", "Other list"), "Ada Finch is the chair.")
    assert claim(WHO, "Ada Finch", [*elsewhere, *together[1:]]).support == "unsupported"


def test_a_name_of_one_word_or_with_a_number_has_no_parts():
    assert parts_of_name("Ada", "Ada sang.", []) == parts_of_name("Sula 2", "Sula burns.", []) == []
    assert parts_of_name("Ada Finch", "Ada Finch sang.", []) == []

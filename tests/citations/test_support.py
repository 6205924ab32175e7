"""What bears a claim out: the one rule, on sentences, on short answers, and with what a reader says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.citations.made_up import is_made_up
from hopweave.citations.support import Assessment, claim_of, denies, judge
from hopweave.core.types import Passage, Question, Reading, Span
from hopweave.text.content_words import anchors

ASKED = Question("q", "Where was Mira Solberg born?")
SOLBERG = Passage(
    "solberg",
    "Mira Solberg is a singer. She was born in Tromvik in 1981, the daughter of a sailor. "
    "She moved to Westmark and plays the harp.",
    "Mira Solberg",
)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The Planets was composed by Gustav Holst.", ["Planets", "Gustav Holst"]),
        ("Edward, Duke of Kent, died in 1820.", ["Edward", "Duke of Kent", "1820"]),
        ("It has 5,895 metres and 3.5 miles.", ["5,895", "3.5"]),
        ("Frida Kahlo's father met J. R. R. Tolkien.", ["Frida Kahlo", "J. R. R. Tolkien"]),
        ("Museo Reina Sofía is in Madrid.", ["Museo Reina Sofía", "Madrid"]),
        ("He plays the violin.", []),
        ("He fought in World War I, and so did Otto I of Graz.", ["World War I", "Otto I of Graz"]),
        ("On Monday I was told that in 1914 I was wrong.", ["Monday", "1914"]),
        ("Ada and Grace met in Paris and in Rome.", ["Ada", "Grace", "Paris", "Rome"]),
        ("", []),
    ],
)
def test_names_and_numbers(sentence, found):
    assert anchors(sentence) == found


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Mira Solberg was born in Tromvik.", "She was born in Tromvik in 1981, the daughter of a sailor."),
        ("Mira Solberg was born in 1981.", "She was born in Tromvik in 1981, the daughter of a sailor."),
        ("Mira Solberg plays the harp.", "She moved to Westmark and plays the harp."),
        ("The singer is Mira Solberg.", "Mira Solberg is a singer."),
    ],
)
def test_a_sentence_whose_words_stand_together_is_verified_by_that_sentence(sentence, quote):
    [citation] = judge(ASKED.text, sentence, [SOLBERG]).citations
    assert citation.quote == quote
    assert SOLBERG.text[citation.focus.start : citation.focus.end].lower() in sentence.lower()


@pytest.mark.parametrize(
    "sentence",
    [
        "Mira Solberg was born in Westmark.",  # where she moved: the names are there, and not together with the birth
        "Mira Solberg was born in Ostvik.",  # a name that is not there
        "Mira Solberg was born in 198.",  # no number inside a larger one
        "Mira Solberg plays the drums.",  # a word that is not there
        "Jonas Hale was born in Tromvik.",  # of somebody else
        "Thus, Mira Solberg was born in Tromvik.",  # a conclusion
        "",
    ],
)
def test_a_sentence_that_no_passage_holds_is_not(sentence):
    assert judge(ASKED.text, sentence, [SOLBERG]) == Assessment()


@pytest.mark.parametrize(("said", "support"), [("World War II", "supported"), ("World War I", "unsupported")])
def test_a_name_with_another_numeral_is_another_name(said, support):
    told = Passage("olsen", "Vik Olsen (1919-1950) was a pilot. He fought in World War II.", "Vik Olsen")
    assert judge("In which war did Vik Olsen fight?", said, [told]).support == support


def test_the_first_passage_that_holds_it_counts():
    copy = Passage("copy", SOLBERG.text, SOLBERG.title)
    other = Passage("other", "Tromvik is a town.", "Tromvik")
    assert judge(ASKED.text, "Mira Solberg was born in Tromvik.", [other, copy, SOLBERG]).citations[0].passage_id == "copy"


# -- short answers ---------------------------------------------------------------------------------------------------------

MIES = Passage(
    "mies",
    "He was an architect born in Aachen in 1886. The Villa Tugendhat in Brno made him a leader of the modern movement.",
    "Ludwig Mies van der Rohe",
)
HOUSE = "Which house by Ludwig Mies van der Rohe stands in Brno?"


def reading(words: str, passage: Passage = MIES, confidence: float = 1.0) -> dict[str, Reading]:
    start = passage.text.index(words)
    return {passage.id: Reading(words, Span(start, start + len(words)), confidence)}


def support(query, text, readings=None, passages=(MIES,)):
    return judge(query, text, passages, readings).support


def test_a_short_answer_is_borne_out_where_its_words_stand_in_a_row():
    assessment = judge(HOUSE, "the villa Tugendhat.", [MIES], mark=3)
    [citation] = assessment.citations
    assert (assessment.support, citation.mark, citation.passage_id) == ("supported", 3, "mies")
    assert citation.quote == MIES.text[citation.start : citation.end]
    assert MIES.text[citation.focus.start : citation.focus.end] == "The Villa Tugendhat"


@pytest.mark.parametrize("text", ["House of Brno", "the Villa Savoye", "Tugendhat Villa House", "", "unknown", "?!"])
def test_what_no_passage_holds_is_unsupported(text):
    assert judge(HOUSE, text, [MIES]) == Assessment()


@pytest.mark.parametrize(
    ("query", "text"),
    [(ASKED.text, "Mira Solberg"), (ASKED.text, "She was born there."), ("Was Mira Solberg born in Tromvik?", "Yes")],
)
def test_words_of_the_query_or_a_bare_yes_are_told_from_words_that_no_passage_has(query, text):
    assert judge(query, text, [SOLBERG]) == Assessment(shortfall="bare")


def test_words_of_the_query_alone_are_no_answer():
    brno = Passage("brno", "Brno is the second largest city of the Czech Republic.", "Brno")
    assert support("In which city is Brno?", "Brno", passages=[brno]) == "unsupported"
    assert support("In which city is Brno?", "Brno", reading("Brno", brno), [brno]) == "unsupported"
    assert support("Which is older, the Villa Tugendhat or Brno?", "the Villa Tugendhat") == "unsupported"


def test_an_answer_that_stands_in_the_title_cites_the_sentence_of_the_text_that_is_about_it():
    [citation] = judge("Who made the Villa Tugendhat a leader?", "Ludwig Mies van der Rohe", [MIES]).citations
    assert citation.quote == MIES.text[citation.start : citation.end]
    assert citation.quote.startswith("The Villa Tugendhat")
    assert citation.focus is None


@pytest.mark.parametrize(
    ("sections", "text", "verdict"),
    [
        (("Changes",), "2022", "supported"),
        (("News of 2.6.0 (1 Jan 2004)", "Changes"), "2022", "unsupported"),
        (("News of 2.6.0 (1 Jan 2004)", "Changes"), "2004", "supported"),
        (("News of 2.6.0 (1 Jan 2004)", "Changes of 2003"), "2004", "unsupported"),
        (("News of 2.6.0 (1 Jan 2004)", "Changes"), "Carrow News", "supported"),
    ],
)
def test_a_number_of_the_title_or_a_section_does_not_hold_below_a_heading_with_another(sections, text, verdict):
    news = Passage("news", "Carrow takes a keeper and a boat.", "Carrow News of 3.2.7 (20 Oct 2022)", sections=sections)
    assert (
        support(
            "In which year did Carrow take a keeper?" if text.isdigit() else "What says so of Carrow?", text, passages=[news]
        )
        == verdict
    )


@pytest.mark.parametrize("title", ["sleep(1)", "sleep.1", "Sleep - Linux manual 1.1"])
def test_the_section_of_a_manual_page_is_no_number_of_it(title):
    page = Passage("sleep", "The time in seconds is set by the first option, and is not short.", title)
    assert support("How many seconds is the time of sleep?", "1", passages=(page,)) == "unsupported"


def test_nor_is_the_section_of_a_page_that_a_text_names():
    page = Passage("news", "The git-orla command is available since Orla 3.2, as git-log(1) says.", "Orla")
    assert support("Since which version is there a git-orla command?", "3.2", passages=(page,)) == "supported"
    assert support("Since which version is there a git-orla command?", "1", passages=(page,)) == "unsupported"


def test_a_title_over_no_text_bears_nothing_out():
    assert support("Who was it?", "Ada Lovelace", passages=[Passage("p", " ", "Ada Lovelace")]) == "unsupported"


def test_an_answer_of_several_sentences_is_borne_out_if_each_of_them_is():
    both = "Mira Solberg was born in Tromvik. Ludwig Mies van der Rohe was born in Aachen."
    assert [one.passage_id for one in judge("Who was born where?", both, [MIES, SOLBERG]).citations] == ["solberg", "mies"]
    assert support("Who was born where?", f"{both} Mira Solberg was born in Ostvik.", passages=[MIES, SOLBERG]) == "unsupported"


# -- the reader ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "confidence", "expected"),
    [
        ("House of Brno", "Villa Tugendhat", 0.13, "contradicted"),
        ("House of Brno", "Villa Tugendhat", 0.0, "unsupported"),  # as likely an answer as none
        ("House of Brno", "Brno", 9.0, "unsupported"),  # which only repeats the query
        ("the Villa Tugendhat", "Tugendhat", 9.0, "supported"),
        ("the Villa Tugendhat", "Aachen", 9.0, "contradicted"),  # though its words are there
        ("the Villa Tugendhat", "Aachen", -0.1, "supported"),
        ("the Villa Savoye", "Villa Tugendhat", 9.0, "contradicted"),
        ("Yes, it was built by him in 1929", "1886", 9.0, "contradicted"),
        ("Yes", "1886", 9.0, "unsupported"),
        ("I do not know", "Villa Tugendhat", 9.0, "unsupported"),
        ("It is the famous villa tugendhat of a family", "Villa Tugendhat", 9.0, "unsupported"),  # what else it says is nowhere
        ("tugendhat's villa", "Villa Tugendhat", -5.0, "supported"),  # in another order, beside the words that were read
    ],
)
def test_the_reader_denies_an_answer_or_points_to_it(text, words, confidence, expected):
    assessment = judge(HOUSE, text, [MIES], reading(words, confidence=confidence))
    assert assessment.support == expected
    assert bool(assessment.citations) == (expected == "supported")
    assert (assessment.contradicted_by is not None) == (expected == "contradicted")
    if assessment.contradicted_by is not None:
        against = assessment.contradicted_by
        assert (against.mark, against.quote) == (0, MIES.text[against.start : against.end])
        assert MIES.text[against.focus.start : against.focus.end] == words


@pytest.mark.parametrize(
    ("query", "text", "words", "expected"),
    [
        ("When was he born?", "1960", "1940", True),
        ("When was he born?", "12 May 1960", "12 May 1940", True),
        ("When was he born?", "Yes, he was born in 1960.", "1940", True),
        ("When was he born?", "May 12th, 1940", "12 May 1940", False),
        ("When was he born?", "in May 1940", "1940", False),
        ("How many?", "1,000", "1000", False),
        ("Who was it?", "Robert Kennedy", "John Kennedy", True),
        ("Who was it?", "Kennedy", "John Kennedy", False),
        ("Where is it?", "Austrian", "Austria", False),
        ("Where is it?", "GÖDEL", "Godel", False),
        ("Where does she come from?", "American", "United States", False),
        ("Where does she come from?", "American", "Canada", True),
        ("What is she?", "director and painter", "director, painter and writer", False),
        ("Which body is it?", "WHO", "World Health Organization", False),
        ("How many guests came?", "two hundred", "200", False),
        ("Where was Ann Lee born?", "Ann Lee was born in Ulm, a city on the Danube", "Ulm", False),
        ("Why did it sink?", "It sank since its hull was too weak for the open sea", "the weak hull", False),
    ],
)
def test_a_reading_denies_what_says_something_else(query, text, words, expected):
    assert denies(query, text, Reading(words, Span(0, len(words)), 1.0)) == expected


def test_another_passage_may_bear_out_what_one_denies():
    other = Passage("other", "In Brno stands the House of Brno, by Ludwig Mies van der Rohe.")
    found = judge(HOUSE, "the House of Brno", [MIES, other], reading("Villa Tugendhat"))
    assert (found.support, found.citations[0].passage_id, found.contradicted_by) == ("supported", "other", None)


@pytest.mark.parametrize(("answer", "is_none"), [("the Bauhaus, Brno", False), ("the Bauhaus, Ulm", True), ("Ulm", True)])
def test_a_list_is_made_up_unless_some_passage_has_each_thing(answer, is_none):
    found = [MIES, Passage("other", "Ludwig Mies van der Rohe led the Bauhaus."), Passage("brno", "Brno is a city.")]
    assert is_made_up("Which school did he lead, and in which city is the house?", answer, found) is is_none


@pytest.mark.parametrize(
    ("statement", "text", "expected"),
    [
        ("Orlau Search uses one-step retrieval", "Orlau Search clearly outperforms one-step retrieval.", "unsupported"),
        ("Orlau Search uses one-step retrieval", "Orlau Search uses retrieval in one step.", "supported"),
        ("Orlau Search uses one-step retrieval", "Orlau Search is a way of one-step retrieval, used in towns.", "supported"),
        ("Ida Renn designed Kerrow Light", "Kerrow Light was built to the design of Ida Renn.", "supported"),
        ("Ida Renn designed Kerrow Light", "Ida Renn painted Kerrow Light.", "unsupported"),
        ("Ida Renn wrote Kerrow Light", "Ida Renn is the author of Kerrow Light.", "supported"),
    ],
)
def test_a_statement_of_what_something_does_is_not_borne_out_where_it_does_something_else(statement, text, expected):
    passage = Passage("kerrow", text, "Orlau")
    assert judge("What is told of it?", statement, [passage]).support == expected


def test_words_that_a_reader_made_up_point_nowhere():
    invented = {"mies": Reading("Bauhaus", Span(0, 7), 9.0)}
    assert judge(HOUSE, "House of Brno", [MIES], invented) == Assessment()


hostile = st.text(st.sampled_from("aBé1. ,?[]’\u2060\ud83d\n\u0301 ßİ"), max_size=24)


@given(hostile, hostile, hostile, hostile, st.floats(-2, 2))
def test_whatever_the_words_a_quote_is_true_and_what_is_found_agrees(query, text, passage, title, confidence):
    held = Passage("p", passage, title)
    readings = {"p": Reading(passage[:3], Span(0, min(3, len(passage))), confidence)} if passage[:3] else {}
    found = judge(query, text, [held], readings)
    assert found.citations or found.support != "supported"
    assert (found.shortfall == "") == (found.support == "supported")
    assert (found.contradicted_by is not None) == (found.support == "contradicted")
    for citation in (*found.citations, *filter(None, [found.contradicted_by])):
        assert citation.quote == passage[citation.start : citation.end] != ""
        assert citation.focus is None or citation.start <= citation.focus.start < citation.focus.end <= citation.end


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("When was tarn 3.1.0 released?", "September 28, 2013", "supported"),
        ("When was tarn 3.1.0 released?", "September 29, 2013", "unsupported"),
        ("How long does tarn wait for a reply?", "5 seconds", "supported"),
        ("How long does tarn wait for a reply?", "5 minutes", "unsupported"),
    ],
)
def test_a_date_or_number_in_another_form_is_supported_and_another_value_is_not(query, answer, support):
    text = "The tarn daemon 3.1.0 was released on 28 Sep 2013. Tarn waits five seconds for a reply."
    claim = claim_of(1, query, answer, "model", [Passage("tarn", text, "The tarn daemon")])
    assert claim.support == support
    assert all(text[one.focus.start : one.focus.end] in ("28 Sep 2013", "five seconds") for one in claim.citations)


NONE = Passage("none", "Wander names the tracks that are followed. The default of Wander is None.", "Tracks")
NONE_OF_THEM = Passage("them", "Wander names the tracks that are followed. None of the tracks is the default.", "Tracks")


@pytest.mark.parametrize("said", ["None", "none", "“None”."])
def test_none_is_an_answer_where_a_passage_has_it_as_a_value(said):
    claim = claim_of(1, "What is the default of Wander?", said, "model", [NONE_OF_THEM, NONE])
    assert (claim.text, claim.support) == (said, "supported")
    assert [citation.quote for citation in claim.citations] == ["The default of Wander is None."]


@pytest.mark.parametrize(
    ("query", "said", "passages"),
    [
        ("What is the default of Wander?", "None", [NONE_OF_THEM]),
        ("What is the default of Amble?", "None", [NONE]),
        ("What is the default of Wander?", "Unknown", [NONE]),
        ("What is the default of Wander?", "None", []),
    ],
)
def test_none_that_no_passage_has_as_the_value_asked_for_leaves_the_claim_open(query, said, passages):
    claim = claim_of(1, query, said, "model", passages)
    assert (claim.text, claim.support, claim.citations, claim.shortfall) == ("", "unsupported", (), "")


@pytest.mark.parametrize("answer", ["door 3", "page 3", "at door 3", "3 doors"])
def test_a_number_with_a_word_is_not_stated_by_a_sentence_that_has_the_number_alone(answer):
    passage = Passage("screen", "The assembly point of the screen is .3 of its height.", "Screen")
    assert claim_of(1, "Where is the assembly point?", answer, "retrieved", [passage]).support == "unsupported"
    there = Passage("door", "The assembly point is at door 3, on page 3, with 3 doors.", "Safety")
    assert claim_of(1, "Where is the assembly point?", answer, "retrieved", [there]).support == "supported"


RENN = Passage("renn", "Ada Renn was a pilot. From 1843 to 1845 she was Governor of Sula.", "Ada Renn")


@pytest.mark.parametrize(
    "query", ["Of which colony did Ada Renn later become governor?", "Of which colony was Ada Renn governor?"]
)
def test_a_word_for_becoming_or_for_a_kind_of_place_need_not_be_stated(query):
    assert claim_of(1, query, "Sula", "retrieved", [RENN]).support == "supported"


TASK = Passage("task", "Name: Order gearbox; Assign: Ada Finch; Due: 1 March 2024.", "Order gearbox")
NOTE = Passage("note", "title: Gearbox order; created_at: 5 January 2024; author: Ida Renn. It was noisy.", "Gearbox order")


@pytest.mark.parametrize(
    ("query", "said", "passage", "verdict"),
    [
        ("On which day does the gearbox arrive?", "1 March 2024", TASK, "unsupported"),
        ("By when must the gearbox be ordered?", "1 March 2024", TASK, "supported"),
        ("When is the gearbox order due?", "1 March 2024", TASK, "supported"),
        ("To whom is the gearbox order assigned?", "Ada Finch", TASK, "supported"),
        ("When did the gearbox break?", "5 January 2024", NOTE, "unsupported"),
        ("When was the gearbox order written?", "5 January 2024", NOTE, "supported"),
    ],
)
def test_a_date_of_a_record_is_no_date_of_what_it_tells_of(query, said, passage, verdict):
    assert claim_of(1, query, said, "retrieved", [passage]).support == verdict


@pytest.mark.parametrize(
    ("query", "answer", "told"),
    [
        ("Why did the job fail?", "the disk was full", "The job failed because the disk was full."),
        ("Where did the bus stop?", "at the old mill", "The bus stopped at the old mill."),
        ("When did the gas leak?", "on 4 May 2021", "The gas leaked on 4 May 2021."),
        ("What did the fox kill?", "three hens", "The fox killed three hens."),
    ],
)
def test_a_short_verb_is_stated_by_its_past(query, answer, told):
    assert judge(query, answer, [Passage("told", told)]).support == "supported"

"""Sentences chosen under a budget of tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.word_vectors import write_word_vectors

from hopweave.core.types import Hit, Passage, Span, Via
from hopweave.text.content_words import estimated_tokens
from hopweave.text.evidence import chosen_sentences, condensed_text, excerpt_of, shortened

FILM = Passage(
    "film", "The Long Tide is a film. It cost a lot. Tom Carey directed The Long Tide in 1971. It rained.", "The Long Tide"
)
CAREY = Passage("carey", "Tom Carey was a painter. He was born in Wales. He liked tea. He had a dog.", "Tom Carey")
TOWN = Passage("town", "A town has a market. It has a church. It has a mill.", "Town")
HITS = [Hit(FILM, 2.0, 1), Hit(CAREY, 1.2, 2, Via("film", "The Long Tide", "link")), Hit(TOWN, 0.2, 3)]
QUESTION = "Where was the director of The Long Tide born?"


def texts(max_tokens, hits=HITS):
    return [one.text for one in chosen_sentences(QUESTION, hits, max_tokens)]


def test_what_the_question_asks_for_comes_before_what_it_does_not():
    chosen = texts(50)
    assert "Tom Carey directed The Long Tide in 1971." in chosen
    assert "Tom Carey was a painter." in chosen
    assert not {"It has a church.", "It has a mill."} & set(chosen)


def test_the_first_sentence_counts_for_more_only_where_the_passage_begins_its_document():
    text = "Some remarks follow here. The market opens daily. The `--quiet` option silences the warnings of a market."
    question = "Which option silences the warnings of a market?"
    article, part = (Passage("a", text, "Mill", start=start, end=start + len(text)) for start in (0, 900))
    of_article, of_part = (
        [one.score for one in chosen_sentences(question, [Hit(one, 1.0, 1)], 500)] for one in (article, part)
    )
    assert of_article[0] > of_part[0]
    assert of_article[2] == of_part[2]


def test_a_sentence_with_a_value_of_the_kind_that_is_asked_for_is_likelier_in_a_document_than_one_without():
    text = "Members may cancel a membership by letter. A letter must reach us by 3 May, and costs £2. It ends after six weeks."
    [hit] = [Hit(Passage("a", text, "Club", start=900, end=900 + len(text)), 1.0, 1)]
    for question, likeliest in (
        ("How many weeks are left once members cancel?", 2),
        ("By when must members cancel?", 1),
        ("How may members cancel?", 0),
    ):
        scores = [one.score for one in chosen_sentences(question, [hit], 500)]
        assert scores.index(max(scores)) == likeliest, question


@pytest.mark.parametrize("budget", [0, 5, 20, 40, 80, 1000])
def test_the_budget_holds_titles_included(budget):
    chosen = chosen_sentences(QUESTION, HITS, budget)
    titles = {one.passage.id: one.passage.title for one in chosen}
    spent = sum(estimated_tokens(one.text) for one in chosen) + sum(estimated_tokens(title) + 3 for title in titles.values())
    assert spent <= budget


def test_all_is_taken_where_all_fits_in_reading_order():
    assert " ".join(texts(10_000)) == f"{FILM.text} {CAREY.text} {TOWN.text}"


def test_a_length_of_ones_own_counts():
    assert len(chosen_sentences(QUESTION, HITS, 12, length=lambda text: 3.0)) == 2


def test_sentences_that_are_further_below_the_likeliest_than_is_allowed_are_left_out():
    scores = [one.score for one in chosen_sentences(QUESTION, HITS, 10_000)]
    for gap in (0.0, 1.0, 3.0):
        kept = [one.score for one in chosen_sentences(QUESTION, HITS, 10_000, max_gap=gap)]
        assert kept == [score for score in scores if score >= max(scores) - gap]
        assert len(kept) < len(scores)


def test_shortened_passages_keep_their_spans():
    short = shortened(QUESTION, HITS, 50)
    assert [hit.rank for hit in short] == list(range(1, len(short) + 1))
    for hit in short:
        whole = {one.passage.id: one.passage.text for one in HITS}[hit.passage.id]
        assert len(hit.passage.text) == len(whole)
        assert all(shown in (" ", had) for shown, had in zip(hit.passage.text, whole, strict=True))


def test_a_passage_of_which_nothing_is_chosen_is_left_out():
    assert "town" not in [hit.passage.id for hit in shortened(QUESTION, HITS, 40)]


def test_of_one_passage_the_likeliest_sentences_stand_on_one_line():
    chosen = "The Long Tide is a film. Tom Carey directed The Long Tide in 1971."
    assert condensed_text("Who directed The Long Tide?", FILM, 25) == chosen


@pytest.mark.parametrize("budget", [0, 12], ids=["no limit", "the likeliest does not fit"])
def test_of_one_passage_all_is_shown_rather_than_the_wrong_sentences(budget):
    long = Passage("p", "It rained. It cost a lot. Tom Carey, who was born in Wales, directed it for two years in 1971.", "")
    assert condensed_text("Who directed it in 1971?", long, budget) == long.text


ROWS = [f"Region {number} has {1000 + 7 * number} inhabitants" for number in range(60)]


@pytest.mark.parametrize("between", ["; ", ", ", "\n", " and "])
def test_what_is_asked_for_is_found_in_a_long_list_without_full_stops(between):
    listed = Passage("list", between.join(ROWS), "Regions")
    chosen = chosen_sentences("How many inhabitants has Region 41?", [Hit(listed, 1.0, 1)], 350)
    assert any(ROWS[41] in one.text for one in chosen)


@pytest.mark.parametrize("text", ["; ".join(ROWS), "\n".join(ROWS), "x" * 3000, "数" * 900, "one " + "x" * 2000 + " two"])
def test_the_parts_of_a_long_sentence_are_all_of_it(text):
    chosen = chosen_sentences("Which?", [Hit(Passage("long", text), 1.0, 1)], 10_000)
    assert len(chosen) > 1
    assert "".join("".join(one.text for one in chosen).split()) == "".join(text.split())
    assert max(estimated_tokens(one.text) for one in chosen) <= 80
    assert shortened("Which?", [Hit(Passage("long", text), 1.0, 1)], 10_000)[0].passage.text == text


def test_a_title_that_is_as_long_as_a_text_is_cut_and_hides_nothing():
    titled = Passage("p", "Tom Carey directed it.", "It came late and was broken. " * 80)
    [one] = chosen_sentences("Who directed it?", [Hit(titled, 1.0, 1)], 100)
    assert one.text == titled.text
    assert one.title == f"{titled.title[:200].rstrip()} ..."


def test_nothing_found_gives_nothing():
    assert chosen_sentences(QUESTION, [], 100) == []
    assert shortened(QUESTION, [Hit(Passage("empty", ""), 0.0, 1)], 100) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=120), max_size=4), st.integers(0, 200))
def test_chosen_sentences_are_exact_spans_of_their_passages(question, of_passages, budget):
    hits = [Hit(Passage(f"p{number}", text), 1.0 / number, number) for number, text in enumerate(of_passages, start=1)]
    for one in chosen_sentences(question, hits, budget):
        assert one.text
        assert one.text == one.passage.text[one.span.start : one.span.end]


# -- what must be seen of a passage --------------------------------------------------------------------------------------

BRIDGE = Passage(
    "bridge",
    "Orla Bridge was built for the railway to Kerrow and was opened by the mayor of Orla in the year of the flood. "
    "The engineer of Orla Bridge never saw the bridge of Orla as it was opened. It is by Lina Holt. Trains are few.",
    "Orla Bridge",
)
WHO = "Who was the engineer of Orla Bridge, the bridge of Orla that was opened by its mayor?"


def test_a_sentence_that_the_question_does_not_lead_to_is_left_out_and_is_kept_for_an_answer_that_it_states():
    assert "Lina Holt" not in condensed_text(WHO, BRIDGE, 55)
    with_answer = condensed_text(WHO, BRIDGE, 55, answer="It was Lina Holt.")
    assert "It is by Lina Holt." in with_answer
    assert with_answer != BRIDGE.text


@pytest.mark.parametrize("budget", [34, 55])
def test_words_that_must_be_seen_are_added_to_what_is_seen_in_any_case(budget):
    start = BRIDGE.text.index("Trains")
    without, with_words = (excerpt_of(WHO, BRIDGE, budget, words=words) for words in (None, Span(start, start + 6)))
    assert with_words == [*without, with_words[-1]]
    assert with_words[-1].text == "Trains are few."


def test_where_the_sentence_of_an_answer_does_not_fit_all_is_shown():
    assert excerpt_of(WHO, BRIDGE, 34, answer="Lina Holt") == []
    assert condensed_text(WHO, BRIDGE, 34, answer="Lina Holt") == BRIDGE.text


@pytest.mark.parametrize("answer", ["", "Nobody at all", "Orla Bridge", "?"])
def test_an_answer_that_no_sentence_states_changes_nothing(answer):
    assert condensed_text(WHO, BRIDGE, 55, answer=answer) == condensed_text(WHO, BRIDGE, 55)


def test_words_that_are_seen_in_any_case_change_nothing():
    kept = excerpt_of(WHO, BRIDGE, 55)
    assert kept
    assert [excerpt_of(WHO, BRIDGE, 55, words=one.span) for one in kept] == [kept] * len(kept)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=200), st.text(max_size=40), st.integers(0, 120))
def test_an_excerpt_holds_the_words_that_must_be_seen(question, text, answer, budget):
    words = Span(len(text) // 2, len(text) // 2 + 1)
    shown = condensed_text(question, Passage("p", text), budget, answer=answer, words=words)
    wanted = text[words.start : words.end]
    assert not wanted.strip() or wanted in shown


def test_the_sentence_that_says_it_in_other_words_is_chosen_with_word_vectors(tmp_path, monkeypatch):
    text = "The harbour has rules. Nobody is paid on Friday. Erase the directory by hand. What rsync does is noted."
    hits = [Hit(Passage("rules", text, "Rules", start=900, end=900 + len(text)), 1.0, 1)]
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path))

    def likeliest():
        return max(chosen_sentences("How does rsync delete a folder?", hits, 500), key=lambda one: one.score).text

    assert likeliest() == "What rsync does is noted."
    write_word_vectors(tmp_path, monkeypatch)
    assert likeliest() == "Erase the directory by hand."
    hits = [Hit(Passage("rules", text, "Rules"), 1.0, 1)]  # an article
    assert likeliest() == "The harbour has rules."

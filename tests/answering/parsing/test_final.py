"""The bare answer is read off the model's final words, and how it was found is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.types import Question
from hopweave.text.final import MARKER, demanded, final_answer, listed, map_label, short_form, without_reasons
from hopweave.text.quotation import unquoted

SHORT = Question("q", "?")
LONG = Question("q", "?", form="long")
YES_NO, FEVER = ("Yes", "No"), ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def label_question(labels):
    return Question("q", "?", form="label", labels=tuple(labels))


SHORT_ANSWERS = {
    "the marker": ("It was so. So the final answer is Paris.", "Paris", "marker"),
    "the marker with a colon": ("So the final answer is: Paris.", "Paris", "marker"),
    "the marker in other case and spacing": ("so the  Final answer\nis Paris", "Paris", "marker"),
    "the last marker": ("So the final answer is A. No. So the final answer is B.", "B", "marker"),
    "the best marker wins over a later weaker one": ("So the final answer is A. The answer is B.", "A", "marker"),
    "the final answer is": ("The final answer is Paris.", "Paris", "alt-marker"),
    "so the answer is": ("So, the answer is Paris.", "Paris", "alt-marker"),
    "the answer is": ("The answer is Paris.", "Paris", "alt-marker"),
    "answer is": ("My answer is Paris.", "Paris", "alt-marker"),
    "Answer:": ("Reasons.\nAnswer: Paris", "Paris", "alt-marker"),
    "Final Answer in bold": ("**Final Answer:** Paris", "Paris", "alt-marker"),
    "Answer in brackets": ("[Final Answer] : Paris", "Paris", "alt-marker"),
    "a number after an abbreviation": ("So the final answer is approx. 5 km. It is far.", "approx. 5 km", "marker"),
    "a volume": ("So the final answer is Vol. 2. It is the last.", "Vol. 2", "marker"),
    "about a year": ("The answer is ca. 1940. He died.", "ca. 1940", "alt-marker"),
    "a no that is followed by a sentence": ("So the final answer is No. It was so.", "No", "marker"),
    "a note on the answer behind it": (
        "The answer is Paris. Note that the answer is based on the passage.",
        "Paris",
        "alt-marker",
    ),
    "a note in the words of the marker": (
        "So the final answer is Paris. So the final answer is supported by the passages above.",
        "Paris",
        "marker",
    ),
    "a place that is no note": ("The answer is found in Paris.", "found in Paris", "alt-marker"),
    "a note alone": ("The answer is based on the passages.", "The answer is based on the passages", "full"),
    "no marker": ("Paris.", "Paris", "full"),
    "a word that ends in answer": ("Myanswer is Paris", "Myanswer is Paris", "full"),
    "nothing": ("", "", "empty"),
    "blanks": (" \n ", "", "empty"),
    "nothing after the marker": ("So the final answer is", "", "empty"),
    "only marks after the marker": ("So the final answer is [1].", "", "empty"),
    "the answer on the next line": ("So the final answer is:\n\nParis.\nMore.", "Paris", "marker"),
    "bold": ("So the final answer is **Paris**.", "Paris", "marker"),
    "bold with the full stop inside": ("So the final answer is: **Paris.**", "Paris", "marker"),
    "bold around all": ("**So the final answer is Paris.**", "Paris", "marker"),
    "quotes": ('So the final answer is "Paris".', "Paris", "marker"),
    "quotes with the full stop inside": ("So the final answer is “Paris.”", "Paris", "marker"),
    "quotes in bold": ('So the final answer is **"Paris"**.', "Paris", "marker"),
    "a quote that never ends": ('So the final answer is "Paris. It is', "Paris", "marker"),
    "two quotes": ('So the final answer is "A" and "B".', '"A" and "B"', "marker"),
    "a mark": ("So the final answer is Paris [2].", "Paris", "marker"),
    "marks of all kinds": ("So the final answer is Paris [1, 2][3] [4-5].", "Paris", "marker"),
    "a sentence after it": ("So the final answer is Paris. It is the capital of France.", "Paris", "marker"),
    "a line after it": ("So the final answer is Paris\nIt is the capital.", "Paris", "marker"),
    "an abbreviation": ("So the final answer is the U.S.", "the U.S.", "marker"),
    "an abbreviation and a sentence": ("So the final answer is Washington, D.C. It is a city.", "Washington, D.C.", "marker"),
    "a saint": ("So the final answer is St. Kilda.", "St. Kilda", "marker"),
    "a junior": ("So the final answer is Robert Downey Jr.", "Robert Downey Jr.", "marker"),
    "initials": ("So the final answer is J. R. R. Tolkien. He wrote.", "J. R. R. Tolkien", "marker"),
    "a degree": ("So the final answer is a Ph.D.", "a Ph.D.", "marker"),
    "a single letter": ("So the final answer is Malcolm X.", "Malcolm X", "marker"),
    "a name with an exclamation mark": ("So the final answer is Panic! at the Disco. A band.", "Panic! at the Disco", "marker"),
    "a title with a question mark": (
        "So the final answer is What's Up, Doc? (1972 film). It is a film.",
        "What's Up, Doc? (1972 film)",
        "marker",
    ),
    "a doctor": ("So the final answer is Dr. No. It is a film.", "Dr. No", "marker"),
    "decimals": ("So the final answer is 3.5 million.", "3.5 million", "marker"),
    "a year in brackets": ("So the final answer is Help! [1965].", "Help! [1965]", "marker"),
    "trailing punctuation": ("So the final answer is Paris ;,", "Paris", "marker"),
    "inner blanks": ("So the final answer is New   York.", "New York", "marker"),
    "a list": ("So the final answer is:\n- TG-30\n- WL-12 [2]", "TG-30, WL-12", "marker"),
    "a list and words after it": ("The answer is:\n\n1. Sula\n2. Orlau.\n\nBoth burn oil.", "Sula, Orlau", "alt-marker"),
    "a list that is announced": ("**Answer:** These lamps:\n- Sula, 1887\n- Orlau", "Sula, 1887; Orlau", "alt-marker"),
    "a table": (
        "Answer:\n| lamp | year |\n|---|---|\n| Sula | 1887 |\n| Orlau | 1902 |",
        "Sula, 1887; Orlau, 1902",
        "alt-marker",
    ),
    "a list of reasons": ("So the final answer is Paris.\n- It is the capital.\n- It is large.", "Paris", "marker"),
    "a list below an answer": ("So the final answer is:\nParis\n- the capital\n- on the Seine", "Paris", "marker"),
    "a name like no": ("So the final answer is No Country for Old Men.", "No Country for Old Men", "marker"),
}


@pytest.mark.parametrize(("text", "answer", "how"), SHORT_ANSWERS.values(), ids=SHORT_ANSWERS)
def test_a_short_answer_is_what_the_last_of_the_best_markers_introduces(text, answer, how):
    assert final_answer(text, SHORT) == (answer, how)


LABELS = {
    "yes": (YES_NO, "So the final answer is Yes.", "Yes", "marker"),
    "lower case": (YES_NO, "so the final answer is no", "No", "marker"),
    "bold": (YES_NO, "So the final answer is **No**.", "No", "marker"),
    "true": (YES_NO, "The answer is true.", "Yes", "alt-marker"),
    "false for no": (YES_NO, "The answer is: False", "No", "alt-marker"),
    "yes for true": (("true", "false"), "The answer is yes", "true", "alt-marker"),
    "the first after the marker": (YES_NO, "So the final answer is Yes, there is no doubt.", "Yes", "marker"),
    "no inside not known": (YES_NO, "So the final answer is not known.", "", "empty"),
    "no inside a word": (YES_NO, "So the final answer is Norway.", "", "empty"),
    "not true": (YES_NO, "So the final answer is not true.", "", "empty"),
    "no marker": (YES_NO, "It is long.\nYes, as it has no end.", "Yes", "label-anywhere"),
    "no marker, several lines": (YES_NO, "Yes?\nNo.\nHm.", "No", "label-anywhere"),
    "the marker names no label but the text does": (YES_NO, "Yes. So the final answer is clear.", "Yes", "label-anywhere"),
    "supports": (FEVER, "So the final answer is SUPPORTS.", "SUPPORTS", "marker"),
    "supported": (FEVER, "So the final answer is supported", "SUPPORTS", "marker"),
    "refuted": (FEVER, "So the final answer is Refuted.", "REFUTES", "marker"),
    "supports for supported": (("supported", "refuted"), "The answer is SUPPORTS", "supported", "alt-marker"),
    "not this but that": (FEVER, "So the final answer is not SUPPORTS but REFUTES.", "REFUTES", "marker"),
    "a label of words": (FEVER, "So the final answer is not enough info.", "NOT ENOUGH INFO", "marker"),
    "the longer label at the same place": (("new", "new york"), "The answer is New York", "new york", "alt-marker"),
    "the label that holds another": (("true", "mostly true"), "The answer is mostly true", "mostly true", "alt-marker"),
    "the label held in another": (("true", "mostly true"), "The answer is true", "true", "alt-marker"),
    "FEVER by true": (("SUPPORTS", "REFUTES"), "So the final answer is true.", "SUPPORTS", "marker"),
    "FEVER by false": (FEVER, "The claim is False.", "REFUTES", "label-anywhere"),
    "true where it is a label of its own": (("SUPPORTS", "true"), "So the final answer is true.", "true", "marker"),
    "a label of signs": (("C", "C++"), "The answer is C++.", "C++", "alt-marker"),
    "no label": (YES_NO, "Paris", "", "empty"),
    "nothing": (YES_NO, "", "", "empty"),
    "no labels at all": ((), "So the final answer is Yes.", "", "empty"),
}


@pytest.mark.parametrize(("labels", "text", "answer", "how"), LABELS.values(), ids=LABELS)
def test_a_label_is_one_of_the_labels_in_its_own_spelling_or_nothing(labels, text, answer, how):
    assert final_answer(text, label_question(labels)) == (answer, how)


LONGS = {
    "marks and the closing sentence go": ("A is b [1]. C is d [2, 3]. So the final answer is d.", "A is b. C is d."),
    "paragraphs stay": ("A is b.\n\nC is d [1].", "A is b.\n\nC is d."),
    "a closing sentence that is all there is stays": ("So the final answer is d.", "So the final answer is d."),
    "the marker within the text stays": ("So the final answer is d. It is e.", "So the final answer is d. It is e."),
    "years stay": ("It was so in [1990].", "It was so in [1990]."),
}


@pytest.mark.parametrize(("text", "answer"), LONGS.values(), ids=LONGS)
def test_a_long_answer_is_the_text_without_marks_and_closing_sentence(text, answer):
    assert final_answer(text, LONG) == (answer, "full")


def test_a_long_answer_of_nothing_is_empty():
    assert final_answer(" \n", LONG) == ("", "empty")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('"a"', "a"), ("'a'", "a"), ("“a”", "a"), ("«a»", "a"), ('"a” b', '"a” b'), ('"a" or "b"', '"a" or "b"'), ('"', '"'),
        ("a", "a"), ("", ""), ("'Salem's Lot'", "'Salem's Lot'"),
    ],
)  # fmt: skip
def test_quotation_marks_go_only_if_they_are_a_pair_around_the_whole(text, bare):
    assert unquoted(text) == bare


@given(
    st.one_of(st.text(), st.text('So the final answer is*"“”. [1]\nU.S')),
    st.sampled_from([SHORT, LONG, label_question(YES_NO)]),
)
def test_any_text_is_read_without_an_error(text, question):
    answer, how = final_answer(text, question)
    assert (how == "empty") == (answer == "")


def test_a_mark_between_two_words_parts_them():
    assert short_form("Brno[1]and Vienna [2].") == "Brno and Vienna"


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        ("nodedbg_.", "nodedbg_"),
        ("`__init__`", "__init__"),
        ("_private", "_private"),
        ("_The Long Tide_", "The Long Tide"),
        ("**_Kerrow_**.", "Kerrow"),
        ("_1843_", "1843"),
        ("__", ""),
    ],
)
def test_underscores_are_part_of_a_name_unless_they_only_set_it_apart(written, bare):
    assert short_form(written) == bare
    assert final_answer(f"So the final answer is {written}", Question("q", "?"))[0] == bare


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TG-30\n\nIt has a warranty of 24 months.", "TG-30"),
        ("TG-30\n- It has a warranty of 24 months.\n- WL-12 has none.", "TG-30"),
        ("TG-30\nQuestion: Which one is older?", "TG-30"),
        ("- TG-30\n- WL-12\n- WL-12S", "TG-30, WL-12, WL-12S"),
        ("The articles are:\n\n- **TG-30**\n- WL-12", "TG-30, WL-12"),
        ("1. FC Köln\nIt is a club.", "1. FC Köln"),
    ],
)
def test_a_text_that_begins_with_the_answer_has_it_in_its_first_line_or_in_its_list(text, said):
    assert without_reasons(text) == said


def test_lines_of_a_few_words_are_a_list_only_in_words_that_are_nothing_but_the_answer():
    assert listed("Sula\nOrlau", by_line=True) == "Sula, Orlau"
    assert listed("Sula\nOrlau") == listed("Sula\nIt burns oil.", by_line=True) == ""


@given(st.text('ab"“”*_`.,: [1]'))
def test_a_short_form_is_its_own_short_form(text):
    assert short_form(short_form(text)) == short_form(text)


@given(st.text("nNoyes tru"), st.sampled_from([YES_NO, FEVER]))
def test_a_mapped_label_is_one_of_the_labels_or_nothing(text, labels):
    assert map_label(text, labels) in {*labels, ""}


def test_what_is_demanded_uses_the_marker_that_is_read():
    assert MARKER in demanded("short", ())
    assert "one of: Yes, No" in demanded("label", YES_NO)
    assert MARKER not in demanded("long", ())
    assert final_answer(f"{MARKER} x", SHORT)[1] == "marker"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Sie liegt in Mähren. **Antwort:** Brünn.", "Brünn"),
        ("Réponse : Brünn", "Brünn"),
        ("Ответ: Орёл.", "Орёл"),
        ("川の近くです。答え：京都。", "京都"),
        ("它在河边。答案：京都。", "京都"),
    ],
)
def test_an_answer_after_the_word_for_it_in_another_language_is_found(said, answer):
    assert final_answer(said, Question("q", "?")) == (answer, "alt-marker")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("成人票55元，儿童票30元[1]。\n\n最终答案：55元", "55元"),
        ("因此，答案：55元", "55元"),
        ("因此答案：55元", "55元"),
        ("**正确答案：** 55元", "55元"),
        ("大人は55円です。最終的な答え：55円", "55円"),
        ("어른은 55원이다. 최종답변: 55원", "55원"),
        ("Answer：55元", "55元"),
        ("票价分两种。答案是55元。", "55元"),
        ("Réponse finale : 250 €", "250 €"),
        ("La réponse est 250 €. C'est écrit.", "250 €"),
        ("Respuesta final: 5 euros", "5 euros"),
        ("La respuesta es 5 euros.", "5 euros"),
        ("Die Antwort lautet: 5 Euro.", "5 Euro"),
    ],
)
def test_an_answer_may_be_called_the_last_or_right_one_and_be_stated_by_a_verb(said, answer):
    assert final_answer(said, Question("q", "?")) == (answer, "alt-marker")


@pytest.mark.parametrize(
    "said",
    [
        "正确的答案是什么？没有提到",
        "答案是不明确的",
        "無回答：3件",
        "La réponse est dans le texte",
        "La réponse n'est pas donnée",
        "La respuesta es desconocida",
        "A resposta é que não sabemos",
    ],
)
def test_words_that_only_speak_of_an_answer_in_another_language_give_none(said):
    assert final_answer(said, Question("q", "?")) == (said, "full")


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("am 3. Mai 2024", "?"),
        ("in der 2. Etage", "?"),
        ("le 31 déc. 2024", "?"),
        ("dott. Mario Rossi", "?"),
        ("dhr. Jansen", "?"),
        ("mevr. De Vries", "?"),
        ("Sra. Gómez", "?"),
        ("Dra. Ana Costa", "?"),
        ("ul. Długa 5", "?"),
        ("§ 5 Abs. 3", "?"),
        ("د. أحمد", "?"),
        ("ดร. สมชาย", "?"),
        ("250 € T.T.C.", "?"),
        ("z. B. Äpfel", "Was isst er nicht?"),
        ("bei der Fa. Müller", "Wo arbeitet er?"),
    ],
)
def test_an_abbreviation_or_the_day_of_a_date_in_another_language_does_not_end_an_answer(answer, question):
    said = answer if answer.endswith(".") else f"{answer}."
    assert final_answer(f"{MARKER} {said}", Question("q", question)) == (answer, "marker")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("10. Mai. Das ist bald.", "10. Mai"),
        ("450 руб. Взнос действует.", "450 руб"),
        ("1.250 Euro. Das steht in § 5 Abs. 3.", "1.250 Euro"),
        ("Ja. 2 Monate vorher.", "Ja"),
        ("No. 5. It is the last.", "No. 5"),
        ("in 2. Bob is third.", "in 2"),
        ("Plan D. It is good.", "Plan D"),
        ("Robert Downey Sr. He is old.", "Robert Downey Sr."),
        ("Prof. Dr. Müller. Er leitet es.", "Prof. Dr. Müller"),
    ],
)
def test_a_sentence_that_follows_an_answer_is_no_part_of_it(said, answer):
    assert final_answer(f"The answer is {said}", Question("q", "?")) == (answer, "alt-marker")


@pytest.mark.parametrize("said", ["Das ist die Antwort auf alles", "答えは書いていない"])
def test_the_word_for_an_answer_without_a_colon_gives_none(said):
    assert final_answer(said, Question("q", "?")) == (said, "full")

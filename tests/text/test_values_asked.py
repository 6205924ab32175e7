"""The kinds of values that questions ask for, and the texts that have one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.sizes import measure_of, units_of
from hopweave.text.values_asked import has_value_of, is_other_measure, kinds_of_values_asked


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How many litres of rinse water does it take?", {"volume"}),
        ("how many kg heavier is the larger one", {"mass"}),
        ("the seal of the pump, after how many working days?", {"time"}),
        ("How many euros do we owe?", {"money"}),
        ("How much does a master student pay for signing up late?", {"money"}),
        ("How much does the case weigh?", {"mass"}),
        ("how often do the hoses get changed", {"time"}),
        ("How long is the certificate valid?", {"time", "length"}),
        ("By when must the form be sent?", {"time", "date", "clock"}),
        ("When was it founded?", {"time", "date", "clock"}),
        ("In which year was it founded?", {"time", "date"}),
        ("at what temperature does the cut-out trip", {"temperature"}),
        ("How much free space is needed behind the oven?", {"length"}),
        ("price of a drain pump", {"money"}),
        ("In which Orla version did that package first appear?", {"version"}),
        ("Since which 13.x version does this class exist?", {"version"}),
        ("Which came to Orla earlier, the RETURNING clause or STRICT tables?", {"version", "date"}),
        ("Which is older, the archive or the mailing list?", {"version", "date"}),
        ("What percentage of the deposit do I get back?", {"%"}),
        ("Wie lange muss ich warten?", {"time", "date", "clock"}),
        ("Wie viele Stunden darf ich arbeiten?", {"time"}),
        ("Was kostet die Fahrt nach Husum?", {"money"}),
        ("Combien coûte une place pour les enfants ?", {"money"}),
        ("En quelle année le pont a-t-il été construit ?", {"date"}),
    ],
)
def test_a_question_asks_for_values_of_some_kinds(question, kinds):
    assert kinds_of_values_asked(question) == kinds


@pytest.mark.parametrize(
    "question",
    [
        "Who pays the fee?",
        "Where is the price list kept?",
        "Is the deposit paid back?",
        "How many members are on the board?",
        "What does the spanner symbol mean?",
        "The price of the pump is 129 EUR.",
        "Wer zahlt die Gebühr?",
        "Wie viele Schlüssel bekomme ich?",
        "",
    ],
)
def test_other_questions_ask_for_no_such_value(question):
    assert kinds_of_values_asked(question) == frozenset()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("| P3 | Intensive | 180 s |", "time"),
        ("within ten working days", "time"),
        ("It is repeated yearly.", "time"),
        ("once a month", "time"),
        ("Rinse water per cycle: 2.2 l", "volume"),
        ("a minimum of 50 mm on each side", "length"),
        ("at 82 °C", "temperature"),
        ("cooled down by 12 K", "temperature"),
        ("a fee of €35", "money"),
        ("35 EUR for each", "money"),
        ("part: drain pump; price_EUR: 129.00", "money"),
        ("Ticket: adult; Price (in pounds): 4", "money"),
        ("half an hour", "time"),
        ("until 3 June", "date"),
        ("2024-06-03", "date"),
        ("founded in 1887", "date"),
        ("It closes at 17:30.", "clock"),
        ("by 5 pm", "clock"),
        ("5 per cent of it", "%"),
        ("0.45 bar at the test point", "pressure"),
        ("New in version 3.4.", "version"),
        ("Added in: v11.0.0", "version"),
        ("It has been available with Orla since release 2.1.", "version"),
    ],
)
def test_a_text_has_a_value_of_a_kind(text, kind):
    assert has_value_of(text, {kind})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Seconds pass.", "time"),
        ("the 3 s-shaped hooks", "volume"),
        ("5 S of it", "time"),
        ("30 members", "length"),
        ("model A 12", "temperature"),
        ("the euro", "money"),
        ("part 17.305", "clock"),
        ("in May", "date"),
        ("a new way to add 3 columns", "version"),
        ("", "time"),
    ],
)
def test_a_text_has_none(text, kind):
    assert not has_value_of(text, {kind})


def test_units_and_months_of_the_language_of_the_question_count_as_well():
    told = "Die Kündigung ist bis zum 3. März möglich, mit einer Frist von zwei Wochen."
    assert [has_value_of(told, {kind}, "de") for kind in ("time", "date")] == [True, True]
    assert [has_value_of(told, {kind}) for kind in ("time", "date")] == [False, False]
    assert has_value_of("Karte: Kind; Preis: 4,50", {"money"}, "de")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How long does it take?", "5%"),
        ("Wie lange darf ich mich verspäten, ohne dass es etwas kostet?", "15 Euro"),
        ("How fast is it?", "£5"),
        ("By when must I reply?", "EUR 40"),
    ],
)
def test_a_percentage_or_a_sum_of_money_answers_no_question_for_another_measure(question, answer):
    assert is_other_measure(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How long does it take?", "5"), ("What is the fee?", "5%"), ("What share is kept?", "£5"), ("Who takes it?", "5%")],
)
def test_it_may_answer_others(question, answer):
    assert not is_other_measure(question, answer)


@given(st.sampled_from(["time", "mass", "volume", "length", "pressure"]), st.integers(0, 999), st.data())
def test_a_number_with_a_unit_is_a_value_of_what_the_unit_measures(measure, number, data):
    unit = data.draw(st.sampled_from(units_of(measure)))
    assert measure_of(unit) == measure
    assert has_value_of(f"It has {number} {unit}.", {measure})
    assert kinds_of_values_asked(f"How many {unit} are in it?") == {measure}


@given(st.text(), st.text())
def test_any_text_can_be_looked_at(question, text):
    has_value_of(text, kinds_of_values_asked(question))

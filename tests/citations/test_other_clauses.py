"""A sentence with an answer and the words of a question may say in another clause, or not at all, what is asked."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage


def has_tick(question, answer, told):
    """Whether an answer is supported by a text."""
    return judge(question, answer, [Passage("notes", told, "Notes")]).support == "supported"


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        pytest.param(
            "Records must be kept for six months; samples are destroyed after a week.",
            ("How long must records be kept?", "six months"),
            ("How long must samples be kept?", "six months"),
            id="behind a semicolon",
        ),
        pytest.param(
            "12 nurses work by day and the rest work at night.",
            ("How many nurses work by day?", "12"),
            ("How many nurses work at night?", "12"),
            id="the rest",
        ),
        pytest.param(
            "The red pass costs £18 while the blue one is free.",
            ("What does the red pass cost?", "£18"),
            ("What does the blue pass cost?", "£18"),
            id="while",
        ),
        pytest.param(
            "The nave is 40 m long and the spire is taller than any other.",
            ("How long is the nave?", "40 m"),
            ("How high is the spire?", "40 m"),
            id="and another thing",
        ),
        pytest.param(
            "Clean the filter every month and change it once a year.",
            ("How often is the filter changed?", "once a year"),
            ("How often is the filter changed?", "every month"),
            id="and another deed",
        ),
        pytest.param(
            "The tank has a guarantee of five years, the pump one of two.",
            ("How long is the guarantee on the tank?", "five years"),
            ("How long is the guarantee on the pump?", "five years"),
            id="without a verb",
        ),
        pytest.param(
            "Ida Renn prepares the budget, which the board approves.",
            ("Who prepares the budget?", "Ida Renn"),
            ("Who approves the budget?", "Ida Renn"),
            id="which somebody else does",
        ),
        pytest.param(
            "Start the wash programme, then leave the door open for 10 minutes.",
            ("How long must the door be left open?", "10 minutes"),
            ("How long does the wash programme take?", "10 minutes"),
            id="a later step",
        ),
        pytest.param(
            "Water the Fern daily, but never water the Cactus so often.",
            ("Which plant must be watered daily?", "Fern"),
            ("Which plant must not be watered daily?", "Fern"),
            id="what is not so",
        ),
        pytest.param(
            "Guests pay £5 for breakfast, without any fee for parking.",
            ("What do guests pay for breakfast?", "£5"),
            ("What is the fee for parking?", "£5"),
            id="without any",
        ),
        pytest.param(
            "The office is open on Monday and never closed at lunch.",
            ("When is the office open?", "Monday"),
            ("When is the office closed?", "Monday"),
            id="never",
        ),
        pytest.param(
            "The east wing was designed by Ora Lund, the west wing by Tom Hale.",
            ("Who designed the west wing?", "Tom Hale"),
            ("Who designed the east wing?", "Tom Hale"),
            id="a later thing without a verb",
        ),
        pytest.param(
            "The upper floor is let to Brill Ltd, the lower floor to Tarn & Co.",
            ("To whom is the lower floor let?", "Tarn & Co"),
            ("To whom is the lower floor let?", "Brill Ltd"),
            id="an earlier thing",
        ),
        pytest.param(
            "Use two drops in each eye and three in each ear.",
            ("How many drops are used in each ear?", "three"),
            ("How many drops are used in each ear?", "two"),
            id="and so many",
        ),
        pytest.param(
            "Samples stay 5 days in the fridge before 3 months in the freezer.",
            ("How long do samples stay in the fridge?", "5 days"),
            ("How long do samples stay in the freezer?", "5 days"),
            id="before so long",
        ),
        pytest.param(
            "Of our 14 vans, nine are electric.",
            ("How many vans are electric?", "nine"),
            ("How many vans are electric?", "14"),
            id="of so many",
        ),
        pytest.param(
            "The tower is 55 m high, of which 12 m are the spire.",
            ("How high is the tower?", "55 m"),
            ("How high is the spire?", "55 m"),
            id="of which",
        ),
        pytest.param(
            "Each team has 11 players, of whom 3 may be replaced.",
            ("How many players of a team may be replaced?", "3"),
            ("How many players of a team may be replaced?", "11"),
            id="of whom",
        ),
        pytest.param(
            "The trial compared 40 patients on Velar with 38 on placebo.",
            ("How many patients were on placebo?", "38"),
            ("How many patients were on placebo?", "40"),
            id="with so many",
        ),
        pytest.param(
            "The battery of the small model lasts 6 hours, that of the large model twice as long.",
            ("How long does the battery of the small model last?", "6 hours"),
            ("How long does the battery of the large model last?", "6 hours"),
            id="that of",
        ),
        pytest.param(
            "Orla paid for the tickets and Finn for the meal.",
            ("Who paid for the meal?", "Finn"),
            ("Who paid for the meal?", "Orla"),
            id="and somebody for something",
        ),
        pytest.param(
            "Ms Tran presented the figures that Mr Abbot had prepared.",
            ("Who prepared the figures?", "Mr Abbot"),
            ("Who presented the figures?", "Mr Abbot"),
            id="that somebody did",
        ),
        pytest.param(
            "Ms Tran presented the figures that Mr Abbot had prepared.",
            ("Who presented the figures?", "Ms Tran"),
            ("Who prepared the figures?", "Ms Tran"),
            id="that somebody else did",
        ),
        pytest.param(
            "Half of the 60 seats are kept for members.",
            ("How many seats are there?", "60"),
            ("How many seats are kept for members?", "60"),
            id="half of so many",
        ),
        pytest.param(
            "The museum is closed on Mondays, the café on Tuesdays.",
            ("When is the museum closed?", "Mondays"),
            ("When is the café closed?", "Mondays"),
            id="an earlier thing without a verb",
        ),
        pytest.param(
            "Dorn supplies the glass, Kemp the frames.",
            ("Who supplies the glass?", "Dorn"),
            ("Who supplies the frames?", "Dorn"),
            id="somebody else without a verb",
        ),
        pytest.param(
            "Ms Vogt wrote the song, and Mr Hale sang it at the fair.",
            ("Who wrote the song?", "Ms Vogt"),
            ("Who sang the song?", "Ms Vogt"),
            id="and somebody else",
        ),
        pytest.param(
            "Fees are due in June, refunds are paid in August.",
            ("When are fees due?", "June"),
            ("When are refunds paid?", "June"),
            id="behind a comma",
        ),
        pytest.param(
            "The pump weighs 12 kg without water.",
            ("How much does the pump weigh without water?", "12 kg"),
            ("How much does the pump weigh with water?", "12 kg"),
            id="without it",
        ),
        pytest.param(
            "The bus takes 40 minutes, twice as long as the train.",
            ("How long does the bus take?", "40 minutes"),
            ("How long does the train take?", "40 minutes"),
            id="so many times",
        ),
        pytest.param(
            "Bookings made by phone are held for 3 days and those made online for 1.",
            ("How long are bookings made by phone held?", "3 days"),
            ("How long are bookings made online held?", "3 days"),
            id="and those",
        ),
        pytest.param(
            "Mr Hay, whose sister is Ms Orr, runs the shop.",
            ("Who runs the shop?", "Mr Hay"),
            ("Who runs the shop?", "Ms Orr"),
            id="said aside",
        ),
        pytest.param(
            "The old rule was time and a quarter. Sunday work is paid at time and a half.",
            ("How is Sunday work paid?", "time and a half"),
            ("How is Sunday work paid?", "time and a quarter"),
            id="a sentence beside it",
        ),
        pytest.param(
            "The grant covers travel but not meals.",
            ("What does the grant cover?", "travel"),
            ("What does the grant not cover?", "travel"),
            id="but not",
        ),
    ],
)
def test_an_answer_is_of_the_clause_that_says_what_is_asked(told, right, wrong):
    assert has_tick(*right, told)
    assert not has_tick(*wrong, told)


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        (
            "Dogs are forbidden in the hall and cats are allowed.",
            ("Which animals are allowed in the hall?", "cats"),
            ("Which animals are allowed in the hall?", "Dogs"),
        ),
        (
            "The museum opens at 10 and closes at 17:30.",
            ("When does the museum close?", "17:30"),
            ("When does the museum close?", "10"),
        ),
        (
            "The ferry leaves Orsa at 10:20 and arrives in Mull at 11:05.",
            ("When does the ferry arrive in Mull?", "11:05"),
            ("When does the ferry leave Mull?", "11:05"),
        ),
        (
            "The ship left Bergen on 2 June and reached Leith on the 4th.",
            ("When did the ship leave Bergen?", "2 June"),
            ("When did the ship reach Leith?", "2 June"),
        ),
        (
            "Sales grew by 7% while costs fell by 2%.",
            ("By how much did costs fall?", "2%"),
            ("By how much did costs rise?", "2%"),
        ),
        (
            "The price includes breakfast and excludes drinks.",
            ("What does the price include?", "breakfast"),
            ("What does the price include?", "drinks"),
        ),
        (
            "There are 30 seats inside and 18 outside.",
            ("How many seats are there inside?", "30"),
            ("How many seats are there outside?", "30"),
        ),
        (
            "Paul Wray succeeded Ines Cole as treasurer.",
            ("Who is treasurer?", "Paul Wray"),
            ("Who is treasurer?", "Ines Cole"),
        ),
        (
            "The tank holds 30 gallons, or 136 litres.",
            ("How many litres does the tank hold?", "136"),
            ("How many litres does the tank hold?", "30"),
        ),
    ],
)
def test_an_answer_is_none_to_a_question_for_the_opposite(told, right, wrong):
    assert has_tick(*right, told)
    assert not has_tick(*wrong, told)


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        (
            "Dr Amin supervises Lotte Berg.",
            ("Who supervises Lotte Berg?", "Dr Amin"),
            ("Who does Lotte Berg supervise?", "Dr Amin"),
        ),
        (
            "Dr Amin supervises Lotte Berg.",
            ("Who does Dr Amin supervise?", "Lotte Berg"),
            ("Who supervises Dr Amin?", "Lotte Berg"),
        ),
        (
            "The tenant pays the landlord £40 for each lost key.",
            ("Who pays for a lost key?", "The tenant"),
            ("Who is paid for a lost key?", "The tenant"),
        ),
        (
            "Mr Poole sold the mill to Ms Crane.",
            ("Who sold the mill?", "Mr Poole"),
            ("Who bought the mill?", "Mr Poole"),
        ),
        (
            "The library lends the projector to schools.",
            ("Who lends the projector?", "The library"),
            ("Who borrows the projector?", "The library"),
        ),
        (
            "We may cancel the order at 14 days' notice to your last address.",
            ("At how many days' notice may the order be cancelled?", "14"),
            ("At how many days' notice can I cancel the order?", "14"),
        ),
        (
            "The mill was sold by Mr Poole to Ms Crane.",
            ("Who sold the mill?", "Mr Poole"),
            ("Who sold Mr Poole?", "The mill"),
        ),
    ],
)
def test_who_does_something_is_not_to_whom_it_is_done(told, right, wrong):
    assert has_tick(*right, told)
    assert not has_tick(*wrong, told)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("How much does a day ticket cost?", "£12", "A day ticket costs £12 and it is valid until midnight."),
        ("By when must the form be sent to the office?", "5 May", "Send the form by 5 May and the office will confirm it."),
        ("How long is the guarantee?", "two years", "The guarantee is two years, and no receipt is needed."),
        ("How long should I bake it?", "40 minutes", "Let the dough rest for two hours, then bake it for 40 minutes."),
        (
            "What must be done if there is no power?",
            "Press the lever",
            "Press the lever if there is no power; the door will open.",
        ),
        ("Who repairs the boiler?", "Karo Heating", "Karo Heating repairs the boiler, which the landlord pays for."),
        ("How hot may the water be?", "40 °C", "The water may be 40 °C and never hotter."),
        (
            "Which park opened in 1843 in the city of the light?",
            "Orla Gardens",
            "The park of the city of the light, Orla Gardens, opened in 1843 and is among the oldest.",
        ),
        (
            "Who was the first keeper of the light that Ida Renn kept?",
            "Ada Finch",
            "Ada Finch was the first keeper of the light, and she was followed by Otto Falk and Ida Renn.",
        ),
        (
            "Which pool in the garden opens at 6 in the morning?",
            "Orla Pool",
            "Which pool in the garden opens at 6 in the morning? Of those in the garden, Orla Pool opens at 6.",
        ),
        ("Where may dogs be walked?", "on the dunes", "No dogs are allowed on the beach, but they may be walked on the dunes."),
        (
            "How soon must the first boat be home so that a race is not called off?",
            "100 minutes",
            "The first boat must be home in 100 minutes; otherwise the race is called off.",
        ),
    ],
)
def test_a_clause_that_adds_to_the_answer_takes_nothing_from_it(question, answer, told):
    assert has_tick(question, answer, told)


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        (
            "Records are kept for six months; samples are destroyed.",
            ("How long are records kept?", "Records are kept for six months."),
            ("How long are samples kept?", "Samples are kept for six months."),
        ),
        (
            "12 nurses work by day and the rest work at night.",
            ("How many nurses work by day?", "12 nurses work by day."),
            ("How many nurses work at night?", "12 nurses work at night."),
        ),
        (
            "The roof was built by Ora Lund, the wall by Tom Hale.",
            ("Who built the wall?", "Tom Hale built the wall."),
            ("Who built the wall?", "Ora Lund built the wall."),
        ),
        (
            "Dr Amin supervises Lotte Berg at work.",
            ("Who supervises Lotte Berg?", "Dr Amin supervises Lotte Berg at work."),
            ("Who does Lotte Berg supervise?", "Lotte Berg supervises Dr Amin at work."),
        ),
        (
            "Mr Poole sold the mill to Ms Crane in 1999.",
            ("Who sold the mill?", "Mr Poole sold the mill in 1999."),
            ("Who bought the mill?", "Mr Poole bought the mill in 1999."),
        ),
        (
            "Sales grew by 7% while costs fell by 2%.",
            ("By how much did sales grow?", "Sales grew by 7%."),
            ("By how much did costs fall?", "Costs fell by 7%."),
        ),
    ],
)
def test_so_it_is_with_statements(told, right, wrong):
    assert has_tick(*right, told)
    assert not has_tick(*wrong, told)


@pytest.mark.parametrize(
    ("told", "statement"),
    [
        ("Ida Renn is the mayor of Orlau.", "The mayor of Orlau is Ida Renn."),
        ("Kerrow Light was built to the design of Ida Renn.", "Ida Renn designed Kerrow Light."),
        ("Of our 14 vans, nine are electric.", "Nine vans are electric."),
    ],
)
def test_the_same_in_another_order_is_the_same(told, statement):
    assert has_tick("What is told of Orlau, the light and the vans?", statement, told)

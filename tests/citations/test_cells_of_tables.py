"""A value of a table is that of its column and its row, below what stands above it, in its unit and scale."""

from dataclasses import replace

import pytest

from hopweave.citations.rules.rankings import is_of_other_place
from hopweave.citations.support import claim_of, judge
from hopweave.core.types import Passage


def support(asked, answer, *texts, title="Orlau Pumps report", sections=()):
    passages = [Passage(f"p{at}", text, title, "report.xlsx", sections=sections) for at, text in enumerate(texts)]
    return judge(asked, answer, passages).support


SALES = (
    "Item: Net sales; Q1 2024 Budget: 840; Q1 2024 Actual: 871; Q2 2024 Budget: 910; Q2 2024 Actual: 886.\n\n"
    "Item: Cost of sales; Q1 2024 Budget: -410; Q1 2024 Actual: -405; Q2 2024 Budget: -420; Q2 2024 Actual: -417.\n\n"
    "Item: Sales; Q1 2024 Budget: 940; Q1 2024 Actual: 971; Q2 2024 Budget: 1010; Q2 2024 Actual: 986."
)


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("What were the actual net sales of Orlau Pumps in Q2 2024?", "886", ["910", "871", "840", "417", "986"]),
        ("What were the net sales that Orlau Pumps budgeted for the first quarter of 2024?", "840", ["871", "910", "940"]),
        ("What was the actual cost of sales of Orlau Pumps in Q1 2024?", "-405", ["-410", "871", "971"]),
    ],
)
def test_the_cell_among_most_words_of_the_question_is_the_one_that_is_asked_for(asked, right, wrong):
    assert support(asked, right, SALES) == "supported"
    assert [support(asked, one, SALES) for one in wrong] == ["unsupported"] * len(wrong)


def test_a_row_that_the_question_names_as_a_whole_is_meant_before_one_that_it_names_in_part():
    asked = "What were the actual sales of Orlau Pumps in Q2 2024?"
    assert [support(asked, one, SALES) for one in ("986", "886", "-417")] == ["supported", "unsupported", "unsupported"]


VARIANTS = "Data: Mass (g); VK-10: 64; VK-25: 71; VK-60: 78.\n\nData: Order number; VK-10: 771-1; VK-25: 771-2; VK-60: 771-3."


def test_columns_are_told_apart_by_codes_in_full():
    asked = "What is the mass of the VK-25 of Orlau Pumps?"
    assert [support(asked, one, VARIANTS) for one in ("71", "71 g", "64", "78 g", "71 mm")] == [
        *["supported"] * 2,
        *["unsupported"] * 3,
    ]


YEARS = (
    "Revenue; 2023: 512; 2022 (restated): 472; 2021: 431.\n\nEarnings per share; 2023: 2.18; 2022 (restated): 1.62; 2021: 1.41."
)


@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        ("What was the revenue of Orlau Pumps in 2022?", "472", "supported"),
        ("What was the revenue of Orlau Pumps in 2022?", "512", "unsupported"),
        ("What were the earnings per share of Orlau Pumps in 2021?", "1.41", "supported"),
        ("What were the earnings per share of Orlau Pumps in 2021?", "2.18", "unsupported"),
        ("What was the revenue of Orlau Pumps in 2020?", "431", "unsupported"),  # which has no column
    ],
)
def test_a_row_whose_first_column_has_no_name_is_a_row_and_its_years_count(asked, answer, expected):
    assert support(asked, answer, YEARS) == expected


def test_a_table_under_the_heading_of_another_year_has_no_answer():
    tariffs = "Tariff: Duo; Day rate: 36.2; Night rate: 27.4."
    asked = "What was the night rate of the Duo tariff in 2024?"
    assert support(asked, "27.4", tariffs, sections=("Tariffs 2024",)) == "supported"
    assert support(asked, "27.4", tariffs, sections=("Tariffs 2025",)) == "unsupported"


TWO_TABLES = (
    "Orders by country\n\nCountry: Norway; March: 24; June: 26.\n\nCountry: Brazil; March: 12; June: 15.\n\n"
    "Backlog by country\n\nCountry: Norway; March: 51; June: 54.\n\nCountry: Brazil; March: 29; June: 33."
)


def test_what_stands_above_a_table_tells_its_cells_from_those_of_another():
    asked = "What was the backlog of Orlau Pumps in Brazil in March?"
    assert [support(asked, one, TWO_TABLES) for one in ("29", "12", "33", "51")] == ["supported", *["unsupported"] * 3]


def test_a_cell_of_another_passage_of_the_document_may_be_the_one_that_is_asked_for():
    ratings, sizes = "Data: Total weight; KT-4: 1590; KT-2: 1120.", "Type: KT-4; Length (mm): 1480; Height (mm): 1510."
    asked = "What is the total weight of the KT-4 of Orlau Pumps?"
    assert [support(asked, one, ratings, sizes) for one in ("1590", "1120", "1510")] == [
        "supported", "unsupported", "unsupported",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("What were the net sales of Orlau Pumps in Q2 2024?", "886", ["910", "840", "871"]),
        ("What was the budget of Orlau Pumps for net sales in Q2 2024?", "910", ["886", "840"]),
    ],
)
def test_what_is_is_asked_for_unless_the_question_names_a_plan_or_an_earlier_time(asked, right, wrong):
    assert support(asked, right, SALES) == "supported"
    assert [support(asked, one, SALES) for one in wrong] == ["unsupported"] * len(wrong)


def test_a_column_of_restated_figures_has_none_from_before_the_restatement():
    before = "What was the revenue of Orlau Pumps in 2022 before the restatement?"
    assert support(before, "472", YEARS) == "unsupported"


STOCK = (
    "Part: cutter; Malden Pieces: 240; Malden Value (SEK): 86 400; Malden Share: 12%; "
    "Trosa Pieces: 75; Trosa Value (SEK): 27 000."
)


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("How many cutters of Orlau Pumps are in Malden?", "240", ["86 400", "12%", "75"]),
        ("What is the value of the cutters of Orlau Pumps in Malden?", "86 400", ["240", "12%", "27 000"]),
    ],
)
def test_a_question_for_how_many_asks_for_no_money_and_no_percentage(asked, right, wrong):
    assert support(asked, right, STOCK) == "supported"
    assert [support(asked, one, STOCK) for one in wrong] == ["unsupported"] * len(wrong)


STAFF = (
    "Site: Sula; Work: Production; Staff in May: 88; Staff in June: 84.\n\n"
    "Site: Sula; Work: Administration; Staff in May: 19; Staff in June: 18.\n\n"
    "Site: Brno; Work: Production; Staff in May: 42; Staff in June: 45."
)


def test_a_row_that_lacks_a_word_of_the_question_which_the_cited_row_has_is_no_rival():
    asked = "How many staff did Orlau Pumps have in production in Sula in May?"
    assert [support(asked, one, STAFF) for one in ("88", "19", "42", "84")] == ["supported", *["unsupported"] * 3]


LOG = [
    "Time: 2024-05-06 08:00; Sensor: T1; Pressure (bar): 4.10; Flow: 38.5.",
    "Time: 2024-05-06 08:00; Sensor: T2; Pressure (bar): 4.05; Flow: 37.9.",
    "Time: 2024-05-07 08:00; Sensor: T1; Pressure (bar): 4.12; Flow: 38.8.",
]


def test_a_date_is_the_same_in_whatever_form():
    asked = "What was the pressure at sensor T1 on 7 May 2024 at 08:00?"
    answers = ("4.12", "4.12 bar", "4.10", "4.05", "38.8")
    assert [support(asked, one, *LOG, title="Log") for one in answers] == [
        *["supported"] * 2,
        *["unsupported"] * 3,
    ]


def test_a_month_stands_in_a_column_and_its_year_above():
    told = "Gas 2024, in MWh\n\nSite: Hall A; Jan: 188; Feb: 171.\n\nSite: Hall B; Jan: 142; Feb: 130."
    asked = "How much gas did Hall A use in January 2024?"
    assert [support(asked, one, told, title="Energy") for one in ("188", "188 MWh", "142", "171")] == [
        *["supported"] * 2,
        *["unsupported"] * 2,
    ]


def test_a_table_is_that_of_a_company_whose_full_name_stands_elsewhere_in_the_document():
    stock, orders = "Lindqvist Tools - stock list", "Part: LT-9; Reorder level: 10; Lead time (weeks): 12."
    passages = [Passage("a", stock, "lindqvist_stock", "l.xlsx"), Passage("b", orders, "lindqvist_stock", "l.xlsx")]
    asked = "What is the lead time for LT-9 at Lindqvist Tools?"
    assert judge(asked, "12", passages).support == "supported"
    assert judge(asked, "12", passages[1:]).support == "unsupported"
    assert judge(asked.replace("Lindqvist Tools", "Orlau Tools"), "12", passages).support == "unsupported"


def test_a_word_of_a_column_is_no_label_of_the_row():
    told = (
        "Cost centre: 5100; Name: Paint; Budget: 388; Forecast: 402.\n\n"
        "Cost centre: 5200; Name: Wood; Budget: 214; Forecast: 221."
    )
    asked = "What is the forecast of the cost centre Paint?"
    assert [support(asked, one, told) for one in ("402", "388", "221")] == ["supported", "unsupported", "unsupported"]


def test_what_is_not_something_is_told_from_what_is():
    told = (
        "Non-current assets\n\nReceivables; Note: 15; 2024: 34.2; 2023: 31.9.\n\n"
        "Current assets\n\nReceivables; Note: 17; 2024: 256.7; 2023: 243.3."
    )
    current, other = (f"What were the {kind} receivables of Orlau Pumps in 2024?" for kind in ("current", "non-current"))
    assert [support(current, one, told) for one in ("256.7", "34.2")] == ["supported", "unsupported"]
    assert [support(other, one, told) for one in ("34.2", "256.7")] == ["supported", "unsupported"]


def test_a_number_in_a_sentence_is_no_answer_where_a_cell_has_more_of_the_question():
    told = "Data: Operating temperature; Min: -40; Max: 125; Unit: °C.\n\nThe storage temperature is -50 to 135 °C."
    asked = "What is the minimum operating temperature of the VK of Orlau Pumps?"
    assert [support(asked, one, told, title="Orlau Pumps VK") for one in ("-40", "-50", "-50 °C", "125")] == [
        "supported",
        *["unsupported"] * 3,
    ]
    storage = "What is the storage temperature of the VK of Orlau Pumps?"
    assert support(storage, "-50 to 135 °C", told, title="Orlau Pumps VK") == "supported"


LIGHTS = "Sula; winter: 17.5; spring: 14.5; summer: 9.5.\n\nBrno; winter: 16.5; spring: 13.5; summer: 8.5."


@pytest.mark.parametrize(
    "text", ["Table 4: Hours of Orlau Light.\n\n{}", "{}\n\nTable 4: Hours of Orlau Light."], ids=["above", "below"]
)
def test_the_caption_of_a_table_tells_what_its_rows_are_about(text):
    asked = "How many hours did Orlau Light burn in Sula in spring?"
    found = [support(asked, one, text.format(LIGHTS), title="lights") for one in ("14.5", "17.5", "13.5")]
    assert found == ["supported", "unsupported", "unsupported"]
    assert support(asked, "14.5", LIGHTS, title="lights") == "unsupported"


def test_a_caption_below_a_table_is_not_that_of_the_table_that_follows():
    other = LIGHTS.replace("17.5", "3.5").replace("14.5", "2.5")
    text = f"{LIGHTS}\n\nTable 4: Hours of Orlau Light.\n\n{other}\n\nTable 5: Hours of Marlow Light."
    asked = "How many hours did Marlow Light burn in Sula in spring?"
    assert [support(asked, one, text, title="lights") for one in ("2.5", "14.5")] == ["supported", "unsupported"]


def test_the_number_of_a_section_is_no_word_of_the_question():
    steps = "Sula; 2-step: 7.5; 3-step: 8.5; 4-step: 9.5."
    asked = "What does Sula need with 4-step lamps?"
    found = [support(asked, one, steps, sections=("4 Results", "4.2 Lamps")) for one in ("9.5", "8.5")]
    assert found == ["supported", "unsupported"]


def test_a_caption_below_a_table_is_that_of_all_its_groups_of_rows():
    newer = LIGHTS.replace("Sula", "Ulm").replace("Brno", "Drum").replace("winter: 17.5; ", "")
    text = f"Old lamps\n\n{LIGHTS}\n\nNew lamps\n\n{newer}\n\nTable 4: Hours of Orlau Light."
    asked = "How many hours did Orlau Light burn in {} in spring?"
    assert [support(asked.format(town), "14.5", text, title="lights") for town in ("Sula", "Ulm")] == ["supported"] * 2


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("Which boat finished second in the Marlow series?", 2),
        ("Which boat came 3rd in the Marlow series?", 3),
        ("Which boat took first place in the Marlow series?", 1),
    ],
)
def test_a_row_of_a_ranking_does_not_answer_which_came_in_another_place(asked, place):
    rows = {number: f"Place: {number}; Boat: Ulm Eel; 7 Sep: 2." for number in (1, 2, 3)}
    found = {number: judge(asked, "Ulm Eel", [Passage("boats", row, "Marlow series")]).rule for number, row in rows.items()}
    assert found == {number: "" if number == place else "it has another place in the ranking" for number in rows}


@pytest.mark.parametrize("asked", ["Who was first in the second race?", "Which boat sailed the second course?", "Who won?"])
def test_what_came_first_in_a_part_or_is_called_the_second_is_no_place_in_a_ranking(asked):
    assert not is_of_other_place(asked, "Place: 3; Boat: Ulm Eel.")


@pytest.mark.parametrize("row", ["Place: Sula; Boat: Ulm Eel.", "Boat: Ulm Eel; Net: 9."])
def test_a_row_without_a_place_in_a_ranking_is_of_none(row):
    assert not is_of_other_place("Who finished second?", row)


def test_a_row_of_another_table_of_the_document_leaves_an_answer_open_and_does_not_contradict_it():
    row = "Segment: Labels; Actual 2023: {}; Budget 2023: {}; Actual 2022: 63.1."
    text = f"Revenue by segment\n\n{row.format(68.4, 66.5)}\n\nOperating profit by segment\n\n{row.format(9.7, 8.9)}"
    asked = "How much turnover had Orlau budgeted for Labels in 2023?"
    found = judge(asked, "66.5", [Passage("p", text, "Orlau plc", "report.md")])
    assert (found.support, found.shortfall, found.contradicted_by) == ("unsupported", "rival", None)


BOAT = Passage("boat", "Name: Saltram; Owner: Clara Mbeki; Built: 1974; Berth: {0}.", "Saltram", "boats.csv")
BERTH = "Berth: {}; Length m: {}; Summer EUR: {}; Winter EUR: {}; Shore power: yes."


def price_by_berth(own, other, *more):
    """The support of a winter price, after the steps that lead to it."""
    rows = [(own, 15, 2650, 1390), (other, 12, 1980, 1040), *more]
    berths = [Passage(f"{number}", BERTH.format(*row), str(row[0]), "berths.csv") for number, row in enumerate(rows)]
    passages = [replace(BOAT, text=BOAT.text.format(own)), *berths]
    berth = claim_of(1, "In which berth is the boat of Clara Mbeki?", str(own), "retrieved", passages)
    price = claim_of(2, f"What does berth {own} cost in winter?", "1390", "retrieved", passages, settled=[berth])
    steps = [claim for claim in (berth, price) if claim.support == "supported"]
    asked = "What is the winter price of the berth of the owner Clara Mbeki?"
    return [claim.support for claim in (berth, price)], judge(asked, "EUR 1390", passages, settled=steps).support


@pytest.mark.parametrize(("own", "other"), [("North", "South"), ("Pier-A", "Pier-B"), ("B2", "B1"), (17, 18)])
def test_rows_with_other_names_codes_or_numbers_than_a_step_found_are_no_rivals(own, other):
    assert price_by_berth(own, other) == (["supported", "supported"], "supported")


@pytest.mark.parametrize(("own", "other"), [("B2", "B1"), (17, 18)])
def test_another_row_of_what_a_step_found_is_a_rival(own, other):
    _, support = price_by_berth(own, other, (own, 15, 2650, 1410))
    assert support == "contradicted"


def test_a_code_that_is_the_answer_has_the_code_of_another_row_as_its_rival():
    rows = [
        Passage(code, f"Code: {code}; Lamp: red; Place: hall; State: stuck; Part: door.", "Faults") for code in ("E4", "E7")
    ]
    assert judge("Which code has the red lamp in the hall, stuck, of the door?", "E4", rows).support == "contradicted"


def test_a_remark_in_a_row_is_read_by_its_own_words():
    rows = [
        "Ref: R-11; Kind: CCTV at Brno; Keep for: 21 days; Remarks: At the Sula office the pictures of the yard are "
        "overwritten after 7 days.",
        "Ref: R-12; Kind: Mail; Keep for: 30 days; Remarks: Paper is shredded.",
    ]
    passage = Passage("records", "\n".join(rows), "Records of Orlau")
    asked = "After how long are the pictures of the Sula office overwritten?"
    assert [judge(asked, answer, [passage]).support for answer in ("7 days", "30 days")] == ["supported", "unsupported"]


def test_a_column_is_not_asked_for_by_the_small_words_of_its_name():
    row = "Code: E5; Meaning: rotor not recognised; What to do: seat rotor again."
    asked = "What does the code E5 of the spinner tell me?"
    assert judge(asked, "rotor not recognised", [Passage("codes", row, "Spinner")]).support == "supported"

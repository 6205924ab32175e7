"""A value of a table is that of its column and its row, below what stands above it, in its unit and scale."""

import pytest

from hopweave.citations.support import judge
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

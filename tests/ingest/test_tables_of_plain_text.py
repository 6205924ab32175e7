"""Tables whose columns are set apart by blanks or tabs."""

import pytest
from support.readers import read_html, read_plain

from hopweave.ingest.aligned_tables import with_rows

PIERS = "Pier      2021    2024\n----      ----    ----\nP1        0.12    0.15\nP2        0.26    0.31"
SAID = "Pier: P1; 2021: 0.12; 2024: 0.15.\n\nPier: P2; 2021: 0.26; 2024: 0.31."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Before.\n\n{PIERS}\n\nAfter.", f"Before.\n\n{SAID}\n\nAfter."),
        (f"Crack widths (mm)\n{PIERS}", f"Crack widths (mm)\n\n{SAID}"),
        (PIERS.replace("Pier", "    "), SAID.replace("Pier: ", "")),
        ("| Pier | 2021 | 2024 |\n|---|---|---|\n| P1 | 0.12 | 0.15 |\n| P2 | 0.26 | 0.31 |", SAID),
    ],
)
def test_each_row_of_a_table_in_plain_text_has_the_names_of_its_columns(text, said):
    assert with_rows(text) == said


def test_names_above_all_columns_but_the_first_are_names_whatever_they_are():
    text = (
        "9. Properties\n          220         220 HD\nColour    pale green  none\npH        10.8        13.2\n"
        "Smell     none        faint"
    )
    assert with_rows(text).split("\n\n") == [
        "9. Properties",
        "Colour; 220: pale green; 220 HD: none.",
        "pH; 220: 10.8; 220 HD: 13.2.",
        "Smell; 220: none; 220 HD: faint.",
    ]


def test_names_above_words_are_names_if_each_cell_begins_below_one_and_a_column_has_numbers():
    text = "Duty\n  Week from   First    Second\n  Mon 2 May   Ada      Ida\n  Mon 9 May   Ida      Otto"
    assert with_rows(text).split("\n\n")[1:] == [
        "Week from: Mon 2 May; First: Ada; Second: Ida.",
        "Week from: Mon 9 May; First: Ida; Second: Otto.",
    ]


def test_lines_in_which_dots_lead_to_an_amount_are_paragraphs_and_what_is_between_them_stays():
    text = "2. Fees (a year)\n   Member ....... £138\n   Family ....... £224\n2.1 Fees are due in May."
    assert with_rows(text).split("\n\n") == ["2. Fees (a year)", "Member: £138.", "Family: £224.", "2.1 Fees are due in May."]


@pytest.mark.parametrize(
    "text",
    [
        "Ada   Oslo   violin\nIda   Rome   cello",
        "Ada   Oslo   violin\nIda Renn   Rome   cello\nEva   Riga   harp",
        "1 Care ........... 3\n2 Use ............ 7",
        "Usage: tool [FILE]... [-t]\n  or: tool [FILE]... -d 5",
        "          220         220 HD\nColour    pale green\npH        10.8        13.2",
        "       said he,  and went\nHome       at last he    came\nAgain  and   again",
        "          A         B\nOne row   1         2",
    ],
)
def test_lines_that_do_not_stand_below_names_are_no_table(text):
    assert with_rows(text) == text


def test_rows_of_columns_without_names_are_told_apart():
    text = (
        "  Manager   Ida Renn    ext. 10   since May,\n                                  before that Ada\n"
        "  Desk      (nobody)\n  Pier      Tom Carey   ext. 17"
    )
    assert with_rows(text).split("\n\n") == [
        "Manager: Ida Renn; ext. 10; since May, before that Ada.",
        "Desk: (nobody).",
        "Pier: Tom Carey; ext. 17.",
    ]


def test_names_in_two_lines_above_a_rule_and_a_note_below_the_last_one_are_told_from_rows():
    rule = "-" * 40
    text = (
        f"Article   Old price   1 to 4   5 to 19\n          (1 to 4)\n{rule}\nP40          318.00   329.00    312.00\n"
        f"P65             new   598.00    568.00\n{rule}\n(1) Without tax."
    )
    assert with_rows(text).split("\n\n") == [
        "Article: P40; Old price (1 to 4): 318.00; 1 to 4: 329.00; 5 to 19: 312.00.",
        "Article: P65; Old price (1 to 4): new; 1 to 4: 598.00; 5 to 19: 568.00.",
        "(1) Without tax.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "He waited.  She came.  It rained.\nThen it stopped.  They left.  All of them.\nNobody came back.  Ever.  At 7.",
        "Pier      2021    2024\nP1        0.12    0.15",
        "Pier      2021    2024\nP1 0.12\nP2        0.26    0.31",
        "1.  first of all\n2.  then this\n3.  and that",
        "int a;    /* one */\nint b;    /* two */\nint c;    /* three */",
        "USR1    print progress\nHUP  finish the file\nTERM  stop at once",
        "drwxr-xr-x  2 ada  users  4096 May  1 x\n-rw-r--r--  1 ada  users  17 May  1 y\n-rw-r--r--  1 ada  users  19 May  1 z",
    ],
)
def test_lines_that_are_no_table_stay_as_they_are(text):
    assert with_rows(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "P1        0.12    0.15\nP2        0.26    0.31\nP3        0.08    0.09",
            ["P1; 0.12; 0.15.", "P2; 0.26; 0.31.", "P3; 0.08; 0.09."],
        ),
        (
            "Wages .............. 1,250  1,180\nRent ...............   300    290\nOther ..............   120    115",
            ["Wages; 1,250; 1,180.", "Rent; 300; 290.", "Other; 120; 115."],
        ),
        ("name      town\nAda       7\nIda       8", ["name: Ada; town: 7.", "name: Ida; town: 8."]),
        (
            "Presidents\n  1898-1907   Ada Finch\n  1907-1919   Ida Renn   (first woman)\n  1919-       Una Marsh",
            ["Presidents", "1898-1907: Ada Finch.", "1907-1919: Ida Renn (first woman).", "1919-: Una Marsh."],
        ),
        (
            "                 Actual    Budget\n  Sales YTD      £8.7m     £9.2m\n  Gross margin   41.3%     42.0%",
            ["Sales YTD; Actual: £8.7m; Budget: £9.2m.", "Gross margin; Actual: 41.3%; Budget: 42.0%."],
        ),
        (
            "                  Budget   Spent   Forecast\nLicences          410      395     410\n"
            "Integrator (Sula) 780      512     865"
            "\nStaff             360      241     405",
            [
                "Licences; Budget: 410; Spent: 395; Forecast: 410.",
                "Integrator (Sula); Budget: 780; Spent: 512; Forecast: 865.",
                "Staff; Budget: 360; Spent: 241; Forecast: 405.",
            ],
        ),
        (
            "                BASIC     COMFORT\nSum insured     EUR 600   EUR 700\n"
            "Bicycle theft   -         EUR 1,500\nHotel costs     60 days   full",
            [
                "Sum insured; BASIC: EUR 600; COMFORT: EUR 700.",
                "Bicycle theft; BASIC: -; COMFORT: EUR 1,500.",
                "Hotel costs; BASIC: 60 days; COMFORT: full.",
            ],
        ),
        (
            "             101     103\n            -----   -----\nBrno dep    06:12   08:27\nUlm         07:22   09:36",
            ["Brno dep; 101: 06:12; 103: 08:27.", "Ulm; 101: 07:22; 103: 09:36."],
        ),
    ],
)
def test_lines_in_columns_without_names_are_read_line_by_line(text, said):
    assert with_rows(text).split("\n\n") == said


OILS = (
    "\t\tLamps\t\tBoats\n\tSula\tBrno\tUlm\tDrum\nOils of plants\t\t\t\t\n"
    "Rape\t31.5\t5.9\t25.8\t21.9\nFlax\t33.5\t9.4\t30.4\t21.5"
)
OILS_SAID = [
    "Oils of plants",
    "Rape; Sula: 31.5; Lamps Brno: 5.9; Lamps Ulm: 25.8; Boats Drum: 21.9.",
    "Flax; Sula: 33.5; Lamps Brno: 9.4; Lamps Ulm: 30.4; Boats Drum: 21.5.",
]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OILS, OILS_SAID),
        (f"Table 3: Hours of light.\n{OILS}\nThis is all.", ["Table 3: Hours of light.", *OILS_SAID, "This is all."]),
        (
            "\tSula Brno\t\tUlm\nRape\t31\t5\t25\nFlax\t33\t9\t30",
            ["Rape; Sula: 31; Brno: 5; Ulm: 25.", "Flax; Sula: 33; Brno: 9; Ulm: 30."],
        ),
        (
            "\tOil\t2023\t2024\nSula\tRape\t1\t2\n\tFlax\t3\t4\nBrno\tRape\t5\t6\n\tFlax\t7\t8",
            [
                "Sula; Oil: Rape; 2023: 1; 2024: 2.",
                "Sula; Oil: Flax; 2023: 3; 2024: 4.",
                "Brno; Oil: Rape; 2023: 5; 2024: 6.",
                "Brno; Oil: Flax; 2023: 7; 2024: 8.",
            ],
        ),
        (
            "Hours\nOil\tSula\tBrno\nRape\t1\t2\nFlax\t3\t4\nPrices\t\t\n\tUlm\tDrum\tTell\nRape\t5\t6\t0\nFlax\t7\t8\t9",
            [
                "Hours",
                "Oil: Rape; Sula: 1; Brno: 2.",
                "Oil: Flax; Sula: 3; Brno: 4.",
                "Prices",
                "Rape; Ulm: 5; Drum: 6; Tell: 0.",
                "Flax; Ulm: 7; Drum: 8; Tell: 9.",
            ],
        ),
    ],
    ids=["names in two rows", "beside text", "two names in a cell", "groups", "two tables"],
)
def test_lines_with_tabs_are_read_as_a_sheet_is(text, said):
    assert with_rows(text).split("\n\n") == said


def test_a_table_beside_another_one_that_is_none_is_read():
    assert with_rows("Oil\tSula\tBrno\nRape\t1\t2\nFlax\t3\t4\n\ta\tb\nx\ty\tz").split("\n\n") == [
        "Oil: Rape; Sula: 1; Brno: 2.",
        "Oil: Flax; Sula: 3; Brno: 4.",
        "\ta\tb\nx\ty\tz",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "#define\tFIRST\t1\n#define\tSECOND\t2\n#define\tTHIRD\t3",
        "/* port */\tint\tport\t9000\nchar\tname\t8\nlong\tsize\t16",
        "all:\n\tcc -o lamp lamp.c\n\tcc -O2 -o oil oil.c\n\ttest 5 -gt 3",
        "name\ttown\tcountry\nAda\tUlm\tGermany\nIda\tBrno\tCzechia",
    ],
)
def test_tabs_that_align_or_indent_make_no_table(text):
    assert with_rows(text) == text


STATEMENT = """                          Year ended 31 December
                            2023        2022
                          --------    --------
Net sales                 $ 12,345    $ 11,210
Operating costs:
  Selling ..............     1,200
  Rent                         900         850"""
STATEMENT_SAID = [
    "Net sales; Year ended 31 December 2023: $12,345; Year ended 31 December 2022: $11,210.",
    "Operating costs:",
    "Selling; Year ended 31 December 2023: 1,200.",
    "Rent; Year ended 31 December 2023: 900; Year ended 31 December 2022: 850.",
]
TOTAL = "\n\nTotal                     $ 14,445    $ 12,060"
TOTAL_SAID = "Total; Year ended 31 December 2023: $14,445; Year ended 31 December 2022: $12,060."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Pier      2021    2024\nP1        0.12\nP2        0.26    0.31", ["Pier: P1; 2021: 0.12.", SAID.split("\n\n")[1]]),
        (
            "Pier\t\t2021\t2024\nP1\t\t0.12\nP2 of Sula\t0.26\t0.31",
            ["Pier: P1; 2021: 0.12.", "Pier: P2 of Sula; 2021: 0.26; 2024: 0.31."],
        ),
        (STATEMENT, STATEMENT_SAID),
        (f"{STATEMENT}{TOTAL}", [*STATEMENT_SAID, TOTAL_SAID]),
        (f"{STATEMENT}{TOTAL}\n\nIt was a good year.", [*STATEMENT_SAID, TOTAL_SAID, "It was a good year."]),
        (
            f"\n{STATEMENT}\n\nA line.\n\n{PIERS}",
            ["\n".join(["", STATEMENT_SAID[0]]), *STATEMENT_SAID[1:], "A line.", *SAID.split("\n\n")],
        ),
    ],
    ids=["an empty cell", "aligned by tabs", "a statement", "and its total", "and text below", "two tables"],
)
def test_cells_that_stand_below_each_other_are_a_column(text, said):
    assert with_rows(text).split("\n\n") == said


def test_figures_in_capitals_are_no_heading():
    document = read_plain("OILS OF SULA\n\nThey are dear.\n\nTOTAL 210 161 220\n\nOILS OF BRNO\n\nThey are not dear at all.")
    assert [one.text for one in document.parts[0].headings] == ["OILS OF SULA", "OILS OF BRNO"]


def test_headings_are_found_around_a_table():
    document = read_plain(f"1. Piers\n\n{PIERS}\n\n2. Cost\n\nIt costs more than was planned for it.")
    [part] = document.parts
    assert [part.text[one.start :].split("\n")[0] for one in part.headings] == ["1. Piers", "2. Cost"]


def test_a_table_in_preformatted_text_of_a_page_is_read_as_one():
    page = "<p>Phones</p><pre>             Sula    Brno\nReception    4000    5000\nFirst aid    4999    5999</pre><p>End</p>"
    [part] = read_html(page).parts
    assert part.text.split("\n\n") == [
        "Phones",
        "Reception; Sula: 4000; Brno: 5000.",
        "First aid; Sula: 4999; Brno: 5999.",
        "End",
    ]


def test_other_preformatted_text_of_a_page_stays_as_it_is():
    [part] = read_html("<p>Run:</p><pre>git add .\n\ngit commit</pre>").parts
    assert part.text == "Run:\n\ngit add .\ngit commit"


def test_a_list_in_two_columns_ends_where_text_is_less_indented():
    listed = "3. Waste\n  Paper      Monday\n  Glass      Friday\n  Rest       Saturday"
    assert with_rows(f"{listed}\nBins are put out by six\nin the morning.").split("\n\n") == [
        "3. Waste",
        "Paper: Monday.",
        "Glass: Friday.",
        "Rest: Saturday.",
        "Bins are put out by six\nin the morning.",
    ]

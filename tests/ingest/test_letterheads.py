"""The first lines of a plain text are its title where they say what it is, and nothing where they are text."""

import pytest
from support.readers import read_document

from hopweave.ingest.letterhead import is_in_capitals, subject_of_letter, title_of

TEXT = "\n\nThe lamp is lit at dusk.\nIt burns.\nOil is kept below.\nIt is dry.\nBoats come by.\nThey are few.\n"


@pytest.mark.parametrize(
    ("first_lines", "title"),
    [
        (
            "STADT ÖRLAU\nBenutzungsordnung der Bibliothek\nbeschlossen am 14. Mai",
            "STADT ÖRLAU - Benutzungsordnung der Bibliothek",
        ),
        ("Gemeinde Orlau\nNiederschrift über die 31. Sitzung", "Gemeinde Orlau - Niederschrift über die 31. Sitzung"),
        ("ОРЛАУСКИЙ МАЯК\nПравила", "ОРЛАУСКИЙ МАЯК - Правила"),
        ("Orlau v2.10.5 Release Notes\n===========================", "Orlau v2.10.5 Release Notes"),
        (
            "SAFETY DATA SHEET (extract)\nProduct: FERROLIN 22      Version 6.1",
            "SAFETY DATA SHEET (extract) - Product: FERROLIN 22",
        ),
        ("RÉSIDENCE LES GLYCINES\n27, avenue du Port", "RÉSIDENCE LES GLYCINES"),
        ("ORLAU LTD\n(April 2025)", "ORLAU LTD"),
        (
            "Light-of-Orlau: Keeping the Lamps of the Northern Coast Dry, Bright and Cheap in Every Season of the Year",
            "Light-of-Orlau: Keeping the Lamps of the Northern Coast Dry, Bright and Cheap in Every Season of the Year",
        ),
        ("LAMP(1)        User Commands        LAMP(1)", "lamp(1)"),
        ("Von: Ida Renn\nAn: alle\nBetreff: AW: WG: Die neue Lampe", "Die neue Lampe"),
        ("De : Ida Renn\nObjet : RE: La lampe", "La lampe"),
        ("Rules", ""),
        ("This package was downloaded from\nthe harbour of Orlau", ""),
        ("Ida Renn was the founder, designer and author of", ""),
        ("It burns. Nobody sees it.", ""),
        ("Lamp: brass\nOil: dry", ""),
        ("Name      Town      Age\nIda Renn      Orlau      5", ""),
        ("import lamp\nlamp.light()", ""),
        ("- Buy oil\n- Buy wicks", ""),
        ("Version 2.5 (30 May)\nThe lamp is lit", ""),
        ("Dear Ida,", ""),
    ],
)
def test_the_first_lines_are_the_title_unless_they_are_text(first_lines, title):
    assert title_of(first_lines + TEXT) == title


HEAD = "Office of Lights                                                A. Finch\n"


@pytest.mark.parametrize(
    ("head", "title_lines", "title"),
    [
        (
            "Request for Comments: 9999                                 Town of Sula\n",
            ["Keeping the Lamps of the Northern".center(72), "Coast Dry and Bright".center(72)],
            "RFC 9999: Keeping the Lamps of the Northern Coast Dry and Bright",
        ),
        (
            "RFC: #735                                                        Orlau\n",
            ["Lamps, Revised".center(72)],
            "RFC 735: Lamps, Revised",
        ),
        (
            "Category: Notes                                               May 1871\n",
            ["Lamps, Revised".center(72)],
            "Lamps, Revised",
        ),
        ("Category: Notes                                               May 1871\n", ["Lamps, Revised"], ""),
        (
            "Category: Notes                                               May 1871\n",
            ["The lamp is lit at dusk.".center(72)],
            "",
        ),
        ("It is a town.\n", ["Lamps, Revised".center(72)], ""),
    ],
)
def test_a_title_may_stand_in_the_middle_below_a_head_in_two_columns(head, title_lines, title):
    assert title_of(f"{HEAD}{head}\n\n{chr(10).join(title_lines)}\n\nAbstract{TEXT}") == title


def test_short_lines_with_hardly_a_text_below_have_no_title():
    assert title_of("Two boats\n\nThey are few.") == ""


def test_a_document_of_plain_text_has_that_title():
    assert read_document(f"TOWN OF ORLAU\nMINUTES OF MAY{TEXT}", ".txt").title == "TOWN OF ORLAU - MINUTES OF MAY"


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("ÜBERBLICK", True),
        ("RÈGLEMENT INTÉRIEUR", True),
        ("COMUNIDAD «LAS LILAS»", True),
        ("Überblick", False),
        ("ISO", False),
        ("北京市", False),
        ("TOTAL 210 161", False),
    ],
)
def test_capitals_are_those_of_any_script(line, is_one):
    assert is_in_capitals(line) is is_one


@pytest.mark.parametrize(
    ("beside", "subject"),
    [
        ("7 April 2025\n\nMV SULA - SURVEY OF 3 APRIL\n\nDear Ms Finch,", "MV SULA - SURVEY OF 3 APRIL"),
        ("7 April 2025\n\nDear Sir,\n\nWater at 3 High Street", "Water at 3 High Street"),
        ("Orlau, 3. Mai 2024\n\nIhre Stromrechnung 2023\n\nSehr geehrte Frau Renn,", "Ihre Stromrechnung 2023"),
        ("Objet : votre demande de permis\n\nMadame, Monsieur,", "votre demande de permis"),
        ("Orlau, 3. Mai 2024\n\nSehr geehrte Frau Renn,", ""),
        ("April 7, 2025\n\nDear Ms Finch,", ""),
        ("Ida Renn\nHarbour Road 3\n4711 Orlau\n\nDear Sir,", ""),
        ("Harbour Road 3\n\nDear Sir,", ""),
        ("Phone: 555 0142\n\nDear Sir,", ""),
    ],
)
def test_the_title_of_a_letter_is_what_stands_beside_its_salutation(beside, subject):
    assert subject_of_letter(f"Port Office\nHarbour Road 1\n\n{beside}{TEXT}") == subject
    said = f"PORT OFFICE OF ORLAU\n\n{beside}{TEXT}"
    assert title_of(said) == (f"{subject} - PORT OFFICE OF ORLAU" if subject else "PORT OFFICE OF ORLAU")

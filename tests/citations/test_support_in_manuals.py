"""What manuals, leaflets and lists of parts give a tick to."""

from dataclasses import replace

import pytest

from hopweave.citations.about import untied
from hopweave.citations.places import place_of
from hopweave.citations.support import claim_of, judge
from hopweave.core.types import Passage, Span


def support(query, answer, *texts, title="Sula lamps: manual"):
    return judge(query, answer, [Passage(f"p{at}", text, title) for at, text in enumerate(texts)]).support


RECIPES = "Short\n\nGrind 18 g of beans. Yield: 22 ml.\n\nLong\n\nGrind 16 g of beans. Yield: 90 ml."
STEPS = "1. Open the breaker.\n\n2. Connect the earth wire. Tighten to 4 Nm.\n\n3. Connect the line wires. Tighten to 2 Nm."
FAQ = (
    "What does a repair cost?\n\nThe flat rate is €79 for the X200 and €109 for the X300.\n\n"
    "How are lamps sent?\n\nBy post. The parcel costs €5 if it is sent abroad for a repair."
)
CLAUSES = "3. Lock\nTo lock the keys of the lamp, hold the MODE button for 5 seconds."
FAULTS = "Fault: no light; Cause: old wick; Remedy: Cut the wick.\n\nFault: no light; Cause: empty tank; Remedy: Fill the tank."


@pytest.mark.parametrize(
    ("query", "answer", "text", "expected"),
    [
        ("What is the yield of the short one?", "22 ml", RECIPES, True),
        ("What is the yield of the short one?", "90 ml", RECIPES, False),
        ("To what torque is the earth wire tightened?", "2 Nm", STEPS, False),
        ("To what torque is the earth wire tightened?", "4 Nm", STEPS, True),
        ("What does a repair of the X300 cost?", "€109", FAQ, True),
        ("How deep is the hole?", "6 mm", "Drill a hole with a diameter of 6 mm and a depth of 40 mm.", False),
        ("How deep is the hole?", "40 mm", "Drill a hole with a diameter of 6 mm and a depth of 40 mm.", True),
        (
            "How much vinegar is put into the tank?",
            "1 litre",
            "Fill the tank with 1 litre of water and 20 ml of vinegar.",
            False,
        ),
        ("How do I lock the keys of the lamp?", "hold the MODE button for 3 seconds", CLAUSES, False),
        ("How do I lock the keys of the lamp?", "hold the MODE button for 5 seconds", CLAUSES, True),
        ("How do I switch the lamp off?", "9 s", "To switch on the lamp, hold the key for 9 s.", False),
        ("How do I switch the lamp off?", "9 s", "To switch the lamp on or off, hold the key for 9 s.", True),
        ("What should be done if there is no light?", "Cut the wick.", FAULTS, True),
        ("What should be done if there is no light?", "Fill the tank.", FAULTS, True),
        ("What is the part number of the wick?", "90-7", "Part no.: 90-7; Name: wick for the lamp.", True),
        (
            "Where is the key of the Sula lamp?",
            "under the foot",
            "Kerrow key: red. Note: The key of the Sula lamp is under the foot.",
            True,
        ),
        (
            "From which firmware on does the lamp work?",
            "2.0",
            "Last updated 2 May 2024: the firmware of the lamp works.",
            False,
        ),
        (
            "How long does the update of the lamp take?",
            "50%",
            "The update of the lamp takes 9 minutes; charge it to 50%.",
            False,
        ),
        (
            "What is the maximum delay of the lamp?",
            "30 s",
            "Setting: Delay of the lamp; Range: 5 s to 90 s; Default: 30 s.",
            False,
        ),
        (
            "What is the maximum delay of the lamp?",
            "90 s",
            "Setting: Delay of the lamp; Range: 5 s to 90 s; Default: 30 s.",
            True,
        ),
        ("Does the app work with the X200?", "Yes, the app works with the X200.", "The app works with the X300 alone.", False),
        ("Does the app work with the X200?", "Yes, it works with that.", "The app works with the X300 alone.", False),
    ],
)
def test_an_answer_has_a_tick_only_from_what_is_said_of_what_is_asked(query, answer, text, expected):
    assert (support(query, answer, text) == "supported") is expected


def test_a_title_that_lists_models_supports_none_of_them():
    told = "Alarms\n\nSmoke detected. Leave at once."
    assert support("Which lamp tells that smoke is detected?", "G35", told, title="G20 and G35: manual") != "supported"
    assert support("Which lamp tells that smoke is detected?", "G35", told, title="G35: manual") == "supported"


def test_a_sentence_that_is_the_title_is_tied_to_nothing_else_of_its_document():
    texts = ("Sula lamps: manual", "Ida Renn pays the post to Orlau.")
    first, second = (Passage(f"p{at}", text, texts[0], "lamps.md", start=at) for at, text in enumerate(texts))
    assert untied("Who pays the post to Orlau?", "Sula", place_of(first, Span(0, 4)), (), [second]) == ["Orlau"]


def test_a_name_of_a_statement_is_in_its_sentence_or_in_what_that_is_read_with():
    told = "The PPTP tunnel was removed from release 3.0.\n\nOther\n\nThe lamp tunnel needs release 3.2 or a later one."
    assert support("What of PPTP?", "PPTP was removed in release 3.2.", told) != "supported"
    assert support("What of PPTP?", "PPTP was removed in release 3.0.", told) == "supported"


def test_of_passages_that_say_a_step_in_other_words_the_one_with_most_of_them_is_cited_if_it_supports_it_too():
    asked = "How do I reconcile an account?"
    step = "If you cannot find a transaction, use the New button on the toolbar to enter it."
    interest = Passage(
        "interest",
        "Clicking this button opens a New window that allows you to enter an interest transaction to the account.",
        "Reconcile windows",
    )
    missing = Passage(
        "missing",
        "You can use the New button on the toolbar to open a register window and enter the missing transaction.",
        "Reconcile windows",
    )
    for passages in ([interest, missing], [missing, interest]):
        claim = claim_of(1, asked, step, "retrieved", passages)
        assert (claim.support, [citation.passage_id for citation in claim.citations]) == ("supported", ["missing"])
    assert [one.passage_id for one in claim_of(1, asked, step, "retrieved", [interest]).citations] == ["interest"]


@pytest.mark.parametrize("question", ["H6 is showing E05, what's wrong?", "What does E05 mean on the H6?"])
def test_a_statement_about_something_else_than_the_code_that_is_asked_about_has_no_tick(question):
    water = Passage(
        "w", "The tank water must be changed when it is soiled, at the latest after 40 racks as set in C05.", "Manual of the H6"
    )
    leak = Passage("l", "E05: The base tray of the machine holds water, because a hose leaks.", "Manual of the H6")
    for stated, support in ((water, "unsupported"), (leak, "supported")):
        said = stated.text.removeprefix("E05: ")
        assert judge(question, said, [water, leak]).support == support, said


def test_a_heading_that_names_a_program_is_not_about_one_of_its_options():
    manual = Passage("m", "tarn copies files. With --mkpath it makes the folders that are missing.", "tarn(1)", "tarn.1")
    latest, added = (
        Passage(
            f"n#{number}", f"NEWS for tarn {version}\n\n{said}", "NEWS", "NEWS.md", start=9000 * number, end=9000 * number + 99
        )
        for number, version, said in (
            (1, "3.4.4", "Fewer bugs with --mkpath."),
            (2, "3.2.3", "Added --mkpath to make missing folders."),
        )
    )
    asked = "From which tarn version on can I use --mkpath?"
    assert judge(asked, "3.4.4", [manual, latest, added]).support == "unsupported"
    stated = replace(added, text="The option --mkpath was added in tarn 3.2.3.")
    assert judge(asked, "3.2.3", [manual, latest, stated]).support == "supported"

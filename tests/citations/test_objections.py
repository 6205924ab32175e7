"""The rules by which a place does not support an answer: each speaks for itself, by its name."""

import pytest

from hopweave.citations.objections import RULES
from hopweave.citations.support import judge
from hopweave.core.types import Passage

CASES = {
    "only one of the two says “not”": (
        "What is the price of the lamps of Orlau?",
        "1,840 euros",
        "The price of the lamps is 1,480 euros and not 1,840 euros.",
        "Lamps of Orlau",
    ),
    "the sentence has a date of its own": (
        "下次大会什么时候召开？",
        "2024年3月12日",
        "下次大会定于2025年4月8日召开。",
        "2024年3月12日大会纪要",
    ),
    "its clause says “not”": (
        "Which files does tarn remove?",
        "logs",
        "Temporary files are removed, but logs never are.",
        "tarn",
    ),
    "it belongs to the opposite, such as a death for a birth": (
        "When does the pool close?",
        "9 am",
        "The pool is closed until 9 am.",
        "Notes",
    ),
    "it is in another column": (
        "When was tarn 3.1.0 released?",
        "31 Aug 2008",
        "Release date: 28 Sep 2013; Version: tarn 3.1.0; Date of commit: 31 Aug 2008.",
        "Tarn",
    ),
    "it has another place in the ranking": (
        "Which boat came 3rd in the Marlow series?",
        "Ulm Eel",
        "Place: 1; Boat: Ulm Eel; 7 Sep: 2.",
        "Marlow series",
    ),
    "it is of another one of several in order": (
        "In which city was the first meeting of the divers held?",
        "Brno",
        "The first meeting of the divers was held in Sula, and the second meeting in Brno.",
        "Orlau",
    ),
    "it holds for other amounts": (
        "How many days off does the handbook of Orlau give after six years of service?",
        "23 days",
        "Service: Under 5 years; Days: 23.\nService: 5 to 14 years; Days: 28.",
        "Handbook of Orlau",
    ),
    "it is the number of another name": (
        "Which room has Ida Renn?",
        "7",
        "Ida Renn has room 214 and Ada Finch has room 7.",
        "Rooms",
    ),
    "it is the amount of something else": (
        "How deep is the hole?",
        "6 mm",
        "Drill a hole with a diameter of 6 mm and a depth of 40 mm.",
        "Sula lamps: manual",
    ),
    "it only says how exact a value is": (
        "By how much did the fever fall?",
        "2.0",
        "The fever fell by 3.1 (95% CI 2.0 to 4.2).",
        "Fever",
    ),
    "it is a change, or the value of another time": (
        "What was the expense of Orlau?",
        "£11 million",
        "The expense of Orlau was £98 million, an increase of £11 million.",
        "Orlau",
    ),
    "it holds under another condition": (
        "What is the pH of the lime at 5%?",
        "1.1",
        "The pH of the lime is 1.1 (pure), 1.9 (at 5%).",
        "Lime",
    ),
    "it is not the bound that is asked for": (
        "What is the maximum delay of the lamp?",
        "30 s",
        "Setting: Delay of the lamp; Range: 5 s to 90 s; Default: 30 s.",
        "Sula lamps: manual",
    ),
    "it is not the default": (
        "What is the default level of tarn?",
        "22",
        "The levels of tarn are from 1 to 22 with 3 being the default.",
        "tarn",
    ),
    "it is converted the other way": (
        "Which function converts an indexed image to grayscale?",
        "gray2ind",
        "gray2ind: Convert a grayscale image to an indexed image.",
        "Images",
    ),
    "it is another relative": (
        "Who was the son of Ida Renn?",
        "Otto Renn",
        "Ida Renn was the daughter of Otto Renn.",
        "Ida Renn",
    ),
    "it has the other role, as the payer does for the paid": (
        "Who supervises Dr Amin?",
        "Lotte Berg",
        "Dr Amin supervises Lotte Berg.",
        "Notes",
    ),
    "the sentence has the opposite of one of its words": (
        "What happened?",
        "Brno beat Graz by 3 goals.",
        "Brno lost to Graz by 3 goals.",
        "Notes",
    ),
    "it is only who says so, or who was there": (
        "Who suggested 1 June for the lamp of Sula?",
        "Ada Finch",
        "Present: Ada Finch (chair), Tom Carey\n\n3. Lamp of Sula\n\nTom proposed a new lamp. Ada suggested 1 June instead.",
        "Meeting",
    ),
    "the sentence gives it up": ("Who is treasurer?", "Ines Cole", "Paul Wray succeeded Ines Cole as treasurer.", "Notes"),
    "it is only asked, proposed or supposed": (
        "What is the precept of Orlau after the first amendment?",
        "£581,900",
        "First amendment: to freeze the precept of Orlau at £581,900 by drawing on reserves.",
        "Orlau",
    ),
    "it follows a word such as “possibly”": (
        "Where was the mill of Orlau moved to?",
        "Brno",
        "The mill of Orlau was built in Sula and possibly moved to Brno.",
        "Orlau",
    ),
    "it only says where the answer stands": (
        "Within how many days shall each invoice be paid?",
        "clause 12.4",
        "Each invoice shall be paid within the period laid down in clause 12.4.",
        "Agreement",
    ),
    "it is a term that is defined elsewhere": (
        "What interest is due?",
        "the Default Rate",
        "The interest due on late sums is the Default Rate.",
        "Agreement",
    ),
    "it is part of a reference": (
        "Within how many days shall each invoice be paid?",
        "12.4",
        "Each invoice shall be paid within the period laid down in clause 12.4.",
        "Agreement",
    ),
    "it counts something else": (
        "How many litres does the tank hold?",
        "30",
        "The tank holds 30 gallons, or 136 litres.",
        "Notes",
    ),
    "it is about no such thing as is asked about": (
        "What does error E05 of the boiler mean?",
        "Ada Finch cleans the filter every week.",
        "Ada Finch cleans the filter every week.",
        "Boiler",
    ),
    "its form is another, such as a name for a number": (
        "How long does the trial last?",
        "Sunday",
        "The trial, which lasts six months, ends on Sunday.",
        "Notes",
    ),
    "it is another measure": (
        "How long does it take to clean the boiler?",
        "3 bar",
        "It takes 3 bar to clean the boiler.",
        "Notes",
    ),
    "it is a name like one in the question": (
        "Hardest water for an X200?",
        "The X300",
        "The hardest water is for an X200 like the X300.",
        "Water",
    ),
    "a passage says that it is something else": (
        "Who wrote the manual of tarn?",
        "Tarn for Everyone",
        "Tarn for Everyone is a book about tarn. The manual of tarn is short.",
        "Tarn for Everyone",
    ),
    "nothing that was found ties it to what the question names": (
        "How long is the Term of the Sula Road lease?",
        "ten years",
        "The Term is ten years.",
        "lease-kelso-road",
    ),
    "no word there stands for what is asked": (
        "Who wrote the lamp program?",
        "Orla Finch",
        "Orla Finch has the lamp program on her desk.",
        "lamp",
    ),
    "it has too few of the words of the question": (
        "What is the notice period in the agreement with Orlau?",
        "six weeks",
        "The delivery time is six weeks.",
        "Orlau",
    ),
    "it is the other date of a life": (
        "When did Curt Brand die?",
        "1899",
        "Curt Brand (1899 - 1981) was a director who died in Ulm.",
        "Curt Brand",
    ),
    "it is one of several in the title": (
        "Which lamp tells that smoke is detected?",
        "G35",
        "Alarms\n\nSmoke detected. Leave at once.",
        "G20 and G35: manual",
    ),
    "it is of another value than the question has": (
        "What is the fee for a course of 2 hours?",
        "£50",
        "The fee for a course of 3 hours is £50.",
        "Courses",
    ),
    "it is when the row was written": (
        "On which day does the gearbox arrive?",
        "1 March 2024",
        "Name: Order gearbox; Assign: Ada Finch; Due: 1 March 2024.",
        "Order gearbox",
    ),
    "another cell is what is asked for": (
        "What does Sula need with 4-step lamps?",
        "8.5",
        "Sula; 2-step: 7.5; 3-step: 8.5; 4-step: 9.5.",
        "Orlau Pumps report",
    ),
    "it is behind another label": (
        "Who is the project lead of Kranhaus?",
        "Ada Finch",
        "Project lead: Ida Renn. Technical lead: Ada Finch.",
        "Kranhaus",
    ),
    "it is on another line": (
        "Who is caretaker of the Old Cemetery?",
        "Ada Finch",
        "Contacts of Orlau\n  Head gardener, Forest Cemetery: Ada Finch\n  Caretaker, Old Cemetery: Ida Renn",
        "Orlau",
    ),
    "another row is what is asked for": (
        "Which fuel does Sula burn?",
        "rape oil",
        "Lamp: Orlau; Fuel: rape oil.",
        "Lamps near Sula",
    ),
    "it is of another name": (
        "What pressure does the WM 40 of Orlau need?",
        "8 bar",
        "The WM 40 Pro needs a pressure of 8 bar.",
        "Orlau",
    ),
    "it is of another edition": (
        "What does hire of the hall of Orlau cost in 2021?",
        "£40",
        "Hire of the hall costs £40 an evening.",
        "Rules of the hall of Orlau 2019",
    ),
    "it is the day of a date": (
        "How many tenants has Orlau House?",
        "15",
        "The tenants of Orlau House move in on 15 June 2024.",
        "Lease of Orlau House",
    ),
    "it is how much there is of something else": (
        "How much salt does the container hold?",
        "110 ml",
        "Refill the salt container when it is empty: it holds 1.5 kg of salt. The rinse aid dispenser holds 110 ml.",
        "Notes",
    ),
    "it is the other end of a range": (
        "From which year on was the pool of Orlau open?",
        "2019",
        "The pool of Orlau was open from 2012 to 2019.",
        "Orlau",
    ),
    "it is how much more or less something is": (
        "What does the boiler cost?",
        "£4,100",
        "The boiler costs £27,300, £4,100 more than was planned.",
        "Notes",
    ),
    "it is one name of a row": (
        "In which town will the new data centre of Orlau be?",
        "Sutterby",
        "For the new data centre the council of Orlau looked at three towns: Lindle, Sutterby and Norrick.",
        "Orlau",
    ),
    "it is who came before, not after, or the reverse": (
        "Who takes over from the keeper of Carrow Head?",
        "Mara Lind",
        "The keeper of Carrow Head, Mara Lind, retires in May. Her successor is Una Marsh.",
        "Carrow Head",
    ),
    "it is one of a list that does not say which is the most": (
        "Which had the heaviest crop a plant in Orlau?",
        "Rape",
        "In Orlau, Rape had 3.1 kg a plant, Flax had 2.7 kg a plant.",
        "Crops of Orlau",
    ),
    "it is of another thing of the kind": (
        "What does the blue pass cost?",
        "£18",
        "The red pass costs £18 while the blue one is free.",
        "Notes",
    ),
    "it is how often, not for how long, or the reverse": (
        "How often is oil changed?",
        "seven days",
        "Oil is changed every 30 hours and kept for seven days.",
        "Notes",
    ),
    "another clause of the sentence says what is asked for": (
        "How many vans are electric?",
        "14",
        "Of our 14 vans, nine are electric.",
        "Notes",
    ),
    "another value of the sentence has more of the words of the question": (
        "Кто был избран главой?",
        "Иван Петров",
        "Анна Смирнова была избрана главой, а Иван Петров казначеем.",
        "Orlau",
    ),
    "it is in another part of the sentence": (
        "What uptime did Orlau reach?",
        "99.9%",
        "The uptime of Orlau was 99.86%; the target of 99.9% was missed.",
        "Orlau",
    ),
    "the sentence has several such values and does not say which is asked for": (
        "How much is entry to the baths of Orlau for a guest?",
        "£3",
        "Entry to the baths of Orlau is £5 for residents and £3 for pupils.",
        "Orlau",
    ),
    "it is another case": (
        "What is the present fee for a resit in Orlau?",
        "£45",
        "The fee for a resit is £55 per paper (£45 until summer 2024).",
        "Orlau",
    ),
    "another sentence says what is asked for": (
        "Who was sent off in the final?",
        "Dario Senn",
        "Dario Senn came on late. In the last minute Bo Renn was sent off.",
        "The final",
    ),
    "its document or the next sentence gives it up": (
        "Which oil do the lamps of Orlau burn?",
        "rape oil",
        "Status: withdrawn\n\nThe lamps of Orlau burn rape oil.",
        "Lamps of Orlau",
    ),
}


BESIDE = {
    "it is a term that is defined elsewhere": Passage(
        "other", '"Default Rate" means 4% above the base rate.', "Agreement", "one.md", 100, 190
    ),
    "another row is what is asked for": Passage("other", "Lamp: Sula; Fuel: paraffin.", "Lamps of Brno", "other.csv"),
}
"""What is found beside it, where the rule needs that."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says)
def test_a_rule_is_named_with_the_reason_where_it_withholds_support(rule):
    query, answer, text, title = CASES[rule.says]
    found = judge(
        query, answer, [Passage("one", text, title, "one.md")], beside=[BESIDE[rule.says]] if rule.says in BESIDE else []
    )
    assert (found.support, found.shortfall, found.rule) == ("unsupported", rule.shortfall, rule.says)


def test_every_rule_has_a_name_of_its_own():
    assert len({rule.says for rule in RULES}) == len(RULES) == len(CASES)


def test_a_supported_answer_names_no_rule():
    found = judge("What does the red pass cost?", "£18", [Passage("one", "The red pass costs £18.", "Passes")])
    assert (found.support, found.shortfall, found.rule) == ("supported", "", "")

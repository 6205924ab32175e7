"""One bounded reading a hop, checked without a model."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bench import Bench, Capable, Small, calls, looks, purposes, queries, scene, unread, verdicts

from hopweave.answering.methods.stitch.stitch import Stitch
from hopweave.answering.reading.checking import Reading, problems_of
from hopweave.answering.reading.completing import completed
from hopweave.answering.reading.hops import MAX_STEPS, Way, may_split, own_steps, spelled_out, steps_of
from hopweave.answering.reading.hops import answered as answered_step
from hopweave.citations.marking import says_unknown
from hopweave.citations.support import judge
from hopweave.core.types import Hit, Passage, Question, Reply, TokenLogprob
from hopweave.record import Decision, Trace
from hopweave.run.components import Components
from hopweave.run.workbench import Workbench
from hopweave.show.own_checks import own_checks
from hopweave.text.comparing import Side, asked_alone, compared, life_date, wanted_of
from hopweave.text.evidence import chosen_sentences

ASKED = "In which town was the designer of Orla Bridge born?"
HOP = "Who is the designer of Orla Bridge?"
REST = "In which town was Mara Lind born?"
BRIDGE = Passage("bridge", "Orla Bridge is a bridge of 1902. It was designed by Mara Lind.", "Orla Bridge")
LIND = Passage("lind", "Mara Lind was an engineer. She was born in Vask.", "Mara Lind")
LIGHT = Passage("light", "Kerrow Light was built in 1887.", "Kerrow Light")
BUILT_FIRST = "Which was built first, Orla Bridge or Kerrow Light?"
OTHER = Passage("other", "Greta Falk was born in Drum. She painted.", "Greta Falk")


def said(**values) -> str:
    return json.dumps(values)


def answered(answer: str, fact: int = 1) -> str:
    return said(fact=fact, answer=answer)


def planned(*unnamed: str, steps=()) -> str:
    return said(unnamed=list(unnamed), steps=list(steps))


def _bridge_and_light(built_bridge: str, built_light: str) -> dict[str, object]:
    """A comparison, as the model fills it in."""
    return {
        "ask": "When was X built?",
        "first": {"name": "Orla Bridge", "value": built_bridge, "fact": 1},
        "second": {"name": "Kerrow Light", "value": built_light, "fact": 3},
    }


SPLIT = planned("the designer of Orla Bridge", steps=[HOP, "In which town was #1 born?"])
AT_ONCE = planned()


ALL_SHOWN = {"max_gap_facts": 100.0, "max_gap_hop": 100.0}


async def ask(replies, found=None, question=ASKED, **options):
    text = question if isinstance(question, str) else question.text
    table = {text: [BRIDGE, LIND, OTHER], HOP: [BRIDGE], REST: [LIND]} if found is None else found
    return await Bench(llm=Small(replies), found=table).ask(question, "stitch", **ALL_SHOWN | options)


def evidence(passage, number):
    return chosen_sentences("", [Hit(passage, 1.0, 1)], 1000)[number - 1]


def reading(answer, fact, asked=ASKED, facts=None, probability=1.0):
    facts = facts or [evidence(BRIDGE, 2), evidence(LIND, 2), evidence(OTHER, 1)]
    return Reading(asked, answer, fact, probability, tuple(facts))


async def test_its_prompts_begin_with_turns_that_it_knows_before_anything_is_asked():
    hops = await ask([SPLIT, answered("Mara Lind", 2), answered("Vask", 2)])
    compared_sides = await ask([said(**_bridge_and_light("1902", "1887"))], {}, BUILT_FIRST)
    planning, reading_facts, again = [call[:-1] for call in calls(hops)]
    comparing = calls(compared_sides)[0][:-1]
    assert again == reading_facts
    workbench = Workbench(Components(Small()), Trace())
    assert Stitch().beginnings(workbench) == [planning, reading_facts, comparing]
    assert Stitch(plan=False, compare=False).beginnings(workbench) == [reading_facts]


async def test_facts_are_numbered_through_all_passages_under_their_titles_and_come_last():
    record = await ask([AT_ONCE, answered("Vask", 4)])
    shown = record.messages[-1].text
    assert "<passage>\nOrla Bridge\n1. Orla Bridge is a bridge of 1902.\n2. It was designed by Mara Lind.\n</passage>" in shown
    assert "4. She was born in Vask." in shown
    assert shown.endswith(f"Question: {ASKED}")


async def test_what_the_question_leads_through_is_asked_for_and_the_rest_is_read_alone():
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Vask", 2)])
    assert purposes(record) == ["plan", "answer", "answer"]
    assert queries(record) == [ASKED, HOP, REST]
    assert record.answer.short == "Vask"
    assert verdicts(record) == [(HOP, "Mara Lind", "supported"), (REST, "Vask", "supported"), *verdicts(record)[2:]]


async def test_every_hop_cites_the_sentence_that_it_was_read_from():
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Vask", 2)])
    quotes = {citation.quote for citation in record.answer.citations}
    assert {"It was designed by Mara Lind.", "She was born in Vask."} <= quotes


async def test_passages_of_the_question_are_read_at_each_hop_behind_those_of_the_hop():
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Vask", 2)])
    shown = record.messages[-1].text
    assert shown.index("Mara Lind\n1.") < shown.index("Orla Bridge\n3.")


async def test_sentences_that_are_much_less_likely_than_the_likeliest_are_not_shown():
    replies = [SPLIT, answered("Mara Lind", 2), answered("Ghent", 2), answered("Vask", 2)]
    few = await ask(replies, max_gap_facts=None, max_gap_hop=None)
    some = await ask(replies, max_gap_facts=2.0, max_gap_hop=100.0)
    of_hop, of_question = ([call[-1].text for call in calls(record)][2:] for record in (few, some))
    assert "She was born in Vask." in of_hop[0]
    assert "Greta Falk" not in of_hop[0]
    assert "Greta Falk" in of_question[0]
    assert "Greta Falk" not in of_question[1]


async def test_where_the_hops_do_not_hold_the_question_is_read_at_once():
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Ghent", 2), answered("Vask", 4)])
    assert purposes(record) == ["plan", "answer", "answer", "answer"]
    assert record.answer.short == "Vask"
    assert [verdict[0] for verdict in verdicts(record)] == [ASKED]


@pytest.mark.parametrize("replies", [[AT_ONCE, answered("Perth", 3)], [SPLIT, answered("Ada Finch", 3), answered("Perth", 1)]])
async def test_an_answer_from_no_passage_such_as_one_of_a_worked_example_is_unknown(replies):
    record = await ask([*replies, answered("Perth", 3)])
    assert record.answer.short == "unknown"
    assert record.answer.text.endswith("The passages do not state the answer.")
    assert says_unknown(record.answer)
    assert [step.text for step in record.steps if isinstance(step, Decision) and step.label == "made up"] == ["Perth"]


async def test_an_answer_in_other_words_than_those_of_a_passage_is_kept():
    asked = "What is the nationality of Greta Falk?"
    from_there = Passage("falk", "Greta Falk was a painter, born in Drum in the Netherlands.", "Greta Falk")
    record = await ask([AT_ONCE, answered("Dutch", 1)], {asked: [from_there]}, asked)
    assert record.answer.short == "Dutch"


@pytest.mark.parametrize(
    "reply", ["", "no", "{", '{"unnamed": "the designer of Orla Bridge"}', '{"unnamed": [7, null], "steps": {}}']
)
async def test_a_plan_that_cannot_be_read_leaves_one_hop(reply):
    record = await ask([reply, answered("Vask", 4)])
    assert (purposes(record), record.answer.short) == (["plan", "answer"], "Vask")
    assert record.error is None


async def test_a_question_that_no_plan_could_split_is_not_planned():
    plain = "In which town was Mara Lind born?"
    record = await ask([answered("Vask", 2)], {plain: [LIND]}, plain)
    assert (purposes(record), record.answer.short) == (["answer"], "Vask")


async def test_the_plan_of_a_small_model_ends_with_the_questions_for_what_is_unnamed():
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Vask", 2)])
    [planning] = [step for step in record.steps if step.kind == "model_call" and step.purpose == "plan"]
    lengths = [
        [(of["minItems"], of["maxItems"]) for of in plan["properties"].values()]
        for plan in planning.sampling.json_schema["anyOf"]
    ]
    assert lengths == [[(num, num), (num, num)] for num in range(MAX_STEPS)]


async def test_a_capable_model_plans_any_question_since_its_own_hops_are_taken():
    plain = "In which town was Mara Lind born?"
    record = await Bench(llm=Capable([planned(), answered("Vask", 2)]), found={plain: [LIND]}).ask(
        plain, "stitch", approach="plan_first"
    )
    assert purposes(record) == ["plan", "answer"]


async def test_code_decides_which_of_two_came_first():
    record = await ask([said(**_bridge_and_light("1902", "1887"))], {BUILT_FIRST: [BRIDGE, LIGHT]}, BUILT_FIRST)
    assert (purposes(record), record.answer.short) == (["compare"], "Kerrow Light")
    assert {("When was Orla Bridge built?", "1902", "supported"), ("When was Kerrow Light built?", "1887", "supported")} <= set(
        verdicts(record)
    )


async def test_a_question_that_offers_two_names_is_not_split():
    asked = "Which is a lighthouse, Orla Bridge or Kerrow Light?"
    record = await ask([answered("Kerrow Light", 3)], {asked: [BRIDGE, LIGHT]}, asked)
    assert (purposes(record), record.answer.short) == (["answer"], "Kerrow Light")


async def test_the_models_own_steps_are_kept_if_they_are_well_formed_and_it_is_not_small():
    own = [HOP, "In which town was #1 born?"]
    replies = [planned("the designer", steps=own), answered("Mara Lind", 2), answered("Vask", 2)]
    found = {ASKED: [BRIDGE], HOP: [BRIDGE], REST: [LIND]}
    record = await Bench(llm=Capable(replies), found=found).ask(ASKED, "stitch", approach="plan_first")
    assert queries(record) == [ASKED, HOP, REST]


@pytest.mark.parametrize(
    "steps",
    [
        ["Who designed it?", "In which town was #1 born?"],
        [HOP, "In which town was she born?"],
        [HOP, "In which town was #2 born?"],
        ["Where was #1 born?", HOP],
        [HOP],
        [HOP, ""],
    ],
)
def test_steps_that_lose_a_name_or_do_not_build_on_each_other_are_not_kept(steps):
    assert own_steps(ASKED, steps) == ()


async def test_values_that_cannot_be_compared_leave_the_question_to_a_reading():
    side = {"name": "x", "through": "", "ask": "", "value": "unknown", "fact": 0}
    question = "Which was built first, Orla Bridge or Kerrow Light?"
    record = await ask([said(first=side, second=side), answered("Orla Bridge")], {question: [BRIDGE]}, question)
    assert purposes(record) == ["compare", "answer"]


async def test_things_of_a_worked_example_are_not_compared_nor_looked_up():
    question = "Which was built first, Orla Bridge or Kerrow Light?"
    sides = [{"name": name, "value": "", "fact": 0} for name in ("Low Water", "The Long Tide")]
    record = await ask([said(first=sides[0], second=sides[1]), answered("Orla Bridge")], {question: [BRIDGE]}, question)
    assert (purposes(record), queries(record)) == (["compare", "answer"], [question])


async def test_comparing_by_code_can_be_turned_off():
    question = "Which was built first, Orla Bridge or Kerrow Light?"
    record = await ask([answered("Orla Bridge")], {question: [BRIDGE]}, question, compare=False)
    assert purposes(record) == ["answer"]


@pytest.mark.parametrize(
    "reply", ["", "Vask", "{", '{"fact": 4, "answer": "Vask', "[4, Vask]", '{"answer": ["Vask"], "fact": "four"}']
)
async def test_a_reply_that_is_no_object_is_counted_and_ends_nothing(reply):
    record = await ask([reply], plan=False)
    assert record.error is None
    assert record.answer.short in ("Vask", "")
    assert unread(record) or record.answer.short == "Vask"


async def test_nothing_found_is_said_to_the_model_and_ends_nothing():
    record = await ask([AT_ONCE, answered("Vask")], {})
    assert "(No fact was found.)" in record.messages[-1].text or record.answer is not None


@pytest.mark.parametrize(
    "question",
    [Question("q", "Is Orla Bridge old?", "label", ("Yes", "No")), Question("q", "Why is Orla Bridge old?", "long")],
)
async def test_labels_and_explanations_are_read_at_once(question):
    record = await ask(["Yes. It is of 1902."], {question.text: [BRIDGE]}, question)
    assert purposes(record) == ["answer"]
    assert record.answer.short


async def test_a_limit_of_calls_ends_in_the_best_reading_so_far():
    record = await ask([AT_ONCE, answered("Drum", 5)], budget={"max_llm_calls": 1})
    assert (record.answer.short, record.answer.stopped_because) == ("", "max_llm_calls")
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Drum", 2)], budget={"max_llm_calls": 3})
    assert (record.answer.short, record.answer.stopped_because) == ("Drum", "max_llm_calls")


READINGS = {
    "nothing": (reading("Vask", evidence(LIND, 2)), Way(), []),
    "no answer": (reading("", None), Way(), ["none"]),
    "ignorance": (reading("I do not know", None), Way(), ["none"]),
    "words of the question": (reading("Orla Bridge", evidence(BRIDGE, 1)), Way(), ["repeats"]),
    "words that its fact does not hold": (reading("Ghent", evidence(LIND, 2)), Way(), ["elsewhere"]),
    "a passage about something else": (reading("Drum", evidence(OTHER, 1)), Way(), ["open"]),
    "low probability": (reading("Vask", evidence(LIND, 2), probability=0.2), Way(), ["unsure"]),
    "a yes to a question for something else": (reading("yes", evidence(LIND, 2)), Way(), ["form"]),
    "a name led through": (reading("Mara Lind", evidence(LIND, 1)), Way(through=("Mara Lind",)), ["repeats"]),
    "nothing, where no name is led through": (reading("Mara Lind", evidence(LIND, 1)), Way(), []),
    "two things": (reading("Drum", evidence(OTHER, 1), probability=0.2), Way(), ["open", "unsure"]),
    "nothing, as it is settled": (reading("Drum", evidence(OTHER, 1), probability=0.2), Way(besides=("drum",)), []),
    "words that are settled and nowhere": (
        reading("Ghent", evidence(LIND, 2), probability=0.2), Way(besides=("Ghent",)), ["elsewhere"]
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("C-b (Ctrl-b)", "tmux is controlled by a prefix key, ‘C-b’ (Ctrl-b) by default."),
        ("/etc/fstab", "The file “/etc/fstab” lists file systems."),
        ("--depth", "--depth=NUMBER Set how deep folders are searched."),
    ],
)
def test_marks_around_the_words_of_an_answer_do_not_keep_them_from_being_its_facts(answer, text):
    read = reading(answer, evidence(Passage("manual", text, "Manual"), 1), asked="What does the manual name?")
    assert problems_of(read, 0.5) == []


@pytest.mark.parametrize(("read", "way", "problems"), READINGS.values(), ids=READINGS)
def test_what_speaks_against_a_reading(read, way, problems):
    assert problems_of(read, 0.5, way) == problems


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which film came out first, A Day or Low Water?", "least"),
        ("Who was born later, Mara Lind or Greta Falk?", "most"),
        ("Who is older, Mara Lind or Greta Falk?", "least"),
        ("Which is longer, the Teel or the Vask?", "most"),
        ("Are Mara Lind and Greta Falk of the same nationality?", "same"),
        ("Do both films have directors from the same country?", "same"),
        ("Who was the first mayor of Orlau?", None),
        ("Is Orlau older than its bridge?", None),
        ("When was the older of the two bridges built?", "least"),
        ("What do I get for each mile if I have driven more than 10,000?", None),
        ("How often must the firm out of Orlau pay before it closes?", None),
        ("Was Kerrow Light built earlier, and by how much, than Orla Bridge?", None),
        ("Who was born later than Mara Lind, but earlier than Greta Falk?", "most"),
    ],
)
def test_what_a_question_wants_of_two_values(question, wanted):
    assert wanted_of(question) == wanted


@pytest.mark.parametrize(
    ("question", "left", "right", "answer"),
    [
        ("Which came first, L or R?", "12 May 1958", "1971", "L"),
        ("Which came last, L or R?", "12 May 1958", "1971", "R"),
        ("Which came first, L or R?", "May 12, 1958", "3 June 1958", "L"),
        ("Which came last, L or R?", "1958-05-12", "11 May 1958", "L"),
        ("Which came first, L or R?", "1958", "12 May 1958", ""),
        ("Which is longer, L or R?", "1,450 m", "two thousand metres", "R"),
        ("Which is shorter, L or R?", "3.5 km", "30 km", "L"),
        ("Are L and R of the same nationality?", "Dutch", "Dutch film director", "yes"),
        ("Are L and R of the same nationality?", "Dutch", "Welsh", "no"),
        ("Are L and R of the same nationality?", "English", "British", "yes"),
        ("Are L and R of the same nationality?", "English", "Welsh", "no"),
        ("Which came first, L or R?", "", "1958", ""),
        ("Which is longer, L or R?", "old", "new", ""),
        ("Who died first, L or R?", "(1 May 1900 - 2 June 1990)", "(3 July 1910 - 4 August 1950)", "R"),
        ("Who was born first, L or R?", "(1 May 1900 - 2 June 1990)", "(3 July 1910 - 4 August 1950)", "L"),
        ("Who lived to an older age, L or R?", "15 April 1899 - 22 February 1981", "1 May 1900 - 2 May 1950", "L"),
        ("Who lived shorter, L or R?", "15 April 1899 - 22 February 1981", "1 May 1900 - 2 May 1950", "R"),
    ],
)
def test_code_compares_values(question, left, right, answer):
    assert compared(question, wanted_of(question), Side("L", "", "", left, 1), Side("R", "", "", right, 2)) == answer


@pytest.mark.parametrize(
    ("question", "fact", "date"),
    [
        ("Who died first?", "Curt Brand (15 April 1899 - 22 February 1981) directed.", "22 February 1981"),
        ("Who is older?", "Curt Brand (15 April 1899 - 22 February 1981) directed.", "15 April 1899"),
        ("Who is older?", "Curt Brand( born Kurt; April 15, 1899 \u2013 1981) directed.", "April 15, 1899"),
        ("Who is younger?", "Curt Brand (born 1899) directed.", "1899"),
        ("Who died first?", "Curt Brand (born 1899) directed.", ""),
        ("Who is older?", "Low Water (1958) is by Curt Brand.", ""),
        (
            "Who lived to an older age?",
            "Curt Brand (15 April 1899 - 22 February 1981) directed.",
            "15 April 1899 - 22 February 1981",
        ),
        ("Who lived to an older age?", "Curt Brand (born 15 April 1899) directed.", ""),
        ("Which came out first?", "Curt Brand (15 April 1899 - 22 February 1981) directed.", ""),
    ],
)
def test_code_reads_a_date_of_birth_or_death_from_its_bracket(question, fact, date):
    assert life_date(question, fact) == date


@pytest.mark.parametrize(("question", "ask", "asked"), [
    ("Which film has the director who died earlier, A or B?", "When was X born?", "When did Piet Arens die?"),
    ("Which film whose director is younger came first, A or B?", "When did X die?", "When was Piet Arens born?"),
    ("Which film has the director who lived longer, A or B?", "How long did X live?", "How long did Piet Arens live?"),
    ("Which film has the director from Ulm, A or B?", "Where is X from, X?", "Where is Piet Arens from, Piet Arens?"),
    ("Which film has the director from Ulm, A or B?", "Where was the man born?", "Piet Arens: Where was the man born?"),
    ("Which film has the director from Ulm, A or B?", "Which film has the director from Ulm?", ""),
    ("Which film has the director from Ulm, A or B?", "Are X and Y from Ulm?", ""),
])  # fmt: skip
def test_the_question_for_a_value_names_what_has_it_and_code_asks_for_births_and_deaths(question, ask, asked):
    assert asked_alone(question, ask, "Piet Arens") == asked
    assert asked_alone(question, ask, "") == ""


@pytest.mark.parametrize(
    ("question", "answer", "fact", "whole"),
    [
        ("When was she born?", "10 May", "She (born 10 May 1943) paints.", "10 May 1943"),
        ("When was she born?", "May 10", "Born May 10, 1943, she paints.", "May 10, 1943"),
        ("When was she born?", "1943", "She (born 10 May 1943) paints.", "10 May 1943"),
        ("In what year was she born?", "1943", "She (born 10 May 1943) paints.", "1943"),
        ("Where was she born?", "Vask", "She was born in Vask, North Teel, and paints.", "Vask, North Teel"),
        ("Where was she born?", "Vask", "Vask, where she was born, is small.", "Vask"),
        ("Who is she?", "Mara", "Mara, Lind and others paint.", "Mara"),
        ("Where is it?", "Ghent", "It lies elsewhere.", "Ghent"),
        ("Where is it?", "", "It lies elsewhere.", ""),
    ],
)
def test_answers_are_completed_from_their_fact_and_nothing_else(question, answer, fact, whole):
    assert completed(question, answer, fact) == whole


@pytest.mark.parametrize(
    ("question", "unnamed", "steps"),
    [
        ("What team was Ada Finch's husband on?", ["the husband of Ada Finch"],
         ("What is Ada Finch's husband?", "What team was #1 on?")),
        ("Who is the father of Ada Finch's father?", ["the father of Ada Finch's father"],
         ("What is Ada Finch's father?", "Who is the father of #1?")),
        ("Who is the son of the actress who played the god mother in Tides?", ["the actress who played the godmother in Tides"],
         ("What is the actress who played the god mother in Tides?", "Who is the son of #1?")),
        ("Where does the sister of the author of Tides work?", ["the author of Tides", "the sister of the author"],
         ("What is the author of Tides?", "What is the sister of #1?", "Where does #2 work?")),
        ("The county that holds Kerrow is on which island?", ["the county that holds Kerrow"],
         ("What is the county that holds Kerrow?", "#1 is on which island?")),
        # What it asks for itself, what it names, what is not definite, what goes on, and what would leave nothing to ask.
        ("Which Dutch painter taught Mara Lind?", ["the Dutch painter"], ()),
        ("Who is Ada Finch's mother?", ["Ada Finch's mother"], ()),
        ("Which band had a drummer from Kerrow?", ["the drummer from Kerrow"], ()),
        ("Who met the keeper of Kerrow who drowned?", ["the keeper of Kerrow"], ()),
        ("Who built Kerrow Light?", ["Kerrow Light", ""], ()),
        ("", ["the county where Kerrow lies"], ()),
    ],
)  # fmt: skip
def test_a_question_is_split_where_the_unnamed_stands_in_it(question, unnamed, steps):
    assert steps_of(question, unnamed, []) == steps


def test_a_question_of_many_words_is_split_as_well():
    long = "Who knows " + "Ada " * 1_000 + "and the county where Kerrow lies?"
    assert steps_of(long, ["the county where Kerrow lies"], [])[0] == "What is the county where Kerrow lies?"
    assert steps_of("Ada " * 1_000, ["Ada of Ada"], []) == ()


def test_a_number_sign_of_the_question_stands_for_no_answer():
    asked = spelled_out("Which label released the #1 hit of the singer who was born in Kerrow?")
    steps = steps_of(asked, ["the singer who was born in Kerrow"], ["Which singer was born in Kerrow?"])
    assert answered_step(steps[-1], ["Ada Finch"]) == "Which label released the number 1 hit of Ada Finch?"


def test_relatives_of_two_steps_are_spelled_out():
    assert spelled_out("Who is Ada's mother-in-law?") == "Who is Ada's spouse's mother?"
    assert spelled_out("Who is the paternal grandmother of Ada?") == "Who is the mother of the father of Ada?"
    assert spelled_out("Who is the mother of Ada?") == "Who is the mother of Ada?"


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=4), st.lists(st.text(max_size=40), max_size=4))
def test_any_text_is_split_into_questions_that_build_on_earlier_ones_or_not_at_all(question, unnamed, asked):
    steps = steps_of(question, unnamed, asked)
    assert len(steps) != 1
    assert len(steps) <= MAX_STEPS
    assert answered_step("#1 and #3", ["a"]) == "a and #3"


WORDS = ["the", "The", "a", "county", "author", "where", "who", "Kerrow", "Ada", "Finch's", "of", "wrote", "lies", "seat"]
WORDS += ["What", "is", "did", "1902", "(Sula)", '"Tides"', ",", "father", "in", "#"]


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=3))
def test_what_any_plan_splits_may_be_split(question, unnamed):
    asked = spelled_out(" ".join(question))
    if steps_of(asked, [" ".join(phrase) for phrase in unnamed], []):
        assert may_split(asked)


@pytest.mark.parametrize(
    ("question", "may"),
    [
        ("Who built Kerrow Light?", False),
        ("What is the default port of Kerrow?", False),
        ("What is the seat of the county where Kerrow lies?", True),
        ("When did Ada Finch's father die?", True),
        ("Who knows " + "Ada " * 1_000 + "?", True),  # too long to be looked through
        ("", False),
    ],
)
def test_whether_a_question_may_be_split(question, may):
    assert may_split(question) == may


async def test_a_value_that_no_fact_about_its_side_states_is_asked_for_alone():
    question = "Which film has the director who died earlier, A Day or Low Water?"
    rest = "When did Piet Arens die?"
    day = Passage("day", "A Day is a film of 1951 by Mara Lind. Mara Lind died in 1990.", "A Day")
    water = Passage("water", "Low Water is a film of 1958 by Piet Arens.", "Low Water")
    arens = Passage("arens", "Piet Arens died in Ghent in 1970.", "Piet Arens")
    first = {"name": "A Day", "through": "Mara Lind", "value": "1990", "fact": 2}
    second = {"name": "Low Water", "through": "Piet Arens", "value": "1999", "fact": 3}
    replies = [said(ask="When was X born?", first=first, second=second), answered("1970")]  # small models confuse the two
    record = await ask(replies, {question: [day, water], rest: [arens]}, question)
    assert (purposes(record), record.answer.short) == (["compare", "answer"], "Low Water")
    assert (rest, "1970", "supported") in verdicts(record)


async def test_a_comparison_by_code_is_supported_by_both_of_its_sides_and_cites_them():
    sides = _bridge_and_light("1902", "1887")
    record = await ask([said(**sides)], {BUILT_FIRST: [BRIDGE, LIGHT]}, BUILT_FIRST)
    assert verdicts(record)[-1] == (BUILT_FIRST, "Kerrow Light", "supported")
    assert record.answer.verdict.support == "supported"
    assert {citation.passage_id for citation in record.answer.claims[-1].citations} == {"bridge", "light"}


async def test_who_a_side_is_reached_through_counts_only_where_the_question_leads_through_somebody():
    sides = _bridge_and_light("1902", "")
    sides["second"] |= {"through": "Ada Finch"}
    asked_of_light = "When was Kerrow Light built?"
    found = {BUILT_FIRST: [BRIDGE, LIGHT], asked_of_light: [LIGHT]}
    record = await ask([said(**sides), answered("1887", 1)], found, BUILT_FIRST)
    assert queries(record) == [BUILT_FIRST, asked_of_light]
    assert record.answer.short == "Kerrow Light"


@pytest.mark.parametrize(("question", "shown"), [
    (BUILT_FIRST, False),
    ("Which is longer, Orla Bridge or Kerrow Light?", False),
    ("Which has the older builder, Orla Bridge or Kerrow Light?", True),
    ("Which building's designer is older, that of Orla Bridge or Kerrow Light?", True),
    ("Which people's favourite is older, Orla Bridge or Kerrow Light?", False),
    ("Do Orla Bridge and Kerrow Light have the same number of lamps as I have?", False),
    ("Do the designers of Orla Bridge and of Kerrow Light share a nationality?", True),
])  # fmt: skip
async def test_a_model_is_asked_for_somebody_connected_only_where_the_question_leads_through_somebody(question, shown):
    record = await ask([said(**_bridge_and_light("1902", "1887"))], {question: [BRIDGE, LIGHT]}, question)
    [first, *_] = [step for step in record.steps if step.kind == "model_call"]
    assert ("through" in json.dumps(first.sampling.json_schema)) == shown


async def test_values_of_which_the_model_did_not_say_what_they_answer_are_doubted():
    sides = _bridge_and_light("1902", "1887") | {"ask": "Which was first?"}
    record = await ask([said(**sides)], {BUILT_FIRST: [BRIDGE, LIGHT]}, BUILT_FIRST)
    assert (record.answer.short, record.answer.verdict.support) == ("Kerrow Light", "unsupported")


async def test_a_value_is_not_asked_for_alone_where_the_model_gave_no_question_for_it():
    sides = _bridge_and_light("1902", "") | {"ask": BUILT_FIRST}
    record = await ask([said(**sides), answered("Kerrow Light", 3)], {BUILT_FIRST: [BRIDGE, LIGHT]}, BUILT_FIRST)
    assert (purposes(record), queries(record)) == (["compare", "answer"], [BUILT_FIRST])


async def test_two_of_three_alternatives_are_not_decided_between_by_code():
    question = "Which was built first, Orla Bridge, Kerrow Light or Vask Mill?"
    record = await ask(
        [said(**_bridge_and_light("1902", "1887")), answered("Vask Mill")], {question: [BRIDGE, LIGHT]}, question
    )
    assert purposes(record) == ["compare", "answer"]


def test_a_yes_to_a_question_that_asks_for_something_else_is_no_answer():
    assert "form" not in problems_of(reading("yes", evidence(LIND, 2), asked="Was Mara Lind born in Vask?"), 0)
    assert "form" in problems_of(reading("Mara Lind", evidence(LIND, 2), asked="In what year was Orla Bridge built?"), 0)
    assert "form" not in problems_of(reading("in 1902", evidence(LIND, 2), asked="Which year was Orla Bridge built?"), 0)
    assert "form" in problems_of(reading("1902", evidence(LIND, 2), asked="Where was Mara Lind born?"), 0)
    assert "form" in problems_of(reading("£5", evidence(LIND, 2), asked="How long did Mara Lind live?"), 0)


def test_a_reading_from_a_document_about_another_model_than_the_question_names_is_doubtful():
    seal = Passage("a", "The seal lasts 400 hours.", "Manual of the H6")
    for asked, is_doubtful in (
        ("How long does the seal of the H4 last?", True),
        ("Of H4 and H6, which seal lasts longer?", False),
    ):
        assert ("another" in problems_of(reading("400 hours", evidence(seal, 0), asked=asked), 0)) is is_doubtful


def test_a_fact_that_names_the_model_asked_for_is_left_to_the_support_rule_below_the_title_of_another():
    row = Passage("a", "Tyre pressure; BHT 50: 8.5 bar; BHT 75: 9.2 bar.", "Ascom BHT 50 Operator Manual")
    asked = "What is the tyre pressure of the BHT 75?"
    assert problems_of(reading("9.2 bar", evidence(row, 0), asked=asked), 0) == []
    assert [judge(asked, one, [row]).support for one in ("9.2 bar", "8.5 bar")] == ["supported", "unsupported"]


def improbable(answer: str) -> Reply:
    """A reply whose words the model found improbable."""
    text = answered(answer, 2)
    start = text.index(answer)
    tokens = (text[:start], answer, text[start + len(answer) :])
    return Reply(text, logprobs=tuple(TokenLogprob(token, -1.0 if token == answer else 0.0) for token in tokens))


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("a question of one hop is read at once",
        lambda: ask([AT_ONCE, answered("Vask", 4)]), purposes=["plan", "answer"], queries=[ASKED], short="Vask",
        last_verdict=(ASKED, "Vask", "supported")),
    scene("a hop without an answer ends the hops",
        lambda: ask([SPLIT, answered("", 1), answered("Vask", 4)]), purposes=["plan", "answer", "answer"], short="Vask"),
    scene("the hops count where the reading at once is worse",
        lambda: ask([SPLIT, answered("Mara Lind", 2), answered("Drum", 1), answered("Nowhere", 1)],
            {ASKED: [BRIDGE, OTHER], HOP: [BRIDGE], REST: [OTHER]}),
        short="Drum"),
    scene("without a plan every question is read at once",
        lambda: ask([answered("Drum", 5)], plan=False), purposes=["answer"], short="Drum"),
    scene("an answer that breaks off inside its place is completed from its fact",
        lambda: ask([AT_ONCE, answered("Vask")],
            {ASKED: [Passage("home", "Mara Lind was born in Vask, North Teel, in 1870.", "Mara Lind")]}),
        short="Vask, North Teel"),
    scene("an answer that the check speaks against is shown with its passage as unsupported",
        lambda: ask([SPLIT, answered("Mara Lind", 2), answered("Ghent", 2), answered("Vask", 4)]),
        verdicts=[(ASKED, "Vask", "unsupported")], cited=["lind"]),
    scene("a comparison with a value that no fact states is not supported",
        lambda: ask([said(**_bridge_and_light("1902", "1850")), answered("1850", 1)], {BUILT_FIRST: [BRIDGE, LIGHT]},
            BUILT_FIRST),
        short="Kerrow Light", support="unsupported"),
    scene("an answer that the model finds improbable costs no second reading but is not supported",
        lambda: ask([SPLIT, answered("Mara Lind", 2), improbable("Vask")]), purposes=["plan", "answer", "answer"],
        last_verdict=(REST, "Vask", "unsupported"), support="unsupported"),
    scene("no bound on probability leaves an improbable answer supported",
        lambda: ask([AT_ONCE, improbable("Mara Lind")], least_probability=0.0), support="supported"),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_the_check_of_a_hop_that_spoke_against_an_answer_is_told_with_its_question():
    record = await ask([SPLIT, answered("Mara Lind", 2), answered("Ghent", 2), answered("Vask", 4)])
    found = own_checks(record.steps)[record.answer.verdict.carried_by]
    assert f'what was read for "{REST}" is not in the words of the fact that was named' in found


MANUAL = "Which port does Orla Bridge use?"
IN_MANUAL = [
    Passage("m1", "Orla Bridge uses a port. If none is given, it is 9418.", "Lamp manual", "m.html", 0, 54),
    Passage("m2", "Kerrow Light uses port 70.", "Lamp manual", "m.html", 54, 80),
]


async def asked_of_a_manual(*replies, found=IN_MANUAL, **options):
    return await ask(list(replies), {MANUAL: found}, MANUAL, **options)


@pytest.mark.parametrize("doubted", [answered("8080", 1), answered("", 0)], ids=["in no fact", "no answer"])
async def test_what_is_in_doubt_is_read_from_whole_passages_of_the_documents(doubted):
    record = await asked_of_a_manual(doubted, "9418")
    assert purposes(record) == ["answer", "whole"]
    assert all(passage.text in calls(record)[1][-1].text for passage in IN_MANUAL)
    assert verdicts(record) == [(MANUAL, "9418", "supported")]


async def test_what_holds_is_not_read_again():
    record = await asked_of_a_manual(answered("9418", 2))
    assert purposes(record) == ["answer"]


@pytest.mark.parametrize(
    ("found", "options"),
    [([Passage("m1", IN_MANUAL[0].text, "Lamp manual")], {}), (IN_MANUAL, {"num_whole_passages": 0})],
    ids=["passages of their own", "switched off"],
)
async def test_only_passages_of_documents_are_read_whole(found, options):
    record = await asked_of_a_manual(answered("8080", 1), found=found, **options)
    assert purposes(record) == ["answer"]


@pytest.mark.parametrize("reply", ["8081", "I do not know.", ""])
async def test_what_whole_passages_do_not_have_is_not_kept(reply):
    record = await asked_of_a_manual(answered("8080", 1), reply)
    assert purposes(record) == ["answer", "whole"]
    assert record.answer.short == "unknown"


IN_DOCUMENTS = [replace(passage, source="b.html", start=0, end=60) for passage in (BRIDGE, LIND, OTHER)]
LONG = "Orla Bridge is a bridge of 1902. It was designed by Mara Lind."


async def planned_over(*replies, passages=IN_DOCUMENTS):
    bridge, lind, other = passages
    return await ask([SPLIT, *replies], {ASKED: [bridge, lind, other], HOP: [bridge], REST: [lind]})


@pytest.mark.parametrize("first", [improbable("Mara Lind"), answered("Ghent", 2), answered(LONG, 1), answered("", 0)])
async def test_a_plan_over_documents_is_dropped_where_its_first_answer_is_in_doubt_or_a_sentence(first):
    record = await planned_over(first, answered("Vask", 4))
    assert purposes(record) == ["plan", "answer", "answer"]
    assert queries(record) == [ASKED, HOP]
    assert verdicts(record) == [(ASKED, "Vask", "supported")]
    assert [step.label for step in record.own_steps if isinstance(step, Decision)].count("plan dropped") == 1


async def test_a_plan_over_documents_goes_on_from_a_name_that_was_surely_read():
    record = await planned_over(answered("Mara Lind", 2), answered("Vask", 2))
    assert queries(record) == [ASKED, HOP, REST]
    assert record.answer.short == "Vask"


async def test_over_whole_articles_a_plan_goes_on_from_an_improbable_answer():
    record = await planned_over(improbable("Mara Lind"), answered("Vask", 2), passages=[BRIDGE, LIND, OTHER])
    assert queries(record) == [ASKED, HOP, REST]


async def test_whole_passages_are_read_after_a_plan_was_dropped_as_if_there_had_been_none():
    record = await planned_over(answered("Ghent", 2), answered("Ghent", 2), "Vask")
    assert purposes(record) == ["plan", "answer", "answer", "whole"]
    assert verdicts(record) == [(ASKED, "Vask", "supported")]

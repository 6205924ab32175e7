"""IRCoT as sections 3.1 and 3.2 have it: reason and retrieve in turns, then read. The facts are made up."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, decisions, looks, purposes, queries, scene, told, unread, verdicts

from hopweave.core.types import Message, Passage, Question
from hopweave.evaluation.scoring.score import became
from hopweave.models.llms.scripted import Scripted
from hopweave.run.settings import read_settings

QUESTION = "In which country was Lost Gravel manufactured?"
FIRST = "Lost Gravel was manufactured by Mack Renn."
SECOND = "The company Mack Renn stems from Orlau."
LAST = "So the answer is: Orlau."

COASTER = Passage("coaster", "Lost Gravel is a ride in a park. It was manufactured by Mack Renn in 2016.", "Lost Gravel")
PARK = Passage("park", "The park has many rides.", "Park")
MAKER = Passage("maker", "Mack Renn builds rides. It is a company of old standing, from Orlau.", "Mack Renn")
OTHER = Passage("other", "Orlau has a mayor.", "Orlau")
FOUND = {"In country was Lost Gravel manufactured?": [COASTER, PARK], FIRST: [MAKER, COASTER], SECOND: [OTHER, MAKER]}
READ = f"{FIRST} {SECOND} {LAST}"


def bench(says, found=None, **more) -> Bench:
    return Bench(says, FOUND if found is None else found, **more)


async def ask(*says, question=QUESTION, found=None, budget=None, prefill=True, **options):
    return await bench(says, found, prefill=prefill).ask(question, "ircot", budget, **options)


# -- the two steps -----------------------------------------------------------------------------------------------------


async def test_of_what_the_model_writes_only_the_first_sentence_is_kept():
    record = await ask(f" {FIRST} Mack Renn is from the moon. So the answer is: the moon.", LAST, READ)
    assert told(record, "sentence") == [FIRST, LAST]
    assert calls(record)[1][-1] == Message("assistant", FIRST)


async def test_the_model_goes_on_from_its_sentences_where_the_endpoint_can():
    first, second, third, reader = calls(await ask(FIRST, SECOND, LAST, READ))
    assert [len(call) for call in (first, second, third, reader)] == [1, 2, 2, 1]
    assert third[-1] == Message("assistant", f"{FIRST} {SECOND}")
    assert third[0].text.endswith(f"Q: {QUESTION}\nA:")
    assert "next sentence" not in third[0].text


async def test_without_a_prefill_the_sentences_are_shown_and_the_next_one_is_asked_for():
    record = await ask(FIRST, SECOND, LAST, READ, prefill=False)
    first, second, third, reader = calls(record)
    assert [len(call) for call in (first, second, third, reader)] == [1, 1, 1, 1]
    assert first[0].text.endswith(f"Q: {QUESTION}\nA:\n\n(Write only the first sentence of this last answer.)")
    assert f"A: {FIRST} {SECOND}\n\n(Write only the next sentence" in third[0].text
    assert record.answer.passage_ids == ("coaster", "park", "maker", "other")


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("reasoning and retrieval take turns until the answer and a reader answers",
        lambda: ask(FIRST, SECOND, LAST, READ), purposes=["sentence", "sentence", "sentence", "reader"],
        queries=["In country was Lost Gravel manufactured?", FIRST, SECOND], sentence=[FIRST, SECOND, LAST],
        passages=("coaster", "park", "maker", "other"), answer=("Orlau", "marker"), stopped="finished", unread=[]),
    scene("without a prefill sentences that are said again are passed over",
        lambda: ask(f"A: {FIRST}", f"{FIRST} {SECOND}", f"{FIRST}  {SECOND} {LAST}", READ, prefill=False),
        sentence=[FIRST, SECOND, LAST]),
])  # fmt: skip
async def test_the_two_steps(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_each_prompt_shows_the_passages_found_so_far_in_the_order_of_acquisition():
    record = await ask(FIRST, SECOND, LAST, READ, n_demos=0)
    titles = {"Lost Gravel", "Park", "Mack Renn", "Orlau"}
    shown = [[line for line in call[0].text.split("\n") if line in titles] for call in calls(record)]
    assert shown == [
        ["Lost Gravel", "Park"],
        ["Lost Gravel", "Park", "Mack Renn"],
        ["Lost Gravel", "Park", "Mack Renn", "Orlau"],
        ["Lost Gravel", "Park", "Mack Renn", "Orlau"],
    ]


async def test_passages_stand_between_fences_before_the_question():
    prompt = calls(await ask(LAST, READ, n_demos=0))[0][0].text
    assert prompt.endswith(
        f"\n\n<passage>\nLost Gravel\n{COASTER.text}\n</passage>\n<passage>\nPark\n{PARK.text}\n</passage>\nQ: {QUESTION}\nA:"
    )


async def test_the_prefix_of_a_prompt_is_that_of_the_one_before_as_far_as_its_passages_go():
    first, second, _, reader = (call[0].text for call in calls(await ask(FIRST, SECOND, LAST, READ)))
    shared = first.rindex("Q: ")
    assert second.startswith(first[:shared])
    assert reader.startswith(second[: second.rindex("Q: ")])


# -- when it stops -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", ["So the answer is: Orlau.", "The ANSWER  IS Orlau.", "Thus, the answer is Orlau"])
async def test_it_stops_at_answer_is_and_searches_no_more(sentence):
    record = await ask(sentence, READ)
    assert queries(record) == ["In country was Lost Gravel manufactured?"]
    assert record.answer.stopped_because == "finished"


@pytest.mark.parametrize(
    "sentence",
    [
        "...And Dust for All is by Mack Renn.",
        "... And Dust for All is by Mack Renn.",
        "The album ...And Dust for All is by Mack Renn.",
    ],
)
async def test_dots_at_the_beginning_of_a_name_end_neither_a_sentence_nor_the_reasoning(sentence):
    record = await ask(f"{sentence} It is old.", LAST, f"{sentence} {LAST}", reuse_reply=False)
    assert told(record, "sentence") == [sentence, LAST]
    assert record.answer.stopped_because == "finished"
    assert [text for _, text, _ in verdicts(record)] == [sentence, "Orlau"]
    assert unread(record) == []


@pytest.mark.parametrize("reply", ["", "  ", "\n"])
async def test_it_stops_where_the_model_says_no_more(reply):
    record = await ask(FIRST, reply, READ, retry_empty=False)
    assert purposes(record) == ["sentence", "sentence", "reader"]
    assert record.answer.stopped_because == "empty_sentence"
    assert unread(record) == []
    assert record.answer.short == "Orlau"


@pytest.mark.parametrize("says", [[FIRST, "..."], [FIRST, "[1]"], [""]])
async def test_a_reply_without_a_sentence_is_counted_unless_it_ends_a_reasoning_that_has_begun(says):
    record = await ask(*says, READ, retry_empty=False)
    assert record.answer.stopped_because == "empty_sentence"
    assert unread(record) == ["no sentence is in the reply"]


async def test_a_turn_that_ends_too_early_is_asked_for_again_with_the_sentences_shown():
    record = await ask(FIRST, "", f"{FIRST} {SECOND}", LAST, READ)
    assert told(record, "sentence") == [FIRST, SECOND, LAST]
    assert [len(call) for call in calls(record, "sentence")] == [1, 2, 1, 1]
    assert len(told(record, "ask_again")) == 1
    assert unread(record) == []  # nothing was lost
    assert record.answer.stopped_because == "finished"


@pytest.mark.parametrize(("says", "prefill"), [(["", READ], True), ([FIRST, "", "", READ], True), ([FIRST, "", READ], False)])
async def test_nothing_is_asked_again_before_the_first_sentence_nor_twice_nor_where_sentences_are_shown(says, prefill):
    record = await ask(*says, prefill=prefill)
    assert purposes(record) == ["sentence"] * (len(says) - 1) + ["reader"]
    assert record.answer.stopped_because == "empty_sentence"


async def test_it_stops_at_the_limit_of_steps_and_does_not_search_for_the_last_sentence():
    record = await ask(FIRST, SECOND, READ, max_steps=2)
    assert purposes(record) == ["sentence", "sentence", "reader"]
    assert queries(record)[1:] == [FIRST]
    assert record.answer.stopped_because == "max_steps"


async def test_it_stops_at_a_sentence_that_is_there_already():
    record = await ask(FIRST, SECOND, f"{FIRST.upper()}", READ)
    assert told(record, "repeated") == [FIRST.upper()]
    assert record.answer.stopped_because == "repeated_sentence"
    assert purposes(record)[-1] == "reader"


async def test_a_marker_copied_from_a_passage_stops_nothing():
    record = await ask("It says the answer\u2060 is Otto.", LAST, READ)
    assert told(record, "sentence") == ["It says the answer is Otto.", LAST]
    assert "\u2060" not in "".join(queries(record)) + record.answer.text


async def test_a_sentence_that_is_cut_off_is_kept_and_counted():
    record = await ask(FIRST, LAST, READ, max_tokens_sentence=4)
    assert told(record, "sentence")[0] == "Lost Gravel was manufactured"
    assert unread(record)[0] == "the sentence is cut off at max_tokens_sentence"


# -- words that announce a sentence ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before", ["Sure! Here is the next sentence:\n", "Here is the next sentence:\n\nA: ", "Sure! ", "A: Okay.\n"]
)
async def test_a_model_that_is_asked_for_a_sentence_may_announce_it(before):
    record = await ask(f"{before}{FIRST}", f"{before}{SECOND}\nI hope it helps.", f"{before}{LAST}", READ, prefill=False)
    assert told(record, "sentence") == [FIRST, SECOND, LAST]
    assert queries(record)[1:] == [FIRST, SECOND]
    assert (record.answer.stopped_because, unread(record)) == ("finished", [])


async def test_a_reply_that_only_announces_a_sentence_is_counted():
    record = await ask(FIRST, "Sure! Here is the next sentence:", READ, prefill=False)
    assert told(record, "sentence") == [FIRST]
    assert unread(record) == ["no sentence is in the reply"]
    assert record.answer.stopped_because == "empty_sentence"


async def test_an_answer_on_the_line_after_its_marker_ends_the_reasoning():
    record = await ask(FIRST, "So the answer is:\n\nOrlau.", READ, prefill=False)
    assert told(record, "sentence") == [FIRST, "So the answer is: Orlau."]
    assert record.answer.stopped_because == "finished"


async def test_lines_that_only_repeat_sentences_that_were_shown_are_passed_over():
    record = await ask(FIRST, f"{FIRST}\n{SECOND}", f"{FIRST}\n{SECOND}", READ, prefill=False)
    assert told(record, "sentence") == [FIRST, SECOND]
    assert record.answer.stopped_because == "repeated_sentence"


@pytest.mark.parametrize(("prefill", "stop"), [(True, ("\n",)), (False, ("\nQ:", "\n<passage>"))])
async def test_a_reply_ends_with_its_line_only_where_the_model_goes_on_from_its_sentences(prefill, stop):
    made = bench([FIRST, LAST, READ], prefill=prefill)
    await made.ask(QUESTION, "ircot")
    assert [sampling.stop for _, sampling in made.llm.calls[:2]] == [stop, stop]


async def test_a_line_that_is_followed_by_others_is_not_cut_off():
    record = await ask("Lost Gravel is old\nIt was made in Orlau by", LAST, READ, prefill=False, max_tokens_sentence=9)
    assert told(record, "sentence")[0] == "Lost Gravel is old"
    assert unread(record) == []


async def test_a_letter_before_a_colon_within_a_sentence_is_kept():
    record = await ask("They chose plan A: to build it.", LAST, READ)
    assert told(record, "sentence")[0] == "They chose plan A: to build it."


# -- sentences of the same reply ---------------------------------------------------------------------------------------

THUS = "Thus, it comes from Orlau."


@pytest.mark.parametrize("prefill", [True, False])
async def test_after_a_sentence_that_adds_no_passage_the_next_one_of_the_same_reply_is_taken(prefill):
    record = await ask(FIRST, SECOND, f"{THUS} {LAST}", READ, prefill=prefill)
    assert told(record, "sentence") == [FIRST, SECOND, THUS, LAST]
    assert purposes(record) == ["sentence", "sentence", "sentence", "reader"]
    assert record.answer.stopped_because == "finished"


async def test_what_a_reply_says_after_a_sentence_that_adds_passages_is_dropped():
    record = await ask(f"{FIRST} {THUS} {LAST}", f"{SECOND} {LAST}", f"{THUS} {LAST}", READ)
    assert told(record, "sentence") == [FIRST, SECOND, THUS, LAST]
    assert purposes(record) == ["sentence", "sentence", "sentence", "reader"]


@pytest.mark.parametrize("profile", ["paper_ircot", "authors_ircot", "authors_ircot_flan_t5"])
async def test_the_paper_and_the_authors_ask_again_after_every_sentence(profile):
    assert not read_settings({"profile": profile}).part("methods", "ircot").reuse_reply
    record = await ask(FIRST, SECOND, f"{THUS} {LAST}", LAST, READ, reuse_reply=False)
    assert purposes(record) == ["sentence"] * 4 + ["reader"]
    assert "If it only concludes" not in calls(await ask(FIRST, LAST, READ, prefill=False, reuse_reply=False))[1][0].text


async def test_a_sentence_of_the_same_reply_that_was_cut_off_is_asked_for_again():
    record = await ask(FIRST, SECOND, f"{THUS} So the answer is: Orlau on the river.", LAST, READ, max_tokens_sentence=10)
    assert told(record, "sentence") == [FIRST, SECOND, THUS, LAST]
    assert purposes(record) == ["sentence"] * 4 + ["reader"]


# -- the passages ------------------------------------------------------------------------------------------------------


def passages(start, number):
    return [Passage(f"p{index}", f"Text {index} of its own.", f"Title {index}") for index in range(start, start + number)]


async def test_no_more_than_15_passages_are_held_and_a_full_hand_searches_no_more():
    found = {QUESTION: passages(0, 8), FIRST: passages(6, 8), SECOND: passages(20, 8)}
    says = [FIRST, SECOND, "Orlau is old.", LAST, READ]
    record = await ask(*says, found=found, num_hits=8, remove_wh_words=False)
    assert record.answer.passage_ids == (*(f"p{index}" for index in range(14)), "p20")
    assert queries(record) == [QUESTION, FIRST, SECOND]
    assert told(record, "no_search") == ["max_passages are held"]


async def test_a_query_that_was_sent_before_is_not_sent_again():
    record = await ask(FIRST, "Thus, it is from there.", LAST, READ)
    assert queries(record)[1:] == [FIRST]
    assert told(record, "no_search") == ["sent before"]


async def test_nothing_found_is_said_and_the_model_reasons_all_the_same():
    record = await ask(FIRST, LAST, READ, found={})
    assert f"(No passage was found.)\nQ: {QUESTION}" in calls(record)[0][0].text
    assert record.answer.passage_ids == ()
    assert {verdict for _, _, verdict in verdicts(record)} == {"unsupported"}
    assert record.answer.short == "Orlau"


# -- claims and citations ----------------------------------------------------------------------------------------------


async def test_a_sentence_that_a_passage_holds_is_verified_and_cites_it():
    record = await ask(FIRST, SECOND, LAST, READ)
    assert verdicts(record) == [
        (QUESTION, FIRST, "supported"),
        (QUESTION, SECOND, "supported"),
        (QUESTION, "Orlau", "supported"),
    ]
    assert [(citation.mark, citation.passage_id, citation.quote) for citation in record.answer.citations] == [
        (1, "coaster", "It was manufactured by Mack Renn in 2016."),
        (2, "maker", "It is a company of old standing, from Orlau."),
        (3, "maker", "It is a company of old standing, from Orlau."),
    ]
    assert record.answer.text == (
        "Lost Gravel was manufactured by Mack Renn [1]. The company Mack Renn stems from Orlau [2]. "
        "So the answer is: Orlau [3]."
    )


async def test_marks_of_the_model_are_removed_and_counted():
    record = await ask(LAST, f"{FIRST[:-1]} [7]. {LAST}")
    assert record.answer.num_marks_removed == 1
    assert "[7]" not in record.answer.text


# -- a way to say that the passages do not tell ------------------------------------------------------------------------

WAY_OUT = 'If the passages do not tell, and you do not know either, end with "So the answer is: unknown."'
UNKNOWN = "Lost Gravel is a ride. So the answer is: unknown."


@pytest.mark.parametrize(
    ("is_small", "option", "may"), [(False, None, True), (True, None, False), (True, True, True), (False, False, False)]
)
async def test_the_reader_may_say_that_the_passages_do_not_tell_unless_the_model_is_small(is_small, option, may):
    llm = Scripted([FIRST, LAST, READ], is_small=is_small)
    record = await Bench(found=FOUND, llm=llm).ask(QUESTION, "ircot", may_abstain=option)
    *sentences, reader = [call[0].text for call in calls(record)]
    assert (WAY_OUT in reader) == may
    assert not any(WAY_OUT in prompt for prompt in sentences)  # which would end the reasoning before anything is found


async def test_a_reader_that_does_not_know_gives_no_answer_and_counts_as_abstaining():
    record = await ask(FIRST, LAST, UNKNOWN, prefill=False)
    assert record.answer.short == "unknown"
    assert record.answer.verdict.support == "unsupported"
    assert became(record) == "abstained"
    assert unread(record) == []


@pytest.mark.parametrize(
    ("question", "reader", "note"),
    [
        (Question("q", QUESTION), "direct", "you do not know either, answer: unknown)"),
        (Question("q", QUESTION, "label", ("Yes", "No")), "cot", ""),
        (Question("q", QUESTION, "long"), "cot", ""),
    ],
)
async def test_only_a_short_answer_may_be_unknown(question, reader, note):
    record = await ask(LAST, "It is so. So the answer is: yes.", question=question, found={}, prefill=False, reader=reader)
    prompt = calls(record, "reader")[0][0].text
    assert (note in prompt) if note else ("unknown" not in prompt)


@pytest.mark.parametrize("profile", ["paper_ircot", "authors_ircot", "authors_ircot_flan_t5"])
def test_the_papers_reader_must_answer(profile):
    assert read_settings({"profile": profile}).part("methods", "ircot").may_abstain is False


async def test_to_give_the_answer_alone_needs_no_thought_and_to_reason_may():
    made = bench([LAST, "It was made in Orlau.", " Orlau."], prefill=True)
    await made.ask(QUESTION, "ircot")
    assert [sampling.thinking for _, sampling in made.llm.calls] == ["auto", "auto", "off"]


# -- malformed output and failure --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prefill", "reply"), [(True, " Orlau."), (False, "So the answer is: Orlau."), (False, "Orlau")])
async def test_a_reader_that_does_not_say_what_the_answer_is_is_made_to_say_it(prefill, reply):
    record = await ask(LAST, "It was made in Orlau.", reply, prefill=prefill)
    assert purposes(record) == ["sentence", "reader", "finish"]
    assert (record.answer.short, record.answer.how) == ("Orlau", "forced")
    assert calls(record)[2][1].text == "It was made in Orlau." + (" So the answer is:" if prefill else "")
    assert unread(record) == []


@pytest.mark.parametrize(("reply", "budget"), [("", None), (None, {"max_llm_calls": 2})])
async def test_a_reader_that_cannot_be_made_to_say_it_answers_with_all_it_says(reply, budget):
    record = await ask(LAST, "It was made in Orlau.", *([] if reply is None else [reply]), budget=budget)
    assert (record.answer.short, record.answer.how) == ("It was made in Orlau", "full")
    assert unread(record) == ["no sentence says what the final answer is"]


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("a reader that does not say what the answer is answers with all it says",
        lambda: ask(LAST, "It was made in Orlau", force=False), answer=("It was made in Orlau", "full"),
        unread=["no sentence says what the final answer is"]),
    scene("an empty reader is counted and is no answer",
        lambda: ask(FIRST, LAST, ""), answer=("", "empty"), unread=["the reply is empty"]),
    scene("a demonstration that the reader goes on with is cut off",
        lambda: ask(LAST, f"{READ}\n\n<passage>\nX\n</passage>\nQ: Who?\nA: So the answer is: X."), short="Orlau"),
])  # fmt: skip
async def test_malformed_output_and_failure(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


# -- budgets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("calls that run out leave the answer of the reasoning",
        lambda: ask(FIRST, LAST, budget={"max_llm_calls": 2}), purposes=["sentence", "sentence"], short="Orlau",
        stopped="max_llm_calls", first_verdict=(QUESTION, FIRST, "supported")),
    scene("calls that run out before the answer leave what was reasoned",
        lambda: ask(FIRST, budget={"max_llm_calls": 1}), text="Lost Gravel was manufactured by Mack Renn [1].", how="full",
        stopped="max_llm_calls", passages=("coaster", "park", "maker")),
    scene("searches that run out end the reasoning and the reader still answers",
        lambda: ask(FIRST, READ, budget={"max_searches": 1}), purposes=["sentence", "reader"], short="Orlau",
        stopped="max_searches"),
    scene("tokens that run out leave an answer from the one call that was made",
        lambda: ask(f"{FIRST} {SECOND}", budget={"max_tokens": 1}), purposes=["sentence"],
        text="Lost Gravel was manufactured by Mack Renn [1].", stopped="max_tokens"),
])  # fmt: skip
async def test_budgets(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


@pytest.mark.parametrize(
    ("question", "reply", "short"),
    [
        (Question("q", "Is Orlau a town?", "label", ("Yes", "No")), "Orlau is a town. So the answer is: yes.", "Yes"),
        (
            Question("q", "Why is it so?", "long"),
            "It is old. It has a wall. So the answer is: both.",
            "It is old. It has a wall.",
        ),
    ],
)
async def test_labels_and_explanations_are_asked_for_and_read(question, reply, short):
    record = await ask(LAST, reply, question=question, found={})
    assert record.answer.short == short
    assert decisions(record, "stop")[0].text == "finished"
    last = calls(record)[1][0].text
    assert ("(The answer can only be one of: Yes, No)\nA:" in last) == (question.form == "label")


async def test_a_comparison_is_supported_by_the_values_of_both_sides_and_cites_both():
    lind, marr = (
        Passage(name, f"{who} was born in {year} in Orlau.", who)
        for name, who, year in (("lind", "Bo Lind", 1801), ("marr", "Cy Marr", 1822))
    )
    first, second, last = "Bo Lind was born in 1801.", "Cy Marr was born in 1822.", "So the answer is: Bo Lind."
    found = {"was born first, Bo Lind or Cy Marr?": [lind], first: [marr], second: []}
    question = "Who was born first, Bo Lind or Cy Marr?"
    record = await ask(first, second, last, f"{first} {second} {last}", question=question, found=found)
    assert verdicts(record)[-1] == (question, "Bo Lind", "supported")
    assert {one.passage_id for one in record.answer.carrier.citations} == {"lind", "marr"}
    wrong = "So the answer is: Cy Marr."
    record = await ask(first, second, wrong, f"{first} {second} {wrong}", question=question, found=found)
    assert record.answer.verdict.support == "unsupported"
